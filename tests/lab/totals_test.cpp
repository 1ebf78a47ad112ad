// What many problems come to, on ratios that a hand can multiply.
#include "lab/record/totals.hpp"

#include <gtest/gtest.h>

#include "lab/record/show.hpp"
#include "lab/record/view.hpp"
#include "tests/lab/some_record.hpp"

namespace cairn::lab::record {
namespace {

Problem square(std::int64_t n, Type type = Type::f32) { return Problem::packed(type, Op::none, Op::none, n, n, n); }

Row refusal(const char* id, const Problem& problem, bool baseline = false) {
  Row row = some_row(id, problem, {}, baseline);
  row.verified.clear();
  row.refused = "no";
  return row;
}

// Three squares of f32: 8 ms of the baseline against 4, 16 and 2 ms of ours are 2, 1/2 and 4 times as fast. The
// second baseline is the strongest on the first one only, where the first takes twice its time.
Record three_squares() {
  return some_record({some_row("blas", square(16), {16}, true), some_row("lt", square(16), {8}, true),
                      some_row("ours", square(16), {4}),  //
                      some_row("blas", square(32), {8}, true), some_row("lt", square(32), {8}, true),
                      some_row("ours", square(32), {16}),  //
                      some_row("blas", square(64), {8}, true), some_row("lt", square(64), {32}, true),
                      some_row("ours", square(64), {2})});
}

TEST(Totals, AreGeometricMeansWithTheWorstAndTheBest) {
  const auto all = totals(three_squares());
  ASSERT_EQ(all.size(), 3u);
  const Total& ours = all[2];
  EXPECT_EQ(ours.id, "ours");
  EXPECT_EQ(ours.type, "f32");
  EXPECT_EQ(ours.problems, 3);
  EXPECT_EQ(ours.compared, 3);
  EXPECT_NEAR(ours.mean, 1.5874010519682, 1e-12);  // the third root of 2 · 1/2 · 4
  EXPECT_DOUBLE_EQ(ours.median, 2);
  EXPECT_DOUBLE_EQ(ours.fifth_percentile, 0.65);  // a tenth of the way from 1/2 to 2
  EXPECT_DOUBLE_EQ(ours.worst, 0.5);
  EXPECT_EQ(ours.worst_problem, "f32 nn 32x32x32");
  EXPECT_DOUBLE_EQ(ours.best, 4);
  EXPECT_EQ(ours.best_problem, "f32 nn 64x64x64");
}

// 1/2, 1 and 1 of one; 1, 1 and 1/4 of the other: neither is the strongest everywhere.
TEST(Totals, BaselinesAreHeldToTheStrongestToo) {
  const auto all = totals(three_squares());
  EXPECT_EQ(all.at(0).id, "blas");
  EXPECT_NEAR(all[0].mean, 0.79370052598410, 1e-12);  // the third root of 1/2
  EXPECT_EQ(all[0].worst_problem, "f32 nn 16x16x16");
  EXPECT_EQ(all[0].best_problem, "f32 nn 32x32x32") << "the first of those that are equal";
  EXPECT_EQ(all.at(1).id, "lt");
  EXPECT_NEAR(all[1].mean, 0.62996052494744, 1e-12);  // the third root of 1/4
  EXPECT_DOUBLE_EQ(all[1].worst, 0.25);
}

// A type is what is stored and how it is multiplied: each has a mean of its own.
TEST(Totals, AreSplitByType) {
  Problem tf32 = square(16), wide = square(16, Type::e4m3);
  tf32.compute = Compute::tf32, wide.out = Type::bf16;
  std::vector<Row> rows;
  double ours = 1;
  for (const Problem& problem : {square(16), tf32, wide, square(32)}) {
    rows.push_back(some_row("blas", problem, {8}, true));
    rows.push_back(some_row("ours", problem, {ours *= 2}));  // 2, 4, 8 and 16 ms
  }
  const auto all = totals(some_record(rows));
  ASSERT_EQ(all.size(), 6u);
  const auto mean_of = [&](const std::string& type) {
    for (const Total& total : all)
      if (total.id == "ours" && total.type == type) return total.mean;
    return -1.0;
  };
  EXPECT_NEAR(mean_of("f32"), 1.4142135623731, 1e-12);  // of 4 and 1/2
  EXPECT_NEAR(mean_of("tf32"), 2, 1e-12);
  EXPECT_NEAR(mean_of("e4m3:bf16"), 1, 1e-12);
}

// No baseline takes the second, ours refuses the third, fails on the fourth: one of four is left.
TEST(Totals, WhatCannotBeComparedIsLeftOutAndCounted) {
  Row failed = some_row("ours", square(128), {1});
  failed.verified = "C[0] is wrong";
  const Record record = some_record({some_row("blas", square(16), {3}, true), some_row("ours", square(16), {2}),  //
                                     refusal("blas", square(32), true), some_row("ours", square(32), {1}),        //
                                     some_row("blas", square(64), {1}, true), refusal("ours", square(64)),        //
                                     some_row("blas", square(128), {1}, true), failed});
  const auto all = totals(record);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].problems, 4);
  EXPECT_EQ(all[0].compared, 3);
  EXPECT_EQ(all[1].problems, 4);
  EXPECT_EQ(all[1].compared, 1);
  EXPECT_NEAR(all[1].mean, 1.5, 1e-12);
  EXPECT_EQ(all[1].worst_problem, "f32 nn 16x16x16");
  EXPECT_EQ(all[1].best_problem, "f32 nn 16x16x16");

  const Table table = totals_table(record);
  EXPECT_EQ(table.rows.at(0).at(2), Cell{"3 of 4"});
  EXPECT_EQ(table.rows.at(1).at(2), Cell{"1 of 4"});
  EXPECT_EQ(totals_table(three_squares()).rows.at(2).at(2), Cell{"3"});
}

// A type that no baseline takes has a line that says so; who takes nothing of a type has none.
TEST(Totals, OfATypeWithoutABaselineSayJustThat) {
  const Problem narrow = square(16, Type::e4m3);
  const Record record =
      some_record({some_row("blas", square(16), {3}, true), some_row("ours", square(16), {2}),
                   refusal("simt", narrow), refusal("blas", narrow, true), some_row("ours", narrow, {1})});
  const auto all = totals(record);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[2].id, "ours");
  EXPECT_EQ(all[2].type, "e4m3");
  EXPECT_EQ(all[2].problems, 1);
  EXPECT_EQ(all[2].compared, 0);
  const std::vector<Cell> cells = totals_table(record).rows.at(2);
  EXPECT_EQ(cells.at(2), Cell{"0 of 1"});
  for (std::size_t i = 3; i < cells.size(); ++i) EXPECT_EQ(cells[i], Cell{}) << i;
}

TEST(Totals, AreNothingOfOneProblemOrWithoutABaseline) {
  const Row baseline = some_row("blas", square(16), {2}, true), ours = some_row("ours", square(16), {1});
  EXPECT_TRUE(totals(some_record({baseline, ours})).empty());
  EXPECT_TRUE(totals(some_record({ours, some_row("ours", square(32), {1})})).empty());
  EXPECT_TRUE(totals_table(some_record({baseline, ours})).columns.empty());
  // A move is no product, and its problem none of theirs.
  Row move = some_row("probe/copy", square(32), {1});
  move.work = "move";
  EXPECT_TRUE(totals(some_record({baseline, ours, move})).empty());
}

// The bench shows a record by view(), report by pages().
TEST(Totals, EndTheTableOfABenchAndOfAReport) {
  const std::string said =
      "| ours | f32  |        3 |                                1.587 |  2.000 |          0.650 | 0.500 | f32 nn "
      "32x32x32 | 4.000 | f32 nn 64x64x64 |\n";
  const Record record = three_squares();
  EXPECT_TRUE(render(view(record), Format::md).ends_with(said)) << render(view(record), Format::md);
  EXPECT_TRUE(pages({{"x.json", record}}, Format::md).ends_with(said));
  EXPECT_EQ(render(view(record), Format::csv).find("geometric"), std::string::npos);
}

}  // namespace
}  // namespace cairn::lab::record
