// The diff of two sequences: patience diff, and Myers' where no element is unique.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace cairn::lab::diff {

using Match = std::pair<std::size_t, std::size_t>;  // an index of `old` and an index of `now` with equal elements

// A common subsequence, in order; what it leaves out was removed from `old` or added in `now`. Elements that occur once
// in both are matched first (B. Cohen's patience diff), so that braces and `#pragma unroll` follow the lines around
// them. Between those, the subsequence is a longest one (Myers, "An O(ND) difference algorithm", 1986).
std::vector<Match> common(std::span<const int> old, std::span<const int> now);

}  // namespace cairn::lab::diff
