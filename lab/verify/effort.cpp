#include "lab/verify/effort.hpp"

#include <algorithm>

#include "lab/verify/checksum.hpp"

namespace cairn::lab::verify {
namespace {

// The most products that a case of a given shape has; 0 where sizes are drawn.
double largest(const Space& space) {
  double most = 0;
  if (space.fixed_shape)
    for (const Problem& p : space.like) most = std::max(most, multiply_adds(p));
  return most;
}

// Measured over all rungs: 0.05 s for a case whose sizes are drawn, and 2e7 products a second in the simt rungs.
double seconds_of_case(const Space& space) {
  constexpr double kDrawn = 0.05, kSmall = 0.005, kRate = 2e7;
  return space.fixed_shape ? kSmall + largest(space) / kRate : kDrawn;
}

}  // namespace

std::int64_t enough_cases(const Space& space) {
  constexpr double kHalfAMinute = 8e9;  // products, by the oracle on two cores
  return static_cast<std::int64_t>(std::clamp(kHalfAMinute / std::max(1.0, largest(space)), 4.0, 1000.0));
}

std::int64_t enough_checked_cases(const Space& space, std::size_t contenders) {
  constexpr double kMinute = 60;
  return static_cast<std::int64_t>(std::clamp(kMinute / seconds_to_check(space, contenders, 1), 4.0, 1000.0));
}

double seconds_to_check(const Space& space, std::size_t contenders, std::int64_t cases) {
  return seconds_of_case(space) * static_cast<double>(contenders) * static_cast<double>(cases);
}

}  // namespace cairn::lab::verify
