// What the experiments about single kernels conclude from planted times and facts.
#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "lab/exit.hpp"
#include "lab/experiments/double_buffer_findings.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/factorial.hpp"
#include "lab/experiments/study.hpp"
#include "lab/experiments/vectorize_findings.hpp"

namespace cairn::lab {
namespace {

std::vector<double> around(double middle) {
  std::vector<double> samples;
  samples.reserve(30);
  for (int i = -15; i < 15; ++i) samples.push_back(middle * (1 + 0.0001 * i));
  return samples;
}

std::string all_of(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + "\n";
  return text;
}

bool says(const std::vector<std::string>& sentences, const std::string& words) {
  return all_of(sentences).find(words) != std::string::npos;
}

Step step(double before, double after, profile::Values facts_before = {}, profile::Values facts_after = {}) {
  return {{"a", around(before)}, {"b", around(after)}, std::move(facts_before), std::move(facts_after)};
}

profile::Values stalls(double barrier, double global) {
  return {{"stall_barrier", barrier}, {"stall_long_scoreboard", global}, {"inst_executed", 100}};
}

TEST(Steps, ASpeedupIsTimeBeforeOverTimeAfter) {
  const Step faster = step(2, 1);
  EXPECT_NEAR(faster.speedup().median, 2, 1e-9);
  EXPECT_EQ(faster.verdict(), Verdict::faster);
  EXPECT_EQ(told(faster), "a to b: 2.00 times as fast");
  EXPECT_EQ(told(step(1, 1)), "a to b: 1.00 times as fast, which is not told apart");
  EXPECT_EQ(speedups({faster, step(1, 2)}), "0.50 to 2.00");
  EXPECT_TRUE(all_are({faster}, Verdict::faster));
  EXPECT_FALSE(all_are({faster, step(1, 2)}, Verdict::faster));
  EXPECT_FALSE(all_are({}, Verdict::faster));
}

TEST(Steps, ChangesOfFacts) {
  const Step one = step(1, 1, {{"x", 2}, {"zero", 0}}, {{"x", 3}, {"zero", 0}, {"new", 1}});
  EXPECT_DOUBLE_EQ(one.change("x"), 1.5);
  EXPECT_EQ(one.change("zero"), 1);
  EXPECT_TRUE(std::isnan(one.change("new")));
}

TEST(Steps, TheMarkIsWhatMovesThereAndNotHere) {
  const Steps with = {step(1, 2, {{"p", 1}, {"q", 1}, {"r", 4}}, {{"p", 3}, {"q", 5}, {"r", 1}}),
                      step(1, 2, {{"p", 1}, {"q", 1}, {"r", 4}}, {{"p", 2}, {"q", 5}, {"r", 3.9}})};
  const Steps without = {step(1, 1, {{"p", 1}, {"q", 1}, {"r", 4}}, {{"p", 1}, {"q", 5}, {"r", 4}})};
  const Mark mark = mark_of(with, without, {{"p", "p's"}, {"q", "q's"}, {"r", "r's"}});
  EXPECT_EQ(mark.words, "p's");  // q moves in both, r not clearly in every one
  EXPECT_DOUBLE_EQ(mark.with_low, 2);
  EXPECT_DOUBLE_EQ(mark.with_high, 3);
  EXPECT_EQ(mark_of(with, without, {{"q", "q's"}}).words, "");
}

WidthSteps idle_threads_cost() {
  const profile::Values calm = stalls(1, 1), waiting = stalls(3, 1.05), other = stalls(0.9, 0.8);
  WidthSteps steps;
  steps.rungs_idle = {step(1, 1.2), step(1, 1.3)};
  steps.rungs_busy = {step(1.2, 1)};
  steps.both = {step(1, 1.25, calm, waiting)};
  steps.wider = {step(1, 0.9, calm, other)};
  steps.idler = {step(1, 1.4, calm, waiting)};
  return steps;
}

TEST(Widths, TheLossIsOfTheIdleThreads) {
  const auto said = compare_widths(idle_threads_cost());
  EXPECT_TRUE(says(said, "float4 copies that leave threads idle: a to b: 0.83 times as fast and a to b: 0.77"))
      << all_of(said);
  EXPECT_TRUE(says(said,
                   "wider copies with all threads at it, 1.11 times as fast; the same copies by a quarter of the "
                   "threads, 0.71; both at once, 0.80."))
      << all_of(said);
  EXPECT_TRUE(says(said, "The loss goes with the idle threads, not")) << all_of(said);
  EXPECT_TRUE(says(said, "warps waiting at a barrier, per issue, 3.00 times as much with idle threads, 0.90 times"))
      << all_of(said);
}

TEST(Widths, OtherNumbersSayOtherThings) {
  WidthSteps steps = idle_threads_cost();
  steps.wider = {step(1, 1.1)}, steps.idler = {step(1, 1)};
  EXPECT_TRUE(says(compare_widths(steps), "The loss goes with the width of the copies"));
  steps.idler = {step(1, 1.2)};
  EXPECT_TRUE(says(compare_widths(steps), "Both cost something alone"));
  steps.both = {step(1, 0.9)};
  EXPECT_TRUE(says(compare_widths(steps), "there is no loss to explain"));
  steps = idle_threads_cost();
  steps.idler.push_back(step(1, 1));
  EXPECT_TRUE(says(compare_widths(steps), "do not say which"));
  steps.both.clear();  // no control kernels
  EXPECT_EQ(compare_widths(steps).size(), 2u);
}

profile::Values kernel(double registers, double blocks, double local) {
  return {{"registers", registers}, {"blocks_an_sm", blocks}, {"local_bytes", local}};
}

BufferSteps a_block_is_lost() {
  BufferSteps steps;
  steps.doubled = {step(1, 0.9, kernel(123, 2, 0), kernel(128, 2, 0)),
                   step(1, 1.1, kernel(125, 2, 0), kernel(142, 1, 0))};
  steps.alone = {step(1, 1.2)};
  steps.mended = {step(1, 0.95)};
  steps.rungs = {{"s", around(2)}, {"d", around(1)}};
  return steps;
}

TEST(Buffers, ALossIsExplainedByTheBlock) {
  const auto said = compare_buffers(a_block_is_lost());
  EXPECT_TRUE(says(said, "The rungs, fastest first: d < s.")) << all_of(said);
  EXPECT_TRUE(says(said, "where as many blocks stay on an SM and nothing is spilled, 1.11 times as fast"))
      << all_of(said);
  EXPECT_TRUE(says(said, "where the registers cost a block, 0.91 times as fast")) << all_of(said);
  EXPECT_TRUE(says(said,
                   "slower in a to b: 0.91 times as fast (125 and 142 registers, 2 and 1 blocks an SM, 0 and 0 "
                   "local bytes): each of them lost a block or spilled, and every one that did is slower"))
      << all_of(said);
  EXPECT_TRUE(says(said, "One block less on an SM, the code unchanged: a to b: 0.83")) << all_of(said);
  EXPECT_TRUE(says(said, "1.05 times as fast as one: with the cause removed the loss is gone")) << all_of(said);
}

TEST(Buffers, OtherNumbersSayOtherThings) {
  BufferSteps steps = a_block_is_lost();
  steps.doubled.push_back(step(1, 0.9, kernel(125, 2, 0), kernel(142, 1, 0)));
  EXPECT_TRUE(says(compare_buffers(steps), "but not every one that did is slower"));
  steps.doubled.push_back(step(1, 1.2, kernel(125, 2, 0), kernel(125, 2, 0)));
  EXPECT_TRUE(says(compare_buffers(steps), "does not explain all of them"));
  steps.doubled = {step(1, 0.9, kernel(80, 3, 0), kernel(80, 3, 64))};
  const auto said = compare_buffers(steps);
  EXPECT_TRUE(says(said, "where registers are spilled to keep the blocks, 1.11 times")) << all_of(said);
  EXPECT_TRUE(says(said, "slower in none of these")) << all_of(said);
  EXPECT_TRUE(says(said, "there was no loss to remove")) << all_of(said);
  steps.mended = {step(1, 1.3)};
  EXPECT_TRUE(says(compare_buffers(steps), "the loss stays"));
  steps.doubled = {step(1, 0.9)};
  EXPECT_TRUE(says(compare_buffers(steps), "all together, 1.11 times as fast"));
}

// Three factors: the first doubles the time, the second only where the third is high.
Factorial planted() {
  Factorial design;
  design.factors = {{"one", "a", "b"}, {"two", "c", "d"}, {"three", "e", "f"}};
  for (std::size_t run = 0; run < 8; ++run) {
    const bool one = (run & 1) != 0, two = (run & 2) != 0, three = (run & 4) != 0;
    design.times.push_back((one ? 2.0 : 1.0) * (two && three ? 4.0 : 1.0));
    design.facts.push_back({{"good", one ? 7.0 : 3.0}, {"flat", 5.0}, {"depth", three ? 1.0 : 0.0}});
    design.known.push_back(true);
  }
  return design;
}

TEST(FactorialDesign, EffectsAreGeometricMeans) {
  const auto all = effects(planted());
  ASSERT_EQ(all.size(), 6u);
  EXPECT_NEAR(all[0].ratio, 2, 1e-12);
  EXPECT_NEAR(all[1].ratio, 2, 1e-12);  // 1 where the third is low, 4 where it is high
  EXPECT_NEAR(all[2].ratio, 2, 1e-12);
  EXPECT_EQ(all[3].factors, (std::vector<std::size_t>{1, 2}));
  EXPECT_NEAR(all[3].ratio, 2, 1e-12);
  EXPECT_NEAR(all[4].ratio, 1, 1e-12);
  const Table table = effect_table(planted(), 1);
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(std::get<std::string>(table.rows[0][1]), "a");
  EXPECT_EQ(std::get<std::string>(table.rows[3][0]), "two with three");
}

TEST(FactorialDesign, FactsAreHeldAgainstTheTime) {
  EXPECT_NEAR(goes_with(planted(), "good", {1, 2}), 1, 1e-12);
  EXPECT_LT(goes_with(planted(), "good", {}), 0.9);
  EXPECT_TRUE(std::isnan(goes_with(planted(), "flat", {})));
  EXPECT_TRUE(std::isnan(goes_with(planted(), "nobody's", {})));
  EXPECT_TRUE(std::isnan(goes_with(planted(), "depth", {2})));  // the same in every group
}

TEST(FactorialDesign, Conclusions) {
  const auto said = conclude(planted(), {{"good", "good things"}, {"depth", "depth"}}, {1, 2});
  EXPECT_TRUE(says(said,
                   "The slowest (one b, two d and three f) takes 8.000 times as long as the fastest (one a, two c "
                   "and three e)."))
      << all_of(said);
  EXPECT_TRUE(says(said, "one 2.000, two 2.000, three 2.000 and two with three 2.000")) << all_of(said);
  EXPECT_TRUE(says(said, "of the same two and three the time goes with good things (+1.00)")) << all_of(said);
  Factorial same = planted();
  std::fill(same.times.begin(), same.times.end(), 1.0);
  EXPECT_TRUE(says(conclude(same, {}, {}), "No factor, and no two together"));
  Factorial torn = planted();
  torn.known[3] = false;
  EXPECT_EQ(conclude(torn, {}, {}).size(), 1u);
  EXPECT_TRUE(effect_table(torn, 1).rows.empty());
}

TEST(FactorialDesign, AFactThatDoesNotGoWithItIsSaidNotTo) {
  Factorial design = planted();
  for (std::size_t run = 0; run < 8; ++run) design.facts[run]["noise"] = run == 5 ? 1 : 0;
  EXPECT_TRUE(
      says(conclude(design, {{"noise", "noise"}}, {1, 2}), "no fact goes with the time; the nearest is noise"));
}

// The whole way on the emulated GPU, whose times mean nothing, with neither profiler nor disassembler. It has no
// control kernels: those are nvcc's.
class Studying : public ::testing::Test {
 protected:
  Studying() {
    conditions_.device = -2, conditions_.shape = Shape{32, 32, 32};
    ::setenv("CAIRN_NCU", "/nowhere/ncu", 1);
  }
  ~Studying() override { ::unsetenv("CAIRN_NCU"); }

  static std::vector<std::string> names(const Table& table) {
    std::vector<std::string> all;
    for (const auto& row : table.rows) all.push_back(std::get<std::string>(row[0]));
    return all;
  }

  Conditions conditions_;
};

TEST_F(Studying, Vectorize) {
  const Findings findings = vectorize_experiment(conditions_);
  EXPECT_TRUE(findings.holds) << all_of(findings.report.alarms);
  EXPECT_EQ(names(findings.report.table), (std::vector<std::string>{"simt/04", "simt/05", "simt/06", "simt/07",
                                                                    "simt/09", "simt/10", "simt/11@1", "simt/12"}));
  EXPECT_TRUE(
      says(findings.conclusions, "f32 nn 32x32x32: float4 copies that leave threads idle: simt/04 to simt/05"))
      << all_of(findings.conclusions);
  EXPECT_TRUE(says(findings.notes, "The resources of the kernels are not known: ")) << all_of(findings.notes);
  EXPECT_TRUE(says(findings.notes, "There are no counters: CAIRN_NCU is /nowhere/ncu")) << all_of(findings.notes);
  const Table& table = findings.report.table;
  EXPECT_EQ(table.columns[3].key, "median_ms");
  EXPECT_EQ(table.columns.back().key, "samples_ms");
  EXPECT_GE(std::get<std::vector<double>>(table.rows[0].back()).size(), 3u);
  EXPECT_EQ(std::get<std::string>(table.rows[0][1]), "32x32x32");
}

TEST_F(Studying, DoubleBuffer) {
  const Findings findings = double_buffer_experiment(conditions_);
  EXPECT_TRUE(findings.holds) << all_of(findings.report.alarms);
  EXPECT_GE(findings.report.table.rows.size(), 10u);
  EXPECT_TRUE(says(findings.conclusions, "The rungs, fastest first: ")) << all_of(findings.conclusions);
}

TEST_F(Studying, TinyCode) {
  const Findings findings = tiny_code_experiment(conditions_);
  EXPECT_EQ(names(findings.report.table), (std::vector<std::string>{"simt/09", "simt/09@1", "simt/09@2"}));
  EXPECT_TRUE(says(findings.conclusions, "Not every spelling was timed")) << all_of(findings.conclusions);
}

TEST_F(Studying, CanBeStopped) {
  conditions_.progress = [](const std::string&, double) { return false; };
  EXPECT_THROW((void)vectorize_experiment(conditions_), Error);
}

TEST(StudyNames, AreShortAndKeepTheTile) {
  EXPECT_EQ(study_name("simt/17_warp_tile_vec4@1"), "simt/17@1");
  EXPECT_EQ(study_name("simt/04_block_tile"), "simt/04");
  EXPECT_EQ(study_name("lab/double_buffer@13"), "lab/double_buffer@13");
  EXPECT_EQ(study_name("cublas/gemm_ex"), "cublas/gemm_ex");
}

}  // namespace
}  // namespace cairn::lab
