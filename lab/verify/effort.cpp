#include "lab/verify/effort.hpp"

#include <algorithm>
#include <limits>

#include "lab/verify/checksum.hpp"

namespace cairn::lab::verify {
namespace {

// Multiply-adds a second on two cores, by the slower rungs and by cpu/reference.
double rate(const Place& place) {
  if (place.traced) return 2e7;
  return place.kind == runtime::Kind::emu ? 1.5e8 : 4e8;
}

// Measured over all rungs under the detectors: 0.05 s for a case whose sizes are drawn.
double seconds_of_checked_case(const Space& space) {
  constexpr double kDrawn = 0.05;
  return space.fixed_shape ? seconds_of_case(space, {runtime::Kind::emu, true}) : kDrawn;
}

}  // namespace

double most_multiply_adds(const Place& place) {
  constexpr double kHalfAMinute = 30;
  return place.kind == runtime::Kind::gpu ? std::numeric_limits<double>::infinity() : kHalfAMinute * rate(place);
}

double largest(const Space& space) {
  double most = 0;
  if (space.fixed_shape)
    for (const Problem& p : space.like) most = std::max(most, multiply_adds(p));
  return most;
}

double seconds_of_case(const Space& space, const Place& place) {
  constexpr double kSmall = 0.005;
  return kSmall + (place.kind == runtime::Kind::gpu ? 0 : largest(space) / rate(place));
}

std::int64_t enough_cases(const Space& space) {
  constexpr double kHalfAMinute = 8e9;  // products, by the oracle on two cores
  return static_cast<std::int64_t>(std::clamp(kHalfAMinute / std::max(1.0, largest(space)), 4.0, 1000.0));
}

std::int64_t enough_checked_cases(const Space& space, std::size_t contenders) {
  constexpr double kMinute = 60;
  return static_cast<std::int64_t>(std::clamp(kMinute / seconds_to_check(space, contenders, 1), 4.0, 1000.0));
}

double seconds_to_check(const Space& space, std::size_t contenders, std::int64_t cases) {
  return seconds_of_checked_case(space) * static_cast<double>(contenders) * static_cast<double>(cases);
}

}  // namespace cairn::lab::verify
