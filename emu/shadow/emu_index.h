// threadIdx and the like: calls instead of variables, so that reading them is no memory access.
//
// They are macros, so nothing else can have these names: a host variable named blockDim does not compile. The members
// of these names in the launch configuration work, because the macros expand to the same text there.
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
