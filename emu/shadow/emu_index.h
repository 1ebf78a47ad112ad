// threadIdx and its kin. Calls by value instead of variables: memory that nobody can see is not accessed.
//
// The names are macros, and the price is that nothing else can be called so: in host code a variable named blockDim
// does not compile. The launch configuration has members of these names, and answers to the same spelling.
#pragma once

#include "emu/machine/builtins.hpp"

inline uint3 cairn_thread_idx() { return cairn::emu::thread_index(); }
inline uint3 cairn_block_idx() { return cairn::emu::block_index(); }
inline dim3 cairn_block_dim() { return cairn::emu::block_extent(); }
inline dim3 cairn_grid_dim() { return cairn::emu::grid_extent(); }

#define threadIdx cairn_thread_idx()
#define blockIdx cairn_block_idx()
#define blockDim cairn_block_dim()
#define gridDim cairn_grid_dim()

inline constexpr int warpSize = 32;
