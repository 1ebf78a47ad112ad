// The summit's ways to C: by the copy engine where it can be, else by threads; and sums of a share to scratch memory.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "device/barrier.hpp"
#include "device/pack.hpp"
#include "device/stmatrix.hpp"
#include "device/sums.hpp"
#include "device/tma.hpp"
#include "kernels/hopper/59_summit/tile.hpp"

namespace cairn::hopper_59 {

// 64 x n sums of a warpgroup into C, at (row, col) of product `batch`, a line of 128 bytes wide at a time, through
// slabs of shared memory that take turns.
template <Type out, int n>
__device__ __forceinline__ void store_slabs(const TensorMap& C, int row, int col, int batch,
                                            const float (&sums)[n / 2], float alpha, unsigned char* memory,
                                            int barrier) {
  constexpr int width = out == Type::f32 ? 32 : 64;  // elements of a line
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32 % 4;
  const bool first = threadIdx.x % 128 == 0;
#pragma unroll
  for (int c = 0; c < n / width; ++c) {
    // The slab is free: what was stored from it has been read.
    unsigned char* const slab = memory + c % kSlabs * kSlab;
    if (first) tma_wait_read<kSlabs - 1>();
    bar_sync(barrier, 128);

    // Pieces of 16 bytes change places by their line, as in every box.
    if constexpr (out == Type::f32) {
#pragma unroll
      for (int j = 0; j < 4; ++j) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int line = warp * 16 + half * 8 + lane / 4, piece = (j * 2 + lane % 4 / 2) ^ line % 8;
          const float* const x = &sums[c * 16 + j * 4 + half * 2];
          *reinterpret_cast<float2*>(slab + line * kLine + piece * 16 + lane % 2 * 8) =
              make_float2(alpha * x[0], alpha * x[1]);
        }
      }
    } else {
      // Lanes 0-15 have the addresses of 16 rows, the others of the same rows 8 columns on.
      using Out = std::conditional_t<out == Type::f16, __half, __nv_bfloat16>;
      const int line = warp * 16 + lane % 16;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const float* const x = &sums[c * 32 + j * 8];
        std::uint32_t pairs[4];
#pragma unroll
        for (int e = 0; e < 4; ++e) pairs[e] = pack<Out>(alpha * x[2 * e], alpha * x[2 * e + 1]);
        store_matrices(slab + line * kLine + ((j * 2 + lane / 16) ^ line % 8) * 16, pairs);
      }
    }
    async_fence();
    bar_sync(barrier, 128);
    if (first) {
      tma_store(C, {col + c * width, row, batch}, slab);
      tma_commit();
    }
  }
}

// 64 x n sums of a share, to be added up with others later: rows of a tile, `stride` apart.
template <int n> __device__ __forceinline__ void keep_sums(float* to, int stride, const float (&sums)[n / 2]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, row = static_cast<int>(threadIdx.x) / 32 % 4 * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < n / 8; ++j) {
#pragma unroll
    for (int half = 0; half < 2; ++half)
      *reinterpret_cast<float2*>(to + (row + half * 8) * stride + j * 8 + lane % 4 * 2) =
          make_float2(sums[4 * j + 2 * half], sums[4 * j + 2 * half + 1]);
  }
}

}  // namespace cairn::hopper_59
