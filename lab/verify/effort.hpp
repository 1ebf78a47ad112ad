// How many cases are checked by default, and how long that takes. The traced emulator takes minutes where
// the plain one takes seconds, so the default under the detectors depends on how many contenders there are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lab/verify/case.hpp"
#include "runtime/runtime.hpp"

namespace cairn::lab::verify {

// The default number of cases for each contender: a thousand, or, for a given shape that is large, as many as take about
// half a minute to judge, but at least four.
std::int64_t enough_cases(const Space& space);

// The same under the detectors: as many as take about a minute for all contenders, at least four and at most a thousand.
std::int64_t enough_checked_cases(const Space& space, std::size_t contenders);

// Where a case runs: kernels, on the CPU for its own contenders, and under the detectors if traced.
struct Place {
  runtime::Kind kind = runtime::Kind::cpu;
  bool traced = false;
};

// The most multiply-adds that a case of a suite may have there, about half a minute on two cores; no limit on a GPU. A
// suite is not chosen for the machine it runs on, and one shape of 8192 cubed would take the emulator an hour.
double most_multiply_adds(const Place& place);

// The most multiply-adds that a case of a given shape has; 0 where sizes are drawn.
double largest(const Space& space);

// Seconds for a case of a given shape.
double seconds_of_case(const Space& space, const Place& place);

// Seconds that this takes on two cores, roughly.
double seconds_to_check(const Space& space, std::size_t contenders, std::int64_t cases);

}  // namespace cairn::lab::verify
