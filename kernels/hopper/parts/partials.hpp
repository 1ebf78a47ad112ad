// Partial sums of split tiles: to scratch memory, each tile as it is in C, and from there to C, always in the same
// order. A cluster whose blocks share a tile along k adds them itself; those of stream-K are added by a fix-up kernel.
#pragma once

#include "device/fixup.hpp"
#include "device/pdl.hpp"
#include "device/strip.hpp"
#include "kernels/hopper/parts/store.hpp"

namespace cairn::hopper {

static_assert(kFixupShared<float> * sizeof(float) <= kHelperSharedBytes);

// Stores 64 x n partial sums to scratch memory, in rows `stride` apart; turned, their columns become its rows. Threads
// do it because compute-sanitizer's initcheck does not see TMA stores and would report the memory as uninitialized.
template <int n>
__device__ __forceinline__ void store_partials(float* to, int stride, bool turned, const float (&acc)[n / 2]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, row = static_cast<int>(threadIdx.x) / 32 % 4 * 16 + lane / 4,
            col = lane % 4 * 2;
  if (turned) {
    float *even = to + col * stride + row, *odd = even + stride;
#pragma unroll
    for (int j = 0; j < n / 8; ++j, even += 8 * stride, odd += 8 * stride) {
      even[0] = acc[4 * j], odd[0] = acc[4 * j + 1];
      even[8] = acc[4 * j + 2], odd[8] = acc[4 * j + 3];
    }
    return;
  }
  float *upper = to + row * stride + col, *lower = upper + 8 * stride;
#pragma unroll
  for (int j = 0; j < n / 8; ++j) {
    *reinterpret_cast<float2*>(upper + j * 8) = make_float2(acc[4 * j], acc[4 * j + 1]);
    *reinterpret_cast<float2*>(lower + j * 8) = make_float2(acc[4 * j + 2], acc[4 * j + 3]);
  }
}

// A split tile as it is in C: its elements are a slot of scratch memory, in rows `cols` apart.
struct SplitTile {
  int rows, cols;            // also those beyond the matrix
  int rows_left, cols_left;  // in the matrix
  std::int64_t first;        // the index of its first element in C,
  std::int64_t row, col;     // which is there
  int batch;
};

__device__ __forceinline__ SplitTile split_tile(const Args& g, int bm, int bn, int tile) {
  const BatchPosition at = position_of(g, bm, bn, tile, {});
  const int rows = g.down * bm, cols = g.across * bn;
  const auto rows_left = static_cast<int>(min(g.m - at.row, std::int64_t{rows})),
             cols_left = static_cast<int>(min(g.n - at.col, std::int64_t{cols}));
  const std::int64_t batch = at.batch * g.stride_c;
  if (g.turned) return {cols, rows, cols_left, rows_left, batch + at.col * g.ldc + at.row, at.col, at.row, at.batch};
  return {rows, cols, rows_left, cols_left, batch + at.row * g.ldc + at.col, at.row, at.col, at.batch};
}

// Four neighbours of C, from `col` of row `row` of a split tile on.
template <class In, bool finishing>
__device__ __forceinline__ void store_four(const Args& g, const SplitTile& t, int row, int col, const float* sums) {
  const std::int64_t at = t.first + row * g.ldc + col;
  const int left = t.cols_left - col;
  if constexpr (finishing) {
    finish_any_neighbours<In, 4>(g, {at, t.batch, t.row + row, t.col + col}, left, [&](int i) {
      return i == 0 ? sums[0] : i == 1 ? sums[1] : i == 2 ? sums[2] : sums[3];
    });
  } else {
    with_out<In>(g.out, [&]<class Out>() {
      update<Out, 4>(static_cast<Out*>(g.C) + at, sums, left, g.alpha, g.beta, g.vector_c);
    });
  }
}

// The blocks of a cluster have stored their partial sums of a tile in neighbouring slots, and all threads have
// synchronized. Each block adds those of every k_blocks-th row.
template <class In, int bm, int bn, bool finishing>
__device__ __forceinline__ void add_in_cluster(const Args& g, int tile, int rank, int thread, int threads) {
  constexpr int most = 8;
  const SplitTile t = split_tile(g, bm, bn, tile);
  const int chunks = t.cols / 4, rows = (t.rows_left - rank + g.k_blocks - 1) / g.k_blocks;
  const float* const slots = g.partials + std::int64_t{tile} * g.k_blocks * (bm * bn);
#pragma unroll 1
  for (int i = thread; i < rows * chunks; i += threads) {
    const int row = i / chunks * g.k_blocks + rank, col = i % chunks * 4;
    if (col >= t.cols_left) continue;
    const float* const from = slots + row * t.cols + col;
    float4 four[most];
#pragma unroll
    for (int b = 0; b < most; ++b)
      if (b < g.k_blocks) four[b] = load4(from + std::int64_t{b} * (bm * bn));
    float sum[4] = {four[0].x, four[0].y, four[0].z, four[0].w};
#pragma unroll
    for (int b = 1; b < most; ++b)
      if (b < g.k_blocks) sum[0] += four[b].x, sum[1] += four[b].y, sum[2] += four[b].z, sum[3] += four[b].w;
    store_four<In, finishing>(g, t, row, col, sum);
  }
}

// The fix-up of the tiles that stream-K split.
template <class Out> __global__ void __launch_bounds__(kFixupThreads) hopper_fixup(const __grid_constant__ Args g) {
  __shared__ __align__(16) float shared[kFixupShared<float>];
  pdl_launch_dependents();
  const int split = static_cast<int>(blockIdx.y), row = fixup_row(), col = fixup_col<float>();
  const SplitTile t = split_tile(g, g.bm, g.bn, g.stream_k.whole + split);
  pdl_wait();
  const float* const sums =
      add_partials(shared, t.cols, g.stream_k, g.partials, std::int64_t{t.rows} * t.cols, split, t.rows_left);
  if (sums == nullptr) return;
  if (!g.epilogue.any) {
    update<Out, 4>(static_cast<Out*>(g.C) + t.first + row * g.ldc + col, sums + col, t.cols_left - col, g.alpha,
                   g.beta, g.vector_c);
    return;
  }
  finish_neighbours<Out, 4>(g.epilogue, g.C, {t.first + row * g.ldc + col, t.batch, t.row + row, t.col + col},
                            t.cols_left - col, sums + col, g.alpha, g.beta);
}

}  // namespace cairn::hopper
