// The epilogue of the summit: C by TMA where possible, else by threads; partial sums to scratch memory.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "device/accumulators.hpp"
#include "device/barrier.hpp"
#include "device/e4m3.hpp"
#include "device/pack.hpp"
#include "device/stmatrix.hpp"
#include "device/tma.hpp"
#include "kernels/hopper/59_summit/args.hpp"

namespace cairn::hopper_59 {

// Where a warpgroup stages C: in its own staging boxes or, in a block's last tile, in the rows of A that it alone has
// read in every stage.
struct Staging {
  unsigned char *boxes, *stages;  // stages: nullptr while they are needed for loads
};

// Stores 64 x n accumulators of a warpgroup to C at (row, col) of product `batch`. A staging box takes 128 bytes of
// every row; when kBoxes are written, TMA stores them. Free stages have a box each, `stage_stride` bytes apart.
template <Type out, int n, int stages, int stage_stride>
__device__ __forceinline__ void store_boxes(const TensorMap& C, int row, int col, int batch,
                                            const float (&acc)[n / 2], float alpha, Staging staging, int barrier) {
  constexpr int box_cols = out == Type::f32 ? 32 : 64, boxes = n / box_cols;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32 % 4;
  const bool issuer = threadIdx.x % 128 == 0;
#pragma unroll
  for (int first = 0; first < boxes; first += kBoxes) {
    const bool in_stages = first + kBoxes <= stages && staging.stages != nullptr;
    const auto box_of = [&](int c) {
      return in_stages ? staging.stages + c * stage_stride : staging.boxes + c % kBoxes * kBoxBytes;
    };
    // The boxes are free when their previous stores have read them, the stages when all 128 threads have arrived.
    if (issuer && !in_stages) tma_wait_read<0>();
    if (first == 0 || !in_stages) bar_sync(barrier, 128);
#pragma unroll
    for (int c = first; c < first + kBoxes && c < boxes; ++c) {
      unsigned char* const box = box_of(c);
      // Chunks are swizzled for TMA.
      if constexpr (out == Type::f32) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            const int box_row = warp * 16 + half * 8 + lane / 4, chunk = (j * 2 + lane % 4 / 2) ^ box_row % 8;
            const float* const x = &acc[c * 16 + j * 4 + half * 2];
            *reinterpret_cast<float2*>(box + box_row * kRowBytes + chunk * 16 + lane % 2 * 8) =
                make_float2(alpha * x[0], alpha * x[1]);
          }
        }
      } else {
        // Lanes 0-15 address 16 rows, lanes 16-31 the same rows 8 columns further on.
        using Out = std::conditional_t<out == Type::f16, __half, __nv_bfloat16>;
        const int box_row = warp * 16 + lane % 16;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const float* const x = &acc[c * 32 + j * 8];
          std::uint32_t pairs[4];
#pragma unroll
          for (int e = 0; e < 4; ++e) pairs[e] = pack<Out>(alpha * x[2 * e], alpha * x[2 * e + 1]);
          store_matrices(box + box_row * kRowBytes + ((j * 2 + lane / 16) ^ box_row % 8) * 16, pairs);
        }
      }
    }
    fence_proxy_async();
    bar_sync(barrier, 128);
    if (!issuer) continue;
#pragma unroll
    for (int c = first; c < first + kBoxes && c < boxes; ++c)
      tma_store(C, {col + c * box_cols, row, batch}, box_of(c));
    tma_commit();
  }
}

// Whether a product of In can have a C of type `out`, f32 aside: only those stores are compiled.
template <class In, Type out>
inline constexpr bool can_store = std::is_same_v<In, E4m3> || (std::is_same_v<In, __half> && out == Type::f16) ||
                                  (std::is_same_v<In, __nv_bfloat16> && out == Type::bf16);

template <class In> __device__ __forceinline__ void update_element(const Args& g, std::int64_t at, float sum) {
  if constexpr (can_store<In, Type::e4m3>) {
    if (g.out == Type::e4m3) return update<E4m3>(g.C, at, sum, g.alpha, g.beta);
  }
  if constexpr (can_store<In, Type::f16>) {
    if (g.out == Type::f16) return update<__half>(g.C, at, sum, g.alpha, g.beta);
  }
  if constexpr (can_store<In, Type::bf16>) {
    if (g.out == Type::bf16) return update<__nv_bfloat16>(g.C, at, sum, g.alpha, g.beta);
  }
  update<float>(g.C, at, sum, g.alpha, g.beta);
}

// Stores 64 x n partial sums to scratch memory, in rows `stride` apart. Threads do it because compute-sanitizer's
// initcheck does not see TMA stores and would report the memory as uninitialized.
template <int n> __device__ __forceinline__ void store_partials(float* to, int stride, const float (&acc)[n / 2]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, row = static_cast<int>(threadIdx.x) / 32 % 4 * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < n / 8; ++j) {
#pragma unroll
    for (int half = 0; half < 2; ++half)
      *reinterpret_cast<float2*>(to + (row + half * 8) * stride + j * 8 + lane % 4 * 2) =
          make_float2(acc[4 * j + 2 * half], acc[4 * j + 2 * half + 1]);
  }
}

// Stores the accumulators of a full tile to C. This warpgroup's begin at (row, col) of the tile.
template <class In, int tile>
__device__ __forceinline__ void store(const Args& g, const TensorMap& C, const BatchPosition& at, int row, int col,
                                      const float (&acc)[Geometry<tile>::wgmmas][Geometry<tile>::wn / 2],
                                      Staging staging, int barrier) {
  using G = Geometry<tile>;
  const bool by_tma = g.tma_store && (g.tma_store_edge || at.cols == G::bn);
#pragma unroll
  for (int i = 0; i < G::wgmmas; ++i) {
    const int tile_row = row + i * 64, c_row = static_cast<int>(at.row) + tile_row,
              c_col = static_cast<int>(at.col) + col;
    const Staging here{staging.boxes, staging.stages == nullptr ? nullptr : staging.stages + i * 64 * kRowBytes};
    const auto store_as = [&]<Type out>(std::integral_constant<Type, out>) {
      store_boxes<out, G::wn, G::stages, G::bm * kRowBytes>(C, c_row, c_col, at.batch, acc[i], g.alpha, here,
                                                            barrier);
    };
    if (by_tma) {
      if constexpr (can_store<In, Type::f16>) {
        if (g.out == Type::f16) store_as(std::integral_constant<Type, Type::f16>{});
      }
      if constexpr (can_store<In, Type::bf16>) {
        if (g.out == Type::bf16) store_as(std::integral_constant<Type, Type::bf16>{});
      }
      if (g.out == Type::f32) store_as(std::integral_constant<Type, Type::f32>{});
      continue;
    }
    if (threadIdx.x % 128 == 0) tma_wait_read<0>();  // the strips use the memory of the staging boxes
    bar_sync(barrier, 128);
    const std::int64_t first = at.batch * g.stride_c + (at.row + tile_row) * g.ldc + at.col + col;
    for_each_accumulator<G::wn>(first, g.ldc, at.rows - tile_row, at.cols - col, acc[i],
                                reinterpret_cast<AccumulatorStrip*>(staging.boxes)[threadIdx.x / 32 % 4],
                                [&](std::int64_t c, float sum) { update_element<In>(g, c, sum); });
  }
}

}  // namespace cairn::hopper_59
