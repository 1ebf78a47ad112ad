// Statistics on plain numbers whose answers are known: worked by hand, or from tables of the sign test.
#include "lab/measure/statistics.hpp"

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace cairn::lab::measure {
namespace {

using Numbers = std::vector<double>;

Numbers one_to(int n) {
  Numbers x(static_cast<std::size_t>(n));
  std::iota(x.begin(), x.end(), 1.0);
  return x;
}

TEST(Statistics, MedianOfOddAndEvenCountsInAnyOrder) {
  EXPECT_EQ(median(Numbers{3, 1, 2}), 2);
  EXPECT_EQ(median(Numbers{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median(Numbers{7}), 7);
  EXPECT_TRUE(std::isnan(median(Numbers{})));
}

TEST(Statistics, QuantileInterpolatesBetweenRanks) {
  // numpy.quantile([1, 2, 3, 4], [0, .25, .75, 1]) = [1, 1.75, 3.25, 4]
  const Numbers x = {4, 2, 1, 3};
  EXPECT_EQ(quantile(x, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(x, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(x, 0.75), 3.25);
  EXPECT_EQ(quantile(x, 1), 4);
}

TEST(Statistics, AStatedIntervalIsNeverTooNarrow) {
  const Interval wide = stated({0.9, 1.2, 0.95}, 1, 0.01);
  EXPECT_EQ(wide.low, 0.9);
  EXPECT_EQ(wide.high, 1.2);
  const Interval narrow = stated({1.999, 2.001, 0.95}, 2, 0.01);
  EXPECT_DOUBLE_EQ(narrow.low, 1.98);
  EXPECT_DOUBLE_EQ(narrow.high, 2.02);
  EXPECT_EQ(narrow.coverage, 0.95);
}

TEST(Statistics, DeviationDividesByOneLessThanTheCount) {
  EXPECT_DOUBLE_EQ(deviation(Numbers{2, 4, 4, 4, 5, 5, 7, 9}), std::sqrt(32.0 / 7));
  EXPECT_EQ(deviation(Numbers{5, 5, 5}), 0);
  EXPECT_EQ(deviation(Numbers{5}), 0);
  EXPECT_EQ(deviation(Numbers{}), 0);
}

TEST(Statistics, OutliersLieBeyondThreeWidthsOfTheMiddleHalf) {
  // Quartiles of 1 … 9 are 3 and 7: the fences stand at -9 and 19.
  Numbers x = one_to(9);
  EXPECT_EQ(outliers(x), 0u);
  x[8] = 19;
  EXPECT_EQ(outliers(x), 0u);
  x[8] = 19.1;
  EXPECT_EQ(outliers(x), 1u);
  x[0] = -9.1;
  EXPECT_EQ(outliers(x), 2u);
  EXPECT_EQ(outliers(Numbers{}), 0u);
}

TEST(Statistics, SpreadIsTheMiddleHalfOverTheMedian) {
  EXPECT_DOUBLE_EQ(spread(Numbers{1, 2, 3, 4}), 1.5 / 2.5);
  EXPECT_EQ(spread(Numbers{5, 5, 5}), 0);
}

TEST(Statistics, MedianIntervalHasTheRanksOfTheSignTest) {
  // Tables of the distribution-free interval for the median at 95 %: n = 10 has ranks 2 and 9 (97.85 %), n = 20 has
  // 6 and 15 (95.86 %), n = 30 has 10 and 21 (95.72 %), n = 100 has 40 and 61 (96.48 %).
  const struct {
    int n;
    double low, high, coverage;
  } table[] = {
      {6, 1, 6, 0.96875}, {10, 2, 9, 0.97852}, {20, 6, 15, 0.95861}, {30, 10, 21, 0.95723}, {100, 40, 61, 0.96480}};
  for (const auto& known : table) {
    const Interval found = median_interval(one_to(known.n));
    EXPECT_EQ(found.low, known.low) << known.n;
    EXPECT_EQ(found.high, known.high) << known.n;
    EXPECT_NEAR(found.coverage, known.coverage, 5e-6) << known.n;
  }
}

TEST(Statistics, TooFewSamplesSayHowLittleTheyCover) {
  const Interval five = median_interval(Numbers{5, 1, 2, 3, 4});
  EXPECT_EQ(five.low, 1);
  EXPECT_EQ(five.high, 5);
  EXPECT_NEAR(five.coverage, 1 - 2.0 / 32, 1e-12);
  EXPECT_NEAR(median_interval(Numbers{1}).coverage, 0, 1e-12);
}

TEST(Statistics, ThousandsOfSamplesDoNotUnderflow) {
  const Interval found = median_interval(one_to(5000));
  // The normal approximation puts the ranks at 2500.5 ± 1.96 · √5000 / 2.
  EXPECT_NEAR(found.low, 2431, 1.5);
  EXPECT_NEAR(found.high, 2570, 1.5);
  EXPECT_GE(found.coverage, 0.95);
}

TEST(Statistics, TheIntervalCoversTheTrueMedianAsOftenAsItClaims) {
  std::mt19937_64 bits(1);
  const double truth = std::log(2.0);  // of an exponential distribution: skewed, as times are
  int inside = 0;
  const int trials = 2000;
  for (int t = 0; t < trials; ++t) {
    Numbers x(30);
    for (double& value : x) value = -std::log1p(-static_cast<double>(bits() >> 11) * 0x1p-53);
    const Interval i = median_interval(x);
    inside += i.low <= truth && truth <= i.high ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(inside) / trials, 0.957, 0.02);
}

TEST(Statistics, SpeedupPairsByRoundSoDriftCancels) {
  // Both slow down tenfold along the way; in every round the second takes half the time.
  const Numbers before = {2, 4, 8, 20, 2, 4, 8, 20}, after = {1, 2, 4, 10, 1, 2, 4, 10};
  const Ratio ratio = speedup(before, after);
  EXPECT_EQ(ratio.median, 2);
  EXPECT_EQ(ratio.interval.low, 2);
  EXPECT_EQ(ratio.interval.high, 2);
}

TEST(Statistics, SpeedupLeavesOutRoundsOnlyOneHas) {
  EXPECT_EQ(speedup(Numbers{3, 3, 3, 100, 100}, Numbers{1, 1, 1}).median, 3);
}

TEST(StopRule, SettledWantsBothSamplesAndPrecision) {
  const StopRule rule;
  EXPECT_FALSE(settled(rule, Numbers(29, 1.0)));
  EXPECT_TRUE(settled(rule, Numbers(30, 1.0)));
  EXPECT_FALSE(settled(rule, one_to(30)));
  // The interval is from rank 10 to rank 21: 1.2 % wide is too much, half of 0.8 % is not.
  Numbers wide(30, 1.0);
  for (std::size_t i = 15; i < 30; ++i) wide[i] = 1.012;
  EXPECT_FALSE(settled(rule, wide));
  for (std::size_t i = 15; i < 30; ++i) wide[i] = 1.008;
  EXPECT_TRUE(settled(rule, wide));
}

TEST(StopRule, TimeEndsItButNotBeforeAFewSamples) {
  const StopRule rule;
  EXPECT_FALSE(out_of_time(rule, 2, 100));
  EXPECT_TRUE(out_of_time(rule, 3, 100));
  EXPECT_FALSE(out_of_time(rule, 500, 4.9));
  EXPECT_TRUE(out_of_time(rule, rule.at_most, 0));
}

}  // namespace
}  // namespace cairn::lab::measure
