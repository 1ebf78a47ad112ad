// How a stage is filled by TMA, and how wgmma reads it.
#pragma once

#include <cuda_runtime.h>

#include "device/tma.hpp"
#include "device/wgmma.hpp"
#include "kernels/hopper/parts/tile.hpp"

namespace cairn::hopper {

// Loads a tile of an operand, rows of op(A) (columns of op(B)) by a k-step: `parts` times `rows`. K-major: one box.
// MN-major: boxes of 64 rows of the operand, which are the 128 bytes of a row of the swizzled tile, and for each part as
// many as it needs. Of a tile that all `blocks` of a cluster need, block `rank` loads one share and multicasts it to all.
template <int parts, int rows, Major major, int blocks>
__device__ __forceinline__ void load(unsigned char* to, const TensorMap& map, int row, int k, int batch,
                                     Mbarrier* full, int rank) {
  constexpr unsigned mask = (1u << blocks) - 1;
  const auto load_box = [&](int first, int at) {
    const int x = major == Major::k ? k : at, y = major == Major::k ? at : k;
    if constexpr (blocks == 1) tma_load(to + first * kRowBytes, map, {x, y, batch}, full);
    if constexpr (blocks > 1) tma_load_multicast(mask, to + first * kRowBytes, map, {x, y, batch}, full);
  };
  if constexpr (major == Major::k) {
    const int first = rank * (parts * rows / blocks);
    load_box(first, row + first);
  } else {
    // The boxes of a share, or some more: what is odd goes to the last block.
    constexpr int boxes = (rows + 63) / 64, all = parts * boxes, most = all - (blocks - 1) * (all / blocks);
    const int before = rank * (all / blocks), count = rank == blocks - 1 ? most : all / blocks;
#pragma unroll
    for (int i = 0; i < most; ++i) {
      const int box = before + i;
      if (blocks == 1 || i < count) load_box(box * 64, row + box / boxes * rows + box % boxes * 64);
    }
  }
}

// Zeroes the rows of every stage after the first `loaded`.
template <int stages, int rows> __device__ __forceinline__ void clear_rows(unsigned char* tiles, int loaded) {
  constexpr int chunks = kRowBytes / 16;
  const int left = rows - loaded;
  for (int i = static_cast<int>(threadIdx.x); i < stages * left * chunks; i += kThreads) {
    const int row = i / chunks, stage = row / left;
    *reinterpret_cast<float4*>(tiles + (stage * rows + loaded + row - stage * left) * kRowBytes + i % chunks * 16) =
        make_float4(0, 0, 0, 0);
  }
}

// A tile's rows are swizzled in groups of 8; MN-major, each 64 rows of the operand are 64 rows of the tile.
__device__ __forceinline__ MatrixDescriptor descriptor(const unsigned char* tile) {
  return matrix_descriptor(tile, Swizzle::b128, 8 * kRowBytes, 64 * kRowBytes);
}

}  // namespace cairn::hopper
