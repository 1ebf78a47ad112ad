// The summit's ways to C: by the copy engine where it can be, else by threads; and sums of a share to scratch memory.
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

// Where a warpgroup puts C on its way: its own slabs, and at a block's last tile what it had of A in each stage.
struct Room {
  unsigned char *slabs, *stages;  // no stages: they are needed still
};

// 64 x n sums of a warpgroup into C, at (row, col) of product `batch`, through slabs of shared memory: each takes
// a line of 128 bytes of every row, and when two are full the engine stores them. Of `stages`, if they are there,
// every one has a slab of its own, `pitch` bytes apart.
template <Type out, int n, int stages, int pitch>
__device__ __forceinline__ void store_slabs(const TensorMap& C, int row, int col, int batch,
                                            const float (&sums)[n / 2], float alpha, Room room, int barrier) {
  constexpr int width = out == Type::f32 ? 32 : 64, lines = n / width;  // elements of a line
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32 % 4;
  const bool first = threadIdx.x % 128 == 0;
#pragma unroll
  for (int round = 0; round < lines; round += kSlabs) {
    const bool spare = round + kSlabs <= stages && room.stages != nullptr;
    const auto slab_of = [&](int c) { return spare ? room.stages + c * pitch : room.slabs + c % kSlabs * kSlab; };
    // Slabs are free when what was stored from them has been read; stages when all have multiplied.
    if (first && !spare) tma_wait_read<0>();
    if (round == 0 || !spare) bar_sync(barrier, 128);
#pragma unroll
    for (int c = round; c < round + kSlabs && c < lines; ++c) {
      unsigned char* const slab = slab_of(c);
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
    }
    fence_proxy_async();
    bar_sync(barrier, 128);
    if (!first) continue;
#pragma unroll
    for (int c = round; c < round + kSlabs && c < lines; ++c) tma_store(C, {col + c * width, row, batch}, slab_of(c));
    tma_commit();
  }
}

// Whether a product of In may have a C of this narrow type.
template <class In, Type out>
inline constexpr bool gives = std::is_same_v<In, E4m3> || (std::is_same_v<In, __half> && out == Type::f16) ||
                              (std::is_same_v<In, __nv_bfloat16> && out == Type::bf16);

// One element of C.
template <class In> __device__ __forceinline__ void update_one(const Args& g, std::int64_t at, float sum) {
  if constexpr (gives<In, Type::e4m3>) {
    if (g.out == Type::e4m3) return update<E4m3>(g.C, at, sum, g.alpha, g.beta);
  }
  if constexpr (gives<In, Type::f16>) {
    if (g.out == Type::f16) return update<__half>(g.C, at, sum, g.alpha, g.beta);
  }
  if constexpr (gives<In, Type::bf16>) {
    if (g.out == Type::bf16) return update<__nv_bfloat16>(g.C, at, sum, g.alpha, g.beta);
  }
  update<float>(g.C, at, sum, g.alpha, g.beta);
}

// 64 x n sums of a share, to be added up with others later: rows of a slot, `stride` apart. By threads: of what the
// engine stores compute-sanitizer's initcheck sees nothing, and takes it for memory that nobody wrote.
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

// The sums of a tile into C. `row`, `col`: where in the tile this warpgroup's are.
template <class In, int tile>
__device__ __forceinline__ void store(const Args& g, const TensorMap& C, const At& at, int row, int col,
                                      const float (&acc)[Geometry<tile>::each][Geometry<tile>::cols / 2], Room room,
                                      int barrier) {
  using G = Geometry<tile>;
  const bool by_engine = g.by_engine && (g.last_too || at.cols == G::bn);
#pragma unroll
  for (int i = 0; i < G::each; ++i) {
    const int down = row + i * 64, to_row = static_cast<int>(at.row) + down, to_col = static_cast<int>(at.col) + col;
    const Room here{room.slabs, room.stages == nullptr ? nullptr : room.stages + i * 64 * kLine};
    const auto by_slabs = [&]<Type out>(std::integral_constant<Type, out>) {
      store_slabs<out, G::cols, G::stages, G::bm * kLine>(C, to_row, to_col, at.batch, acc[i], g.alpha, here,
                                                          barrier);
    };
    if (by_engine) {
      if constexpr (gives<In, Type::f16>) {
        if (g.out == Type::f16) by_slabs(std::integral_constant<Type, Type::f16>{});
      }
      if constexpr (gives<In, Type::bf16>) {
        if (g.out == Type::bf16) by_slabs(std::integral_constant<Type, Type::bf16>{});
      }
      if (g.out == Type::f32) by_slabs(std::integral_constant<Type, Type::f32>{});
      continue;
    }
    if (threadIdx.x % 128 == 0) tma_wait_read<0>();  // strips lie where slabs did
    bar_sync(barrier, 128);
    const std::int64_t first = at.batch * g.stride_c + (at.row + down) * g.ldc + at.col + col;
    for_each_accumulator<G::cols>(first, g.ldc, at.rows - down, at.cols - col, acc[i],
                                  reinterpret_cast<AccumulatorStrip*>(room.slabs)[threadIdx.x / 32 % 4],
                                  [&](std::int64_t c, float sum) { update_one<In>(g, c, sum); });
  }
}

}  // namespace cairn::hopper_59
