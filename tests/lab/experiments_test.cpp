// What the experiments conclude from planted times and counters.
#include "lab/experiments/experiments.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>

#include "lab/exit.hpp"
#include "lab/experiments/timing_findings.hpp"
#include "lab/experiments/transpose_findings.hpp"

namespace cairn::lab {
namespace {

// Thirty samples around a middle, a hundredth apart at most.
std::vector<double> around(double middle) {
  std::vector<double> samples;
  for (int i = -15; i < 15; ++i) samples.push_back(middle + 0.0003 * i);
  return samples;
}

bool says(const std::vector<std::string>& sentences, const std::string& words) {
  for (const std::string& sentence : sentences) {
    if (sentence.find(words) != std::string::npos) return true;
  }
  return false;
}

std::string all_of(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + "\n";
  return text;
}

TEST(Comparing, DecidesOnlyWhatTheIntervalsAllow) {
  const Timed a{"a", around(1)}, b{"b", around(1.1)}, c{"c", around(1.1005)};
  EXPECT_EQ(compare(a, b), Verdict::faster);
  EXPECT_EQ(compare(b, a), Verdict::slower);
  EXPECT_EQ(compare(b, c), Verdict::undecided);
  EXPECT_EQ(order({c, b, a}), "a < b ≈ c");
}

TEST(Comparing, WordsAreJoined) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"x"}), "x");
  EXPECT_EQ(listed({"x", "y", "z"}), "x, y and z");
  EXPECT_EQ(short_id("transpose/1_write_coalesced"), "transpose/1");
}

TEST(Clocks, ThatAgreeAreSaidToAgree) {
  const std::vector<Clocked> all = {{"a", "products", {around(15), around(11), around(10)}},
                                    {"b", "products", {around(25), around(21), around(20)}}};
  const auto said = compare_clocks(all);
  EXPECT_TRUE(says(said, "events minus profiler is +5.00 to +5.00 µs (at most 1.50 times its 10.00 µs, for a)"))
      << all_of(said);
  EXPECT_TRUE(says(said, "The products, fastest first, by every clock: a < b.")) << all_of(said);
  EXPECT_TRUE(says(said, "No two of them change places")) << all_of(said);
  EXPECT_FALSE(says(said, "some clocks only")) << all_of(said);
}

TEST(Clocks, ThatDisagreeAreNamed) {
  const std::vector<Clocked> all = {{"a", "moves", {around(9), around(5), around(5)}},
                                    {"b", "moves", {around(8), around(6), around(6)}},
                                    {"c", "moves", {around(8), around(7), around(7)}},
                                    {"d", "others", {around(1), around(1), around(1)}}};
  const auto said = compare_clocks(all);
  EXPECT_TRUE(says(said, "b ≈ c < a by the events; a < b < c by the stopwatch")) << all_of(said);
  EXPECT_TRUE(says(said, "a is faster than b by the stopwatch and profiler and slower by the events"))
      << all_of(said);
  EXPECT_TRUE(says(said, "b and c are not told apart by the events")) << all_of(said);
  EXPECT_FALSE(says(said, "than d")) << all_of(said);
}

TEST(Clocks, AMissingClockIsLeftOut) {
  const std::vector<Clocked> all = {{"a", "moves", {around(9), around(5), {}}},
                                    {"b", "moves", {around(8), around(6), {}}}};
  const auto said = compare_clocks(all);
  EXPECT_TRUE(says(said, "events minus stopwatch is")) << all_of(said);
  EXPECT_FALSE(says(said, "profiler")) << all_of(said);
}

Levelled levelled(const std::string& name, double o0, double o3, double instructions_o0) {
  Levelled one;
  one.name = name;
  for (int level = 0; level < 2; ++level) {
    one.cold[level] = one.hot[level] = {name, around(level == 0 ? o0 : o3)};
    one.counted[level] = {{"inst_executed", level == 0 ? instructions_o0 : 100},
                          {"global_load_sectors", 800},
                          {"local_load_sectors", level == 0 ? 7 : 0},
                          {"l1_hit_rate", level == 0 ? 71 : 70}};
  }
  return one;
}

TEST(Levels, AFlipIsSaidWithWhatChangedAndWhatDidNot) {
  const auto said = compare_levels({levelled("t/1", 9, 5, 450), levelled("t/2", 8, 6, 400)});
  EXPECT_TRUE(says(said,
                   "With cold caches, at -O3 t/1 is faster than t/2 (5.00 and 6.00 µs) and at -O0 t/1 is slower "
                   "than t/2 (9.00 and 8.00 µs): the order flips"))
      << all_of(said);
  EXPECT_TRUE(says(said, "instructions 100 to 450 (4.50 times)")) << all_of(said);
  EXPECT_TRUE(says(said, "the same to 3 %: sectors loaded and L1 hit rate")) << all_of(said);
  EXPECT_TRUE(says(said, "sectors of local memory loaded 7 where there were none")) << all_of(said);
}

TEST(Levels, NoFlipAndNoCountersAreSaidToo) {
  auto a = levelled("t/1", 5, 5, 100), b = levelled("t/2", 6, 6, 100);
  for (Levelled* one : {&a, &b}) {
    for (profile::Values& values : one->counted) values.erase("local_load_sectors");
  }
  EXPECT_TRUE(says(compare_levels({a, b}), "No counter moves in both"));
  for (profile::Values& values : a.counted) values.clear();
  const auto said = compare_levels({a, b});
  EXPECT_TRUE(says(said, "does not change their order")) << all_of(said);
  EXPECT_FALSE(says(said, "counter")) << all_of(said);
}

// The whole experiment on the emulated GPU, whose times mean nothing: what is tried here is the way through.
class Timing : public ::testing::Test {
 protected:
  Timing() { conditions_.device = -2, conditions_.shape = Shape{32, 32, 32}; }
  ~Timing() override {
    ::unsetenv("CAIRN_NCU");
    std::filesystem::remove(ncu_);
  }

  Conditions conditions_;
  std::string ncu_ = (std::filesystem::path(::testing::TempDir()) / ("ncu_" + std::to_string(::getpid()))).string();
};

TEST_F(Timing, WithoutAProfilerItSaysWhatIsMissing) {
  ::setenv("CAIRN_NCU", ncu_.c_str(), 1);  // nothing is there yet
  const Findings findings = timing_experiment(conditions_);
  EXPECT_TRUE(findings.holds);
  EXPECT_EQ(findings.report.table.rows.size(), 8u);
  EXPECT_TRUE(says(findings.notes, "The profiler's clock is missing: CAIRN_NCU is ")) << all_of(findings.notes);
  EXPECT_TRUE(says(findings.conclusions, "The transposes, fastest first")) << all_of(findings.conclusions);
}

TEST_F(Timing, WithOneItReadsThirtyTimesOfEachRung) {
  std::ofstream script(ncu_);
  script << "#!/bin/sh\necho '\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\"'\necho '\"\",\"\",\"usecond\"'\n";
  for (int i = 0; i < 30; ++i) script << "echo '\"" << i << "\",\"k\",\"" << 7 + i % 3 << "\"'\n";
  script.close();
  std::filesystem::permissions(ncu_, std::filesystem::perms::owner_all);
  ::setenv("CAIRN_NCU", ncu_.c_str(), 1);
  const Findings findings = timing_experiment(conditions_);
  const Table& table = findings.report.table;
  ASSERT_EQ(table.rows.size(), 8u);
  EXPECT_EQ(std::get<double>(table.rows[0][6]), 8) << render(table, Format::table);
  EXPECT_EQ(std::get<std::vector<double>>(table.rows[7].back()).size(), 30u);
  EXPECT_EQ(all_of(findings.notes), "");
}

TEST_F(Timing, CanBeStopped) {
  conditions_.progress = [](const std::string&, double share) { return share < 0.2; };
  EXPECT_THROW((void)timing_experiment(conditions_), Error);
}

}  // namespace
}  // namespace cairn::lab
