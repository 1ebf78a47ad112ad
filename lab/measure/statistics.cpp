#include "lab/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace cairn::lab::measure {
namespace {

std::vector<double> sorted(std::span<const double> samples) {
  std::vector<double> copy(samples.begin(), samples.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double quantile_of_sorted(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// P(exactly k of n fair coins show heads), by logarithms: 2^-n alone would underflow from n = 1075.
double coin(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t i) { return std::lgamma(static_cast<double>(i) + 1); };
  return std::exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k) -
                  static_cast<double>(n) * std::numbers::ln2);
}

}  // namespace

double quantile(std::span<const double> samples, double q) { return quantile_of_sorted(sorted(samples), q); }

double median(std::span<const double> samples) { return quantile(samples, 0.5); }

double spread(std::span<const double> samples) {
  const auto s = sorted(samples);
  return (quantile_of_sorted(s, 0.75) - quantile_of_sorted(s, 0.25)) / quantile_of_sorted(s, 0.5);
}

double deviation(std::span<const double> samples) {
  if (samples.size() < 2) return 0;
  double mean = 0, squares = 0;
  for (const double x : samples) mean += x / static_cast<double>(samples.size());
  for (const double x : samples) squares += (x - mean) * (x - mean);
  return std::sqrt(squares / static_cast<double>(samples.size() - 1));
}

std::size_t outliers(std::span<const double> samples) {
  const auto s = sorted(samples);
  const double low = quantile_of_sorted(s, 0.25), high = quantile_of_sorted(s, 0.75), fence = 3 * (high - low);
  return static_cast<std::size_t>(
      std::count_if(s.begin(), s.end(), [&](double x) { return x < low - fence || x > high + fence; }));
}

Interval median_interval(std::span<const double> samples, double confidence) {
  const auto s = sorted(samples);
  const std::size_t n = s.size();
  if (n == 0) return {};
  // The interval between the d-th smallest and the d-th largest misses the median with probability
  // 2 P(fewer than d heads). Widen d while that stays small enough; d = 1 is all there is.
  std::size_t d = 1;
  double tail = coin(n, 0);
  while (2 * (d + 1) <= n && 1 - 2 * (tail + coin(n, d)) >= confidence) tail += coin(n, d++);
  return {s[d - 1], s[n - d], std::max(0.0, 1 - 2 * tail)};
}

Interval stated(const Interval& interval, double median, double least) {
  return {std::min(interval.low, median * (1 - least)), std::max(interval.high, median * (1 + least)),
          interval.coverage};
}

double relative_error(std::span<const double> samples) {
  const Interval interval = median_interval(samples);
  return (interval.high - interval.low) / 2 / median(samples);
}

Ratio speedup(std::span<const double> before, std::span<const double> after) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) ratios.push_back(before[i] / after[i]);
  return {median(ratios), median_interval(ratios)};
}

bool settled(const StopRule& rule, std::span<const double> samples) {
  return samples.size() >= rule.at_least && relative_error(samples) < rule.relative_error;
}

bool out_of_time(const StopRule& rule, std::size_t samples, double seconds_spent) {
  return samples >= rule.at_most || (samples >= rule.even_if_slow && seconds_spent >= rule.seconds);
}

}  // namespace cairn::lab::measure
