// Statistics of timings: pure functions on plain numbers. Times have long right tails and no agreed
// distribution, so everything here is built on ranks: medians, quantiles, and intervals that assume nothing.
#pragma once

#include <cstddef>
#include <span>

namespace cairn::lab::measure {

// Of no samples: NaN.
double median(std::span<const double> samples);

// Linear interpolation between the two nearest ranks (type 7 of Hyndman and Fan, numpy's default); 0 <= q <= 1.
double quantile(std::span<const double> samples, double q);

// The interquartile range over the median.
double spread(std::span<const double> samples);

// The sample standard deviation (divided by n - 1), for tables that show one; of fewer than two samples 0. One
// interrupted run can multiply it, which is why the project uses the spread above.
double deviation(std::span<const double> samples);

// The number of samples more than three interquartile ranges below the first or above the third quartile (Tukey's
// outer fences). They are counted and kept: medians are robust against them, and a run that has many was disturbed.
std::size_t outliers(std::span<const double> samples);

struct Interval {
  double low = 0;
  double high = 0;
  double coverage = 0;  // the probability, at least, that the true median lies inside
};

// A confidence interval of the median between two order statistics: the number of samples below the true
// median is binomial, whatever the distribution. The narrowest symmetric pair of ranks that reaches
// `confidence`; too few samples to reach it (under 6 for 95 %) give minimum and maximum, and `coverage` says so.
Interval median_interval(std::span<const double> samples, double confidence = 0.95);

// The interval to state for a median: no narrower than `least` of it to either side. Samples taken within seconds
// have the noise of those seconds; a run on another day has other clocks and other addresses.
Interval stated(const Interval& interval, double median, double least);

// Half the width of that interval over the median.
double relative_error(std::span<const double> samples);

// The median, over rounds, of before[i] / after[i], with its interval: how many times as fast `after` is.
// Pairing by round cancels what changes for both, such as the clock.
// Rounds that only one of them has are left out.
struct Ratio {
  double median = 0;
  Interval interval;
};
Ratio speedup(std::span<const double> before, std::span<const double> after);

// When to stop timing one contender.
struct StopRule {
  std::size_t at_least = 30;      // samples, and
  double relative_error = 0.005;  // of the median; that is settled
  double seconds = 5;             // or so much time has gone into it,
  std::size_t even_if_slow = 3;   // but never with fewer samples than this
  std::size_t at_most = 10'000;   // samples
};
bool settled(const StopRule& rule, std::span<const double> samples);
bool out_of_time(const StopRule& rule, std::size_t samples, double seconds_spent);

}  // namespace cairn::lab::measure
