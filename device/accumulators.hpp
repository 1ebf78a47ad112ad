// The epilogue of wgmma kernels by threads: C = alpha * acc + beta * C. A lane has pairs of neighbouring
// accumulators, eight rows apart. Each warp writes strips of its 16 rows to shared memory and stores them row by row,
// each lane a column, so that stores are coalesced. C is not read if beta is 0: it may hold anything, NaN too.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "device/scaled_sum.hpp"

namespace cairn {

// A warp's shared memory. Rows begin eight banks apart, so that the pairs of four rows have no bank conflicts.
struct alignas(16) AccumulatorStrip {
  static constexpr int kCols = 32, kStride = kCols + 8;
  float at[16][kStride];
};

template <class Out>
__device__ __forceinline__ void update(void* C, std::int64_t at, float sum, float alpha, float beta) {
  Out& c = static_cast<Out*>(C)[at];
  c = static_cast<Out>(beta == 0 ? alpha * sum : scaled_sum(alpha, sum, beta, static_cast<float>(c)));
}
// C is f32 if `wide`, else Out.
template <class Out>
__device__ __forceinline__ void update(void* C, std::int64_t at, float sum, float alpha, float beta, bool wide) {
  if (wide) return update<float>(C, at, sum, alpha, beta);
  update<Out>(C, at, sum, alpha, beta);
}

namespace detail {
// A warp writes columns col … of its 16 rows to the strip, as many as it has or are left of n.
template <int n>
__device__ __forceinline__ void write_strip(AccumulatorStrip& strip, const float (&acc)[n / 2], int col) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int j = 0; j < AccumulatorStrip::kCols && col + j < n; j += 8) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float* const two = &acc[(col + j) / 2 + 2 * half];
      *reinterpret_cast<float2*>(&strip.at[lane / 4 + half * 8][j + lane % 4 * 2]) = make_float2(two[0], two[1]);
    }
  }
}
}  // namespace detail

// Calls put(index, sum) for those of the warpgroup's 64 x n accumulators that are in the matrix, the first rows x
// cols. `first` is the index of the first one in C.
template <int n, class Put>
__device__ __forceinline__ void for_each_accumulator(std::int64_t first, std::int64_t ldc, int rows, int cols,
                                                     const float (&acc)[n / 2], AccumulatorStrip& strip, Put&& put) {
  const int lane = static_cast<int>(threadIdx.x) % 32, row = static_cast<int>(threadIdx.x) / 32 % 4 * 16;
#pragma unroll
  for (int col = 0; col < n; col += AccumulatorStrip::kCols) {
    detail::write_strip<n>(strip, acc, col);
    __syncwarp();
    const int strip_rows = col + lane < min(cols, n) ? min(rows - row, 16) : 0;
    const std::int64_t at = first + row * ldc + col + lane;
#pragma unroll 4
    for (int r = 0; r < strip_rows; ++r) put(at + r * ldc, strip.at[r][lane]);
    __syncwarp();  // before the next strip overwrites this one
  }
}

// The same where the accumulators are those of Cᵀ: `rows` and `cols` are theirs, and a column of them is a row of C.
// Half a warp has a row of C each.
template <int n, class Put>
__device__ __forceinline__ void for_each_turned_accumulator(std::int64_t first, std::int64_t ldc, int rows, int cols,
                                                            const float (&acc)[n / 2], AccumulatorStrip& strip,
                                                            Put&& put) {
  const int lane = static_cast<int>(threadIdx.x) % 32, row = static_cast<int>(threadIdx.x) / 32 % 4 * 16;
#pragma unroll
  for (int col = 0; col < n; col += AccumulatorStrip::kCols) {
    detail::write_strip<n>(strip, acc, col);
    __syncwarp();
    const int last = row + lane % 16 < rows ? min(min(cols, n) - col, AccumulatorStrip::kCols) : 0;
    const std::int64_t at = first + col * ldc + row + lane % 16;
#pragma unroll 4
    for (int c = lane / 16; c < last; c += 2) put(at + c * ldc, strip.at[lane % 16][c]);
    __syncwarp();
  }
}

// Stores them to C.
template <class Out, int n>
__device__ __forceinline__ void store_accumulators(void* C, std::int64_t first, std::int64_t ldc, int rows, int cols,
                                                   const float (&acc)[n / 2], float alpha, float beta, bool wide,
                                                   AccumulatorStrip& strip) {
  for_each_accumulator<n>(first, ldc, rows, cols, acc, strip,
                          [&](std::int64_t at, float sum) { update<Out>(C, at, sum, alpha, beta, wide); });
}

}  // namespace cairn
