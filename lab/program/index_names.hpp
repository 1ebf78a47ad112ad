// Variables of the user's that are named like CUDA's built-ins: dim3 gridDim(8), blockDim(32);
//
// In the emulator's headers gridDim is a macro, a call of cairn_grid_dim(), so that such a declaration would be none.
// Where a function declares one, it and all that means it in its scope get another name.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lab/source/lexer.hpp"

namespace cairn::lab::program {

struct Renamed {
  std::size_t begin, end;  // in the text
  std::string name;
};

std::vector<Renamed> renamed_indices(std::span<const Token> tokens);

}  // namespace cairn::lab::program
