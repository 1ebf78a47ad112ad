// One step of k: the products of a warpgroup's part of a stage.
#pragma once

#include "device/wgmma.hpp"
#include "kernels/hopper/59_summit/tile.hpp"

namespace cairn::hopper_59 {

template <int rows, int cols> __device__ __forceinline__ void clear(float (&acc)[rows][cols]) {
#pragma unroll
  for (int i = 0; i < rows; ++i) {
#pragma unroll
    for (int e = 0; e < cols; ++e) acc[i][e] = 0;
  }
}

// 32 bytes of k at a time, the same place in every line, or 16 lines further on; added to the sums, or instead of
// them. The products are on their way.
template <class In, int tile, Major a_major, Major b_major>
__device__ __forceinline__ void multiply(float (&acc)[Geometry<tile>::each][Geometry<tile>::cols / 2],
                                         MatrixDescriptor a, MatrixDescriptor b, bool add) {
  using G = Geometry<tile>;
  wgmma_fence();
#pragma unroll
  for (int kk = 0; kk < 4; ++kk) {
    const int ka = a_major == Major::k ? kk * 32 : kk * 16 * kLine,
              kb = b_major == Major::k ? kk * 32 : kk * 16 * kLine;
#pragma unroll
    for (int i = 0; i < G::each; ++i)
      wgmma<In, G::cols, a_major, b_major>(acc[i], a.at(i * 64 * kLine + ka), b.at(kb), add || kk > 0);
  }
  wgmma_commit();
}

// The same for sums that may not stay in the tensor cores for longer than a step: of e4m3 those keep 14 bits. Each
// part begins from nothing, and is added to what the threads have in f32. While one warpgroup adds, the other's
// products are made. All are done.
template <class In, int tile>
__device__ __forceinline__ void multiply_promoted(float (&acc)[Geometry<tile>::each][Geometry<tile>::cols / 2],
                                                  MatrixDescriptor a, MatrixDescriptor b) {
  using G = Geometry<tile>;
#pragma unroll
  for (int i = 0; i < G::each; ++i) {
#pragma unroll
    for (int col = 0; col < G::cols; col += G::part) {
      float some[G::part / 2];
      wgmma_fence();
#pragma unroll
      for (int kk = 0; kk < 4; ++kk)
        wgmma<In, G::part>(some, a.at(i * 64 * kLine + kk * 32), b.at(col * kLine + kk * 32), kk > 0);
      wgmma_commit();
      wgmma_wait<0>();
      pin(some);
#pragma unroll
      for (int e = 0; e < G::part / 2; ++e) acc[i][col / 2 + e] += some[e];
    }
  }
}

}  // namespace cairn::hopper_59
