// The healthy ratio of each contender: its worst ratio of error to bound over many cases, by type and size of k.
//
// A bound that holds for every correct kernel is loose for an accurate one: a kernel may become ten times less
// accurate (an accumulator that lost bits, a sum in the wrong order) and still pass. So a contender also fails where
// its ratio exceeds ten times its healthy ratio.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "cairn/types.hpp"

namespace cairn::lab::verify {

// k = 0 and 1, 2–3, 4–7, … 256–511, and all above: one bucket each.
inline constexpr int kBuckets = 10;
constexpr int bucket(std::int64_t k) {
  const int log2 = k < 2 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(k))) - 1;
  return log2 < kBuckets ? log2 : kBuckets - 1;
}

// What ratios are kept by.
struct RatioKind {
  Type in, out;
  Compute compute = Compute::native;
  bool operator==(const RatioKind&) const = default;
  bool operator<(const RatioKind& other) const {
    return std::tie(in, out, compute) < std::tie(other.in, other.out, other.compute);
  }
};
using Ratios = std::array<double, kBuckets>;

inline constexpr double kWorseThanHealthy = 10;

// The healthy ratio of a contender for k; 0 if there is none, and then only the bounds count.
double healthy_ratio(std::string_view contender, const Problem& problem);

}  // namespace cairn::lab::verify
