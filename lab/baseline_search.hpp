// Finds the fastest of several ways to run one problem, timed as `cairn bench` times: first all of them briefly, then
// those close to the best for longer, interleaved.
#pragma once

#include <cstddef>
#include <vector>

#include "lab/measure/stopwatch.hpp"

namespace cairn::lab {

struct Effort {
  measure::Cache cache = measure::Cache::cold;
  double first_seconds = 1;     // after which no further candidate is looked at,
  std::size_t at_least = 8;     // beyond so many
  double near = 1.1;            // times the best: close enough for the second look,
  std::size_t finalists = 8;    // for so many at most
  std::size_t samples = 20;     // of each of these,
  double second_seconds = 0.5;  // unless so much time has gone
};

// For hundreds of problems: most searches end within 0.4 s, where a full one may take 1.6 s. The candidates come in the
// order of the vendor's own estimate, so that the fastest is seldom beyond those that are looked at.
inline Effort brief_effort() { return {.first_seconds = 0.25, .finalists = 4, .samples = 10, .second_seconds = 0.1}; }

struct Fastest {
  std::size_t index = 0;  // of the winner
  std::size_t timed = 0;  // candidates
};

// Candidates come in the order in which one would try them. One that fails to run is out. Throws Error if all fail.
Fastest fastest(const measure::Ring& ring, const std::vector<measure::Run>& candidates, const Effort& effort);

}  // namespace cairn::lab
