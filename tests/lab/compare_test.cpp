// Two records beside each other, on planted numbers.
#include "lab/record/compare.hpp"

#include <gtest/gtest.h>

#include "tests/lab/some_record.hpp"

namespace cairn::lab::record {
namespace {

using Samples = std::vector<double>;

// Ours and a baseline on one problem.
Record pair_of(const Samples& ours, const Samples& baseline) {
  return some_record({some_row("ours", small_product(), ours), some_row("blas", small_product(), baseline, true)});
}

TEST(Compare, ARecordAgreesWithItself) {
  const Record record = pair_of({1, 1.1, 1.2}, {2, 2.1, 2.3});
  const Comparison comparison = compare(record, record);
  ASSERT_EQ(comparison.pairs.size(), 2u);
  EXPECT_EQ(comparison.agreeing(), 2);
  EXPECT_EQ(comparison.percent(), 100);
  EXPECT_EQ(comparison.pairs[0].change(), 0);
  EXPECT_TRUE(comparison.differences.empty());
  EXPECT_TRUE(comparison.only.empty());
}

// The whole machine is a third slower: the medians are apart, and nothing was learnt about us. The baseline itself
// has nothing but its median.
TEST(Compare, RatiosAreComparedWhereThereIsABaseline) {
  const Record fast = pair_of({1, 1, 1}, {2, 2.1, 2}), slow = pair_of({1.5, 1.5, 1.5}, {3, 3, 3.1});
  const Comparison comparison = compare(fast, slow);
  ASSERT_EQ(comparison.pairs.size(), 2u);
  EXPECT_TRUE(comparison.pairs[0].by_ratio);
  EXPECT_TRUE(comparison.pairs[0].agree);
  EXPECT_DOUBLE_EQ(comparison.pairs[0].change(), 0.5);
  EXPECT_DOUBLE_EQ(comparison.pairs[0].interval_before.high, 2.1);
  EXPECT_FALSE(comparison.pairs[1].by_ratio);
  EXPECT_FALSE(comparison.pairs[1].agree);
  EXPECT_DOUBLE_EQ(comparison.pairs[1].interval_after.high, 3.1);
  EXPECT_EQ(comparison.percent(), 50);
}

TEST(Compare, AChangeOfOursIsSeen) {
  const Comparison comparison = compare(pair_of({1, 1, 1}, {2, 2, 2}), pair_of({1.1, 1.1, 1.1}, {2, 2, 2}));
  EXPECT_FALSE(comparison.pairs.at(0).agree);
  EXPECT_TRUE(comparison.pairs.at(1).agree);
}

// 2 and 2/1.1, each with 0.5 % to either side: 1.990 is 8.2 % above 1.827.
TEST(Compare, WithinWidens) {
  const Record before = pair_of({1, 1, 1}, {2, 2, 2}), after = pair_of({1.1, 1.1, 1.1}, {2, 2, 2});
  EXPECT_FALSE(compare(before, after, 8.1).pairs.at(0).agree);
  EXPECT_TRUE(compare(before, after, 8.3).pairs.at(0).agree);
  EXPECT_FALSE(compare(after, before, 8.8).pairs.at(0).agree);
  EXPECT_TRUE(compare(after, before, 9.0).pairs.at(0).agree);
}

TEST(Compare, RatiosToDifferentBaselinesAreNotCompared) {
  Record other = pair_of({1, 1, 1}, {4, 4, 4});
  other.rows[1].id = "mkl";
  const Comparison comparison = compare(pair_of({1, 1, 1}, {2, 2, 2}), other);
  ASSERT_EQ(comparison.pairs.size(), 1u);
  EXPECT_FALSE(comparison.pairs[0].by_ratio);
  EXPECT_TRUE(comparison.pairs[0].agree);
  EXPECT_EQ(comparison.only, (std::vector<std::string>{"only in the old record: blas, f32 nn 1000x1000x1000",
                                                       "only in the new record: mkl, f32 nn 1000x1000x1000"}));
}

TEST(Compare, RowsMeetByIdWorkAndProblem) {
  const Problem other = Problem::packed(Type::f32, Op::none, Op::transpose, 8, 8, 8);
  Row move = some_row("a", small_product(), {5});
  move.work = "move";
  Row refused = some_row("c", small_product(), {});
  refused.refused = "too small";
  const Record before = some_record({some_row("a", small_product(), {1}), some_row("a", other, {2}), move});
  const Record after = some_record({move, some_row("a", other, {2}), some_row("c", other, {1}), refused});
  const Comparison comparison = compare(before, after);
  ASSERT_EQ(comparison.pairs.size(), 2u);
  EXPECT_EQ(comparison.pairs[0].before.median_ms, 2);
  EXPECT_EQ(comparison.pairs[1].after.median_ms, 5);
  EXPECT_EQ(comparison.only, (std::vector<std::string>{"only in the old record: a, f32 nn 1000x1000x1000",
                                                       "only in the new record: c, f32 nt 8x8x8"}));
}

TEST(Compare, WhyARowHasNoTimesIsSaid) {
  Record after = pair_of({1}, {2});
  after.rows[0].samples_ms.clear();
  after.rows[0].verified = "C[0] is wrong";
  Record refusing = after;
  refusing.rows[0].refused = "only f64";
  const Record before = pair_of({1}, {2});
  EXPECT_EQ(compare(before, after).only.at(0),
            "only in the old record: ours, f32 nn 1000x1000x1000: failed: C[0] is wrong");
  EXPECT_EQ(compare(before, refusing).only.at(0),
            "only in the old record: ours, f32 nn 1000x1000x1000: refused: only f64");
}

TEST(Compare, OtherCircumstancesAreSaid) {
  const Record before = some_record();
  Record after = before;
  after.machine.name = "NVIDIA L4";
  after.method.cache = "hot";
  after.build.commit = "unknown";
  const auto said = compare(before, after).differences;
  ASSERT_EQ(said.size(), 3u);
  EXPECT_EQ(said[0], "different devices: NVIDIA H200 | NVIDIA L4");
  EXPECT_TRUE(said[1].starts_with("different methods: cold caches")) << said[1];
  EXPECT_TRUE(said[2].ends_with("| unknown")) << said[2];
}

TEST(Compare, SustainedAgainstShortSamplesIsSaid) {
  const Record before = some_record();
  Record after = before;
  after.method.sustained = true;
  EXPECT_EQ(
      compare(before, after).differences,
      (std::vector<std::string>{
          "different methods: cold caches, 5 s, 30 samples or more, 0.5 % precision, seed 18446744073709551615 | "
          "cold caches, sustained load, 5 s, 30 samples or more, 0.5 % precision, seed 18446744073709551615"}));
  EXPECT_TRUE(compare(after, after).differences.empty());
}

TEST(Compare, NothingInCommonIsNoAgreement) {
  const Comparison comparison = compare(some_record({}), some_record());
  EXPECT_TRUE(comparison.pairs.empty());
  EXPECT_EQ(comparison.percent(), 0);
}

}  // namespace
}  // namespace cairn::lab::record
