// One k-step: the products of a warpgroup's part of a stage.
#pragma once

#include "device/wgmma.hpp"
#include "kernels/hopper/parts/tile.hpp"

namespace cairn::hopper {

template <int rows, int cols> __device__ __forceinline__ void clear(float (&acc)[rows][cols]) {
#pragma unroll
  for (int i = 0; i < rows; ++i) {
#pragma unroll
    for (int e = 0; e < cols; ++e) acc[i][e] = 0;
  }
}

// Accumulates if `add`, else overwrites; asynchronous. A wgmma takes 32 bytes of k: K-major these are 32 bytes of
// every row, MN-major 16 rows.
template <class In, class G, Major a_major, Major b_major>
__device__ __forceinline__ void multiply(float (&acc)[G::wgmmas][G::wn / 2], MatrixDescriptor a, MatrixDescriptor b,
                                         bool add) {
  wgmma_fence();
#pragma unroll
  for (int kk = 0; kk < 4; ++kk) {
    const int ka = a_major == Major::k ? kk * 32 : kk * 16 * kRowBytes,
              kb = b_major == Major::k ? kk * 32 : kk * 16 * kRowBytes;
#pragma unroll
    for (int i = 0; i < G::wgmmas; ++i)
      wgmma<In, G::wn, a_major, b_major>(acc[i], a.at(i * 64 * kRowBytes + ka), b.at(kb), add || kk > 0);
  }
  wgmma_commit();
}

// The same with promotion, complete on return. The tensor cores keep 14 bits of a sum of e4m3 products, so the
// products of one k-step are summed from zero there and then added to f32 accumulators. Only the wgmma of the other
// warpgroup overlap the additions: add(i, col, sums, factors) adds those of 64 rows from 64 i on and of promoted_n columns
// from `col` on. Before they are there, factors(i, col) reads what they are multiplied by.
template <class In, class G, class Factors, class Add>
__device__ __forceinline__ void multiply_promoted(MatrixDescriptor a, MatrixDescriptor b, Factors&& factors,
                                                  Add&& add) {
  constexpr int n = G::promoted_n;
#pragma unroll
  for (int i = 0; i < G::wgmmas; ++i) {
#pragma unroll
    for (int col = 0; col < G::wn; col += n) {
      float step_acc[n / 2];
      wgmma_fence();
#pragma unroll
      for (int kk = 0; kk < 4; ++kk) {
        wgmma<In, n>(step_acc, a.at(i * 64 * kRowBytes + kk * 32), b.at(col * kRowBytes + kk * 32), kk > 0);
      }
      wgmma_commit();
      const auto by = factors(i, col);
      wgmma_wait<0>();
      wgmma_fence_operand(step_acc);
      add(i, col, step_acc, by);
    }
  }
}

}  // namespace cairn::hopper
