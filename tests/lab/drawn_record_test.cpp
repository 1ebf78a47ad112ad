// Records of drawn suites: what they keep, what they say, and what their ratios come to.
#include <string>

#include <gtest/gtest.h>

#include "lab/exit.hpp"
#include "lab/record/compare.hpp"
#include "lab/record/drawn.hpp"
#include "lab/record/totals.hpp"
#include "lab/record/view.hpp"
#include "tests/lab/some_record.hpp"

namespace cairn::lab::record {
namespace {

Problem sized(std::int64_t n) { return Problem::packed(Type::bf16, Op::none, Op::transpose, n, n, n); }

Row refusal(const char* id, const Problem& problem) {
  Row row = some_row(id, problem, {}, true);
  row.verified.clear(), row.refused = "no";
  return row;
}

std::string ids(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) text += row.id + " ";
  return text;
}

// Shape i of `count` is i / 10 times as fast as the strongest of two baselines; all rows as the bench would keep them.
Record drawn(std::int64_t count) {
  std::vector<Row> rows;
  for (std::int64_t i = 1; i <= count; ++i) {
    const bool first = i % 2 == 0;
    for (Row& row : with_strongest_baseline({some_row("blas", sized(8 * i), {first ? 1.0 : 2.0}, true),
                                             some_row("lt", sized(8 * i), {first ? 2.0 : 1.0}, true),
                                             some_row("cairn", sized(8 * i), {10.0 / static_cast<double>(i)})}))
      rows.push_back(std::move(row));
  }
  Record record = some_record(std::move(rows));
  record.seed = 7, record.drawn = {"thin", count};
  return record;
}

TEST(DrawnRecord, KeepsTwoRowsForEachShape) {
  const Record record = drawn(6);
  ASSERT_EQ(record.rows.size(), 12u);
  EXPECT_EQ(ids({record.rows[0], record.rows[1], record.rows[2], record.rows[3]}), "lt cairn blas cairn ");
}

TEST(DrawnRecord, KeepsWhatWasNamedWhatFailedAndWhyThereIsNoBaseline) {
  Row wrong = some_row("lt", sized(8), {1}, true);
  wrong.verified = "C[0] is 7; it must be 8";
  const Row blas = some_row("blas", sized(8), {3}, true), ours = some_row("cairn", sized(8), {2});
  EXPECT_EQ(ids(with_strongest_baseline({blas, wrong, ours, some_row("hopper/59@1", sized(8), {1})})),
            "blas lt cairn hopper/59@1 ");
  EXPECT_EQ(ids(with_strongest_baseline({refusal("lt", sized(8)), blas, ours})), "blas cairn ");
  EXPECT_EQ(ids(with_strongest_baseline({refusal("blas", sized(8)), refusal("lt", sized(8)), ours})), "blas cairn ");
}

TEST(DrawnRecord, IsReadAsItWasWritten) {
  const Record back = from_json(to_json(without_samples(drawn(6))), "x.json");
  ASSERT_TRUE(back.drawn.has_value());
  EXPECT_EQ(*back.drawn, (Drawn{"thin", 6}));
  EXPECT_EQ(drawn_text(back), "drawn:thin, seed 7, 6 shapes");
  EXPECT_EQ(drawn_text(some_record()), "");
  EXPECT_EQ(to_json(some_record()).find("\"drawn\""), std::string::npos);
  std::string text = to_json(drawn(6));
  text.replace(text.find("\"thin\""), 6, "\"slim\"");
  try {
    (void)from_json(text, "x.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("drawn.class"), std::string::npos) << error.what();
  }
}

// Two rows of 200 shapes, with the long texts of a GPU's: what algorithm and tile ran, and sensors.
TEST(DrawnRecord, Of200ShapesStaysFarBelowTheLimit) {
  Record record = drawn(200);
  double clock = 1900;
  for (Row& row : record.rows) {
    row.details = row.baseline
                      ? "algorithm 66, tile 128x256, stages 64x3, split-k 1, swizzle 0, cluster 2x1x1, custom 15, "
                        "number 3 of 8 heuristics, 8 timed"
                      : "hopper/59_summit, tile 4: 128x128 pingpong, 6 stages, cluster 2, split 3";
    row.vitals = {clock += 0.5, 1200.25, 1980, 650.5, 700, 71, {"power cap"}};
  }
  EXPECT_LT(to_json(without_samples(record)).size(), 200'000u);
}

// Ratios 0.1, 0.2 … 2.1: rank 2 of 21 is the 5th percentile, rank 11 the median.
TEST(DrawnRecord, SaysMedianFifthPercentileAndTheWorstFive) {
  const auto all = totals(drawn(21));
  ASSERT_EQ(all.size(), 1u) << "a baseline that is kept where it is the strongest has no mean of its own";
  EXPECT_EQ(all[0].id, "cairn");
  EXPECT_EQ(all[0].compared, 21);
  EXPECT_NEAR(all[0].median, 1.1, 1e-12);
  EXPECT_NEAR(all[0].fifth_percentile, 0.2, 1e-12);
  ASSERT_EQ(all[0].worst_five.size(), 5u);
  for (int i = 0; i < 5; ++i) {
    const auto& [ratio, problem] = all[0].worst_five[static_cast<std::size_t>(i)];
    EXPECT_NEAR(ratio, 0.1 * (i + 1), 1e-12);
    EXPECT_EQ(problem, sized(8 * (i + 1)).brief());
  }
  // From the summaries alone the same.
  const auto small = totals(from_json(to_json(without_samples(drawn(21))), "x.json"));
  ASSERT_EQ(small.size(), 1u);
  EXPECT_NEAR(small[0].median, 1.1, 1e-5);
  EXPECT_NEAR(small[0].fifth_percentile, 0.2, 1e-5);

  const std::string page = render(view(drawn(21)), Format::table);
  for (const char* said : {"drawn:thin, seed 7, 21 shapes\n", "median  5th percentile", "1.100           0.200",
                           "the five worst problems", "cairn  bf16 nt 8x8x8                            0.100\n",
                           "cairn  bf16 nt 40x40x40                         0.500\n"})
    EXPECT_NE(page.find(said), std::string::npos) << said << "\n" << page;
  EXPECT_EQ(render(view(drawn(21)), Format::csv).find("five"), std::string::npos);
}

// Of several contenders the library's are shown; five problems or fewer are all in the record's own table.
TEST(DrawnRecord, TheWorstFiveAreOfTheLibrary) {
  EXPECT_TRUE(worst_table(drawn(5)).columns.empty());
  Record record = drawn(6);
  for (std::int64_t i = 1; i <= 6; ++i) record.rows.push_back(some_row("hopper/59@1", sized(8 * i), {1}));
  const Table table = worst_table(record);
  ASSERT_EQ(table.rows.size(), 5u);
  for (const auto& row : table.rows) EXPECT_EQ(row.at(0), Cell{"cairn"});
}

// A baseline that was named is kept everywhere, and where it is not the strongest its mean says something.
TEST(DrawnRecord, BaselinesThatWereNamedHaveTotals) {
  Record record = some_record({some_row("blas", sized(8), {1}, true), some_row("lt", sized(8), {2}, true),
                               some_row("cairn", sized(8), {1}), some_row("blas", sized(16), {1}, true),
                               some_row("lt", sized(16), {2}, true), some_row("cairn", sized(16), {1})});
  record.drawn = {"thin", 2};
  const auto all = totals(record);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].id, "lt");
  EXPECT_NEAR(all[0].mean, 0.5, 1e-12);
}

TEST(DrawnRecord, AnotherSuiteIsADifference) {
  Record other = drawn(6);
  other.drawn->of_class = "wide";
  const auto differences = compare(drawn(6), other, 0).differences;
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0], "different suites: drawn:thin, seed 7, 6 shapes | drawn:wide, seed 7, 6 shapes");
}

// The batch and the leading dimensions are part of the problem: rows that differ in them neither compete nor pair.
TEST(DrawnRecord, RowsOfAnotherBatchOrLeadingDimensionDoNotMix) {
  const Problem one = sized(64),
                many = Problem::packed(Type::bf16, Op::none, Op::transpose, 64, 64, 64, Order::row, 16);
  Problem padded = one;
  padded.lda += 8;
  const auto record = [&](const Problem& a, const Problem& b) {
    return some_record({some_row("blas", a, {1}, true), some_row("cairn", a, {1}), some_row("blas", b, {8}, true),
                        some_row("cairn", b, {4})});
  };
  for (const Problem& other : {many, padded}) {
    const Record both = record(one, other);
    const auto lines = summarize(both);
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_DOUBLE_EQ(lines[1].ratio->median, 1);
    EXPECT_DOUBLE_EQ(lines[3].ratio->median, 2);
    const Comparison pairs = compare(both, from_json(to_json(record(other, one)), "x.json"), 0);
    EXPECT_EQ(pairs.pairs.size(), 4u);
    EXPECT_EQ(pairs.agreeing(), 0);  // each is paired with the same problem, whose times are the other's there
  }
  const Record both = record(one, many);
  const auto lines = summarize(both);
  const double product = 2.0 * 64 * 64 * 64, bytes = 3.0 * 64 * 64 * 2;
  EXPECT_DOUBLE_EQ(*lines[1].tflops, product / 1e9);
  EXPECT_DOUBLE_EQ(*lines[3].tflops, 16 * product / 4e9);
  EXPECT_DOUBLE_EQ(*lines[3].gbytes, 16 * bytes / 4e6);
  EXPECT_NE(render(view(both), Format::table).find("bf16 nt 64x64x64 batch=16"), std::string::npos);
}

}  // namespace
}  // namespace cairn::lab::record
