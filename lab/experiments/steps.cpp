#include "lab/experiments/steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace cairn::lab {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr double kClear = 0.0953;  // the logarithm of a tenth more

struct Range {
  double low = HUGE_VAL, high = -HUGE_VAL;
  bool known = true;
};

// The range of a fact's change over the steps, as logarithms.
Range changes(const Steps& steps, std::string_view fact) {
  Range range;
  for (const Step& step : steps) {
    const double change = step.change(fact);
    if (!(change > 0)) range.known = false;
    range.low = std::min(range.low, std::log(change));
    range.high = std::max(range.high, std::log(change));
  }
  return range;
}

}  // namespace

measure::Ratio Step::speedup() const { return measure::speedup(before.samples, after.samples); }

double Step::change(std::string_view fact) const {
  const auto from = facts_before.find(std::string(fact)), to = facts_after.find(std::string(fact));
  if (from == facts_before.end() || to == facts_after.end()) return kNothing;
  if (from->second == 0) return to->second == 0 ? 1 : kNothing;
  return to->second / from->second;
}

std::string told(const Step& step) {
  const char* unsure = step.verdict() == Verdict::undecided ? ", which is not told apart" : "";
  return fmt::format("{} to {}: {:.2f} times as fast{}", step.before.name, step.after.name, step.speedup().median,
                     unsure);
}

std::string times(double low, double high) {
  const std::string from = fmt::format("{:.2f}", low), to = fmt::format("{:.2f}", high);
  return from == to ? from : from + " to " + to;
}

std::string speedups(const Steps& steps) {
  if (steps.empty()) return "";
  double low = HUGE_VAL, high = 0;
  for (const Step& step : steps) {
    low = std::min(low, step.speedup().median);
    high = std::max(high, step.speedup().median);
  }
  return times(low, high);
}

bool all_are(const Steps& steps, Verdict verdict) {
  return !steps.empty() && std::ranges::all_of(steps, [&](const Step& s) { return s.verdict() == verdict; });
}

bool none_is(const Steps& steps, Verdict verdict) {
  return std::ranges::none_of(steps, [&](const Step& s) { return s.verdict() == verdict; });
}

Mark mark_of(const Steps& with, const Steps& without, const std::vector<Named>& facts) {
  Mark best;
  double most = kClear;
  if (with.empty() || without.empty()) return best;
  for (const Named& fact : facts) {
    const Range there = changes(with, fact.fact), here = changes(without, fact.fact);
    if (!there.known || !here.known) continue;
    // Upwards: the least it rises there over the most it rises here; downwards likewise.
    const double up = there.low > 0 ? there.low - std::max(0.0, here.high) : -1;
    const double down = there.high < 0 ? -there.high + std::min(0.0, here.low) : -1;
    if (std::max(up, down) <= most) continue;
    most = std::max(up, down);
    best = {fact.words, std::exp(there.low), std::exp(there.high), std::exp(here.low), std::exp(here.high)};
  }
  return best;
}

}  // namespace cairn::lab
