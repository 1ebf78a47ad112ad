// What the rows of a record imply: the strongest baseline, ratios, and fractions of the ceilings.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lab/record/summary.hpp"
#include "lab/record/view.hpp"
#include "tests/lab/some_record.hpp"

namespace cairn::lab::record {
namespace {

TEST(Summary, TheStrongestBaselineIsOfTheSameWorkAndProblem) {
  const Problem other = Problem::packed(Type::f32, Op::none, Op::none, 8, 8, 8);
  Row copy = some_row("probe/copy", small_product(), {3});
  copy.work = "move";
  Row failed = some_row("cublas/wrong", small_product(), {1}, true);
  failed.verified = "wrong";
  const Record record = some_record(
      {some_row("ours", small_product(), {2}), copy, failed, some_row("cublas/slow", small_product(), {8}, true),
       some_row("cublas/fast", small_product(), {4}, true), some_row("ours", other, {1})});
  const auto lines = summarize(record);
  ASSERT_EQ(lines.size(), 5u);  // a failure is no time
  EXPECT_EQ(lines[0].baseline->id, "cublas/fast");
  EXPECT_DOUBLE_EQ(lines[0].ratio.value().median, 2);
  EXPECT_EQ(lines[1].baseline, nullptr) << "a copy is no rival of a product, though its problem reads the same";
  EXPECT_DOUBLE_EQ(lines[2].ratio.value().median, 0.5);
  EXPECT_DOUBLE_EQ(lines[3].ratio.value().median, 1);
  EXPECT_EQ(lines[3].baseline, lines[3].row);
  EXPECT_EQ(lines[4].baseline, nullptr);
}

TEST(Summary, CeilingsAreOfWhatTheyMeasure) {
  const auto line = [](const Problem& problem, const char* work, double ms) {
    static Record record;
    record = some_record({some_row("x", problem, {ms})});
    record.rows[0].work = work;
    return summarize(record).at(0);
  };
  // 2 TFLOP/s of 50 and 12 GB/s of 4000; 8e6 bytes are moved.
  EXPECT_DOUBLE_EQ(line(small_product(), "product", 1).of_ceiling.value(), 0.04);
  EXPECT_DOUBLE_EQ(line(small_product(), "probe", 1).of_ceiling.value(), 0.04);
  EXPECT_DOUBLE_EQ(line(small_product(), "move", 1).of_ceiling.value(), 0.002);
  EXPECT_DOUBLE_EQ(line(small_product(), "move", 1).of_datasheet.value(), 8e9 / 4.8e12);
  EXPECT_FALSE(line(small_product(), "move", 1).tflops);
  EXPECT_FALSE(line(small_product(), "probe", 1).gbytes);
  // One row times a matrix: 8.008e6 bytes in 1 ms are more of the copy than 4e6 operations of the multiply-adds.
  const Problem thin = Problem::packed(Type::f32, Op::none, Op::none, 1, 1000, 2000);
  EXPECT_DOUBLE_EQ(line(thin, "product", 1).of_ceiling.value(), 8.012 / 4000);
  Problem half = small_product();
  half.in = half.out = Type::f16;
  EXPECT_FALSE(line(half, "product", 1).of_ceiling);
  EXPECT_DOUBLE_EQ(line(half, "product", 1).of_datasheet.value(), 2 / 989.4);
  EXPECT_TRUE(line(half, "move", 1).of_ceiling);
  Problem tf32 = small_product();
  tf32.compute = Compute::tf32;
  EXPECT_FALSE(line(tf32, "product", 1).of_ceiling);
}

// The ceiling of a tensor type is that of mma.sync in it. What multiplies by other instructions may go beyond.
TEST(Summary, TensorTypesAreHeldToMmaSync) {
  const auto fraction = [](Type type, Compute compute, double ms) {
    Problem problem = small_product();
    problem.in = problem.out = type, problem.compute = compute;
    Record record = some_record({some_row("x", problem, {ms})});
    record.ceilings.mma_tflops = {{"bf16", 4}, {"tf32", 1}, {"f64", 8}};
    return summarize(record).at(0).of_ceiling;
  };
  EXPECT_DOUBLE_EQ(fraction(Type::bf16, Compute::native, 1).value(), 0.5);
  EXPECT_DOUBLE_EQ(fraction(Type::f32, Compute::tf32, 1).value(), 2);
  EXPECT_DOUBLE_EQ(fraction(Type::f64, Compute::native, 1).value(), 0.25);
  EXPECT_DOUBLE_EQ(fraction(Type::f32, Compute::native, 1).value(), 0.04);
  EXPECT_FALSE(fraction(Type::f16, Compute::native, 1)) << "it was not measured";
  EXPECT_FALSE(fraction(Type::f32, Compute::split, 1)) << "several products make one";
}

// Rungs on wgmma are compared with its peak, and so are baselines, whose instruction is unknown.
TEST(Summary, HoppersRungsAreHeldToWgmma) {
  Problem half = small_product(), tf32 = small_product(), narrow = small_product();
  half.in = half.out = Type::f16, tf32.compute = Compute::tf32, narrow.in = narrow.out = Type::e4m3;
  const auto fraction = [](const char* id, const Problem& problem) {
    Record record = some_record({some_row(id, problem, {1})});
    record.ceilings.mma_tflops = {{"f16", 4}, {"tf32", 2}};
    record.ceilings.wgmma_tflops = {{"f16", 8}, {"e4m3", 16}};
    return summarize(record).at(0).of_ceiling;
  };
  EXPECT_DOUBLE_EQ(fraction("hopper/51_wgmma", half).value(), 0.25);
  EXPECT_DOUBLE_EQ(fraction("tensor/38_mma_block_order", half).value(), 0.5);
  EXPECT_DOUBLE_EQ(fraction("probe/mma_peak@1", half).value(), 0.5);
  EXPECT_DOUBLE_EQ(fraction("probe/wgmma_peak", half).value(), 0.25);
  EXPECT_DOUBLE_EQ(fraction("cublas/lt_tuned", half).value(), 0.25);
  EXPECT_DOUBLE_EQ(fraction("cublas/lt_tuned", tf32).value(), 1);
  EXPECT_DOUBLE_EQ(fraction("hopper/59_summit", narrow).value(), 0.125);
  EXPECT_FALSE(fraction("hopper/59_summit", tf32)) << "it was not measured";
  EXPECT_FALSE(fraction("tensor/38_mma_block_order", narrow)) << "mma.sync was not measured in it";
}

// In the table the column says which ceiling it is of.
TEST(Summary, TheTableNamesItsCeiling) {
  Problem half = small_product();
  half.in = half.out = Type::f16;
  const auto title = [](std::vector<Row> rows, bool mma, bool wgmma = false) {
    Record record = some_record(std::move(rows));
    if (mma) record.ceilings.mma_tflops = {{"f16", 4}};
    if (wgmma) record.ceilings.wgmma_tflops = {{"f16", 8}};
    for (const Column& column : view(record).table.columns)
      if (column.key == "percent_of_ceiling") return column.title;
    return std::string("there is none");
  };
  const Row f32_row = some_row("x", small_product(), {1}), f16_row = some_row("x", half, {1});
  EXPECT_EQ(title({f32_row}, false), "% ceiling");
  EXPECT_EQ(title({f16_row}, true), "% mma.sync peak");
  EXPECT_EQ(title({f32_row, f16_row}, true), "% ceiling (tensor types: mma.sync peak)");
  const Row old_row = some_row("tensor/38_mma_block_order", half, {1}),
            new_row = some_row("hopper/51_wgmma", half, {1});
  EXPECT_EQ(title({new_row, f16_row}, true, true), "% wgmma peak");
  EXPECT_EQ(title({old_row}, true, true), "% mma.sync peak");
  EXPECT_EQ(title({old_row, new_row}, true, true), "% mma.sync or wgmma peak");
  EXPECT_EQ(title({old_row, new_row, f32_row}, true, true), "% ceiling (tensor types: mma.sync or wgmma peak)");
}

// A call that merely enqueues has no speed, and still a ratio to another's.
TEST(Summary, TheHostsTimeIsNoSpeed) {
  Record record = some_record({some_row("ours", small_product(), {1}), some_row("blas", small_product(), {2}, true)});
  record.kind = "host";
  const Line line = summarize(record).at(0);
  EXPECT_FALSE(line.tflops || line.gbytes || line.of_ceiling || line.of_datasheet);
  EXPECT_DOUBLE_EQ(line.ratio.value().median, 2);
}

}  // namespace
}  // namespace cairn::lab::record
