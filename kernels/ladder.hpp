// The ladder: every rung in order, once for each way the kernels were built.
#pragma once

#include <span>

#include "kernels/rung.hpp"

namespace cairn {

using Ladder = std::span<const Rung* const>;

// The table itself. It is compiled with each build of the kernels, into that build's own object: nvcc's, the
// emulator's. Whoever is outside of those asks for one of the two below.
Ladder rungs();

// The rungs as nvcc compiled them; empty in a build without CUDA.
Ladder cuda_ladder();

// The rungs compiled for the emulator; empty in a build without it.
Ladder emulated_ladder();

}  // namespace cairn
