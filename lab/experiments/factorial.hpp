// A full factorial design: every combination of some factors with two levels each, timed. It gives the main effect of
// each factor, the interactions of two, and the fact about the kernels that correlates with the time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/experiments/steps.hpp"
#include "lab/table.hpp"

namespace cairn::lab {

struct Factor {
  std::string name;       // "loop"
  std::string low, high;  // what its levels are, in words
};

// Run i has factor f at its high level where bit f of i is set.
struct Factorial {
  std::vector<Factor> factors;
  std::vector<double> times;           // 2^factors of them, any unit
  std::vector<profile::Values> facts;  // as many, or none
  std::vector<bool> known;  // as many, or none: false where a run has no time; then there are no conclusions
};

// The effect of one factor on the time, or the interaction of several.
struct Effect {
  std::vector<std::size_t> factors;
  // Of one factor: the geometric mean of the time at its high level over that at the low one. Of two: that ratio
  // where the other factor is high, over its average, and so on.
  double ratio = 1;
};

// Every effect of one factor in order, then those of two, the largest first.
std::vector<Effect> effects(const Factorial& design);

// The correlation, over runs, of the logarithm of the time with a fact, both relative to the mean of the runs with
// the same levels of `apart`. NaN where the fact is not known or does not vary.
double goes_with(const Factorial& design, std::string_view fact, const std::vector<std::size_t>& apart);

// "factor, from, to, time": the main effects and the `pairs` largest of two.
Table effect_table(const Factorial& design, std::size_t pairs);

// Sentences: the largest of each kind, the fastest and slowest run, and the facts that go with the time.
std::vector<std::string> conclude(const Factorial& design, const std::vector<Named>& facts,
                                  const std::vector<std::size_t>& apart);

}  // namespace cairn::lab
