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
template <int parts, int rows, Major major>
__device__ __forceinline__ void load(unsigned char* to, const TensorMap& map, int row, int k, int batch,
                                     Mbarrier* full, int blocks = 1, int rank = 0) {
  constexpr int boxes = (rows + 63) / 64, all = parts * rows;
  const unsigned mask = (1u << blocks) - 1;
  if constexpr (major == Major::k) {
    if (blocks == 1) {
      tma_load(to, map, {k, row, batch}, full);
    } else {
      const int first = rank * (all / blocks);
      tma_load_multicast(mask, to + first * kRowBytes, map, {k, row + first, batch}, full);
    }
  } else if (blocks == 1) {
#pragma unroll
    for (int i = 0; i < parts * boxes; ++i)
      tma_load(to + i * 64 * kRowBytes, map, {row + i / boxes * rows + i % boxes * 64, k, batch}, full);
  } else {
#pragma unroll 1
    for (int i = rank * (parts * boxes) / blocks; i < (rank + 1) * (parts * boxes) / blocks; ++i) {
      const int at = row + i / boxes * rows + i % boxes * 64;
      tma_load_multicast(mask, to + i * 64 * kRowBytes, map, {at, k, batch}, full);
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
