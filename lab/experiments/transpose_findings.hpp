// Two builds of the same kernels, at two levels of the assembler's optimizer: what times and counters say about them.
#pragma once

#include <string>
#include <vector>

#include "lab/experiments/comparing.hpp"
#include "lab/profile/counters.hpp"

namespace cairn::lab {

// One kernel by both builds.
struct Levelled {
  std::string name;            // "transpose/1"
  Timed cold[2], hot[2];       // at -O0 and at -O3, microseconds; no samples where it was not timed
  profile::Values counted[2];  // empty where there was no profiler
};

// Sentences: whether the order of the first two changes with the level, for cold and for hot caches, and which
// counters change with it and which do not.
std::vector<std::string> compare_levels(const std::vector<Levelled>& all);

}  // namespace cairn::lab
