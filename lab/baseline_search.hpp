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

struct Fastest {
  std::size_t index = 0;  // of the winner
  std::size_t timed = 0;  // candidates
};

// Candidates come in the order in which one would try them. One that fails to run is out. Throws Error if all fail.
Fastest fastest(const measure::Ring& ring, const std::vector<measure::Run>& candidates, const Effort& effort);

}  // namespace cairn::lab
