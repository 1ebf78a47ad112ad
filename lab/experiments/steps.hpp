// Steps from one kernel to another that differ in something known: what the step did to the time, and which fact
// about the kernels goes with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/experiments/comparing.hpp"
#include "lab/measure/statistics.hpp"
#include "lab/profile/counters.hpp"

namespace cairn::lab {

struct Step {
  Timed before, after;
  profile::Values facts_before = {}, facts_after = {};

  measure::Ratio speedup() const;  // above 1 where the step made it faster
  Verdict verdict() const { return compare(after, before); }
  // A fact's value after over that before; 1 where both are 0, NaN where either is unknown or only the first is 0.
  double change(std::string_view fact) const;
};

using Steps = std::vector<Step>;

// "simt/04 → simt/05: 0.83 times as fast"
std::string told(const Step& step);

// "0.83", or "0.83 to 0.95" where the steps differ; "" of no steps.
std::string speedups(const Steps& steps);

// Every step slower, every step faster, or neither.
bool all_are(const Steps& steps, Verdict verdict);
bool none_is(const Steps& steps, Verdict verdict);

// A fact that may be named as a cause, and what to call it.
struct Named {
  std::string_view fact, words;
};

// Of these facts the one that moves most, and in one direction, in every one of `with`, and least in that direction
// in `without`. It must move by a tenth more there than here; empty where none does.
struct Mark {
  std::string_view words;
  double with_low = 0, with_high = 0, without_low = 0, without_high = 0;
};
Mark mark_of(const Steps& with, const Steps& without, const std::vector<Named>& facts);

// "0.25 to 0.26 times" of a range of ratios.
std::string times(double low, double high);

}  // namespace cairn::lab
