// Numbers of the command line, held to a range. CLI11 by itself takes the nearest number that fits where one is too
// large, and reads 010 as 8.
#pragma once

#include <cstdint>
#include <limits>

#include <CLI/CLI.hpp>

namespace cairn::lab {

inline constexpr std::uint64_t kMostSeed = std::numeric_limits<std::uint64_t>::max();

// For Option::transform(). Refuses anything but a whole number from `least` to `most`: decimal, or hexadecimal with 0x,
// as failures print seeds.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most);

}  // namespace cairn::lab
