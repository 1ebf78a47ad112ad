// Data for timing: uniform in [-1, 1], each matrix from its own seed. Zeros or small integers toggle fewer bits, draw
// less power and so run at higher clocks than real data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cairn/types.hpp"

namespace cairn::lab::measure {

// `count` elements of a type, as they lie in memory.
std::vector<std::byte> uniform(Type type, std::int64_t count, std::uint64_t seed);

// The ends of groups of rows, as they lie in memory: of sizes that differ by up to 32 times, which add up to `rows`.
std::vector<std::byte> drawn_ends(std::int64_t rows, std::int64_t groups, std::uint64_t seed);

// The index of the first NaN among `count` elements; -1 if there is none.
std::int64_t first_nan(Type type, const void* elements, std::int64_t count);

}  // namespace cairn::lab::measure
