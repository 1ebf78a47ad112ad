// The ladder: all rungs in order, once for CUDA and once for the emulator.
#pragma once

#include <span>

#include "kernels/rung.hpp"

namespace cairn {

using Ladder = std::span<const Rung* const>;

// The table itself. It is compiled twice, with nvcc's build of the kernels and into the emulator's shared object. All
// other code calls one of the two functions below.
Ladder rungs();

// The rungs as nvcc compiled them; empty in a build without CUDA.
Ladder cuda_ladder();

// The rungs compiled for the emulator; empty in a build without it.
Ladder emulated_ladder();

}  // namespace cairn
