// Patterns of a warp's addresses as people type them: the index that lane l takes, as an expression in l.
//
//   l*33              a column of a tile whose rows have 33 elements
//   l*32 + (l^5)      column 5 of a tile swizzled by XOR
//   l%16*8            16 threads, 8 elements apart, twice
//
// Integers (also 0x1f), l, parentheses, unary minus, and C's * / % + - << >> & ^ | with C's precedence.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cairn::lab {

// The indices of lanes 0 … 31. Throws Error(kUsage) that shows the pattern and what is wrong with it, or the first
// lane whose index is none: negative, 2^28 or more (which leaves a pattern in 4 GiB of the largest elements), divided
// by zero.
std::array<std::uint64_t, 32> parse_pattern(std::string_view text);

}  // namespace cairn::lab
