// Parses the launch arguments of `cairn trace FILE` from the command line.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "emu/program/wire.hpp"

namespace cairn::lab::trace {

// "5", "1.5", "f32:1.5", "f32[64x64]=random", "null". Throws Error with one line that says what would be right;
// `number` is the argument's, from 1.
emu::program::Argument parse_argument(const std::string& text, std::size_t number);

// "8", "8,4" or "8,4,2" within the device's limits. `flag` is the flag's name, for the error.
std::array<unsigned, 3> parse_grid(const std::string& text);
std::array<unsigned, 3> parse_block(const std::string& text);

}  // namespace cairn::lab::trace
