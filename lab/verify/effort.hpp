// How many cases are checked by default, and how long that takes. The traced emulator takes minutes where
// the plain one takes seconds, so the default under the detectors depends on how many contenders there are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lab/verify/case.hpp"

namespace cairn::lab::verify {

// The default number of cases for each contender: a thousand, or, for a given shape that is large, as many as take about
// half a minute to judge, but at least four.
std::int64_t enough_cases(const Space& space);

// The same under the detectors: as many as take about a minute for all contenders, at least four and at most a thousand.
std::int64_t enough_checked_cases(const Space& space, std::size_t contenders);

// Seconds that this takes on two cores, roughly.
double seconds_to_check(const Space& space, std::size_t contenders, std::int64_t cases);

}  // namespace cairn::lab::verify
