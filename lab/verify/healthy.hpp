// How good each contender is when it is well.
//
// A bound that holds for every right kernel is loose for a good one: a kernel may get ten times worse (an
// accumulator that lost bits, a sum in the wrong order) and still pass. So each contender's own worst ratio of error
// to bound, seen over many cases, is kept here by type and by size of k, and ten times worse than itself fails.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "cairn/types.hpp"

namespace cairn::lab::verify {

// k = 0 and 1, 2–3, 4–7, … 256–511, and all above: one bucket each.
inline constexpr int kBuckets = 10;
constexpr int bucket(std::int64_t k) {
  const int log2 = k < 2 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(k))) - 1;
  return log2 < kBuckets ? log2 : kBuckets - 1;
}

using Ratios = std::array<double, kBuckets>;

inline constexpr double kWorseThanHealthy = 10;

// The healthy ratio of a contender for k; 0 where none is kept, and nothing can be said.
double healthy_ratio(std::string_view contender, const Problem& problem);

}  // namespace cairn::lab::verify
