// The epilogue where a problem asks for more than alpha and beta: bias, activation and the value before it.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "device/e4m3.hpp"
#include "kernels/hopper/parts/args.hpp"

namespace cairn::hopper {

// Whether a product of In can have a C of type `out`, f32 aside: only those stores are compiled.
template <class In, Type out>
inline constexpr bool can_store = std::is_same_v<In, E4m3> || (std::is_same_v<In, __half> && out == Type::f16) ||
                                  (std::is_same_v<In, __nv_bfloat16> && out == Type::bf16);

// f.template operator()<Out>() with the type of C.
template <class In, class F> __device__ __forceinline__ void with_out(Type out, F&& f) {
  if constexpr (can_store<In, Type::e4m3>) {
    if (out == Type::e4m3) return f.template operator()<E4m3>();
  }
  if constexpr (can_store<In, Type::f16>) {
    if (out == Type::f16) return f.template operator()<__half>();
  }
  if constexpr (can_store<In, Type::bf16>) {
    if (out == Type::bf16) return f.template operator()<__nv_bfloat16>();
  }
  f.template operator()<float>();
}

// finish() for a C of any type, with the activation compiled once for all of them.
template <class In, int n> __device__ __forceinline__ void finish_any(const Args& g, const Place& at, float (&x)[n]) {
  with_out<In>(g.out, [&]<class Out>() { before_activation<Out>(g.epilogue, g.C, at, x, g.alpha, g.beta); });
  activate(g.epilogue.activation, x);
  with_out<In>(g.out, [&]<class Out>() { detail::store_all(static_cast<Out*>(g.C) + at.index, x); });
}

// n neighbours of C from `at` on, of which `left` are in the matrix; sum(i) is the i-th.
template <class In, int n, class Sum>
__device__ __forceinline__ void finish_neighbours(const Args& g, const Place& at, int left, Sum&& sum) {
  for_neighbours<n>(g.epilogue.vector, left, sum, [&](int i, auto& x) {
    finish_any<In>(g, {at.index + i, at.batch, at.row, at.col + i}, x);
  });
}

// Finishes 64 x n accumulators of a warpgroup, of which the first is at (row, col) of the tile and at index `first` of
// C. Each warp writes up to 64 columns of its 16 rows to `strips`, shared memory, where a loop can index them, and
// finishes four neighbours of C a lane. Chunks of eight are permuted within a row, so that the pairs of eight rows
// are in different banks.
template <class In, int n>
__device__ __forceinline__ void finish_accumulators(const Args& g, const BatchPosition& at, int row, int col,
                                                    std::int64_t first, const float (&acc)[n / 2], void* strips) {
  constexpr int width = 64, some = 4;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32 % 4;
  float* const strip = static_cast<float*>(strips) + warp * 16 * width;
  const auto place = [](int r, int c) { return r * width + (c ^ r % 8 * 8); };
  const int rows = at.rows - row - warp * 16, cols = min(at.cols - col, n);
  const std::int64_t p_row = at.row + row + warp * 16, p_col = at.col + col;
#pragma unroll 1
  for (int from = 0; from < n; from += width) {
#pragma unroll
    for (int j = 0; j < n; j += 8) {
      if (j / width * width != from) continue;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float* const two = &acc[j / 2 + 2 * half];
        *reinterpret_cast<float2*>(strip + place(lane / 4 + half * 8, j % width + lane % 4 * 2)) =
            make_float2(two[0], two[1]);
      }
    }
    __syncwarp();
#pragma unroll 1
    for (int e = lane; e < 16 * width / some; e += 32) {
      // Four columns of a row or, of Cᵀ, four rows of a column.
      const int r = g.turned ? e / width * some : e / (width / some),
                c = g.turned ? e % width : e % (width / some) * some, right = from + c;
      const int left = g.turned ? (right < cols ? rows - r : 0) : (r < rows ? cols - right : 0);
      const Place to = g.turned ? Place{first + right * g.ldc + warp * 16 + r, at.batch, p_col + right, p_row + r}
                                : Place{first + (warp * 16 + r) * g.ldc + right, at.batch, p_row + r, p_col + right};
      finish_neighbours<In, some>(g, to, left,
                                  [&](int i) { return strip[g.turned ? place(r + i, c) : place(r, c + i)]; });
    }
    __syncwarp();  // before the next columns overwrite these
  }
}

}  // namespace cairn::hopper
