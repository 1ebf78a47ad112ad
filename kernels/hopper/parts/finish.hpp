// The epilogue where a problem asks for more than alpha and beta: bias, activation and the value before it.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "device/accumulators.hpp"
#include "device/e4m3.hpp"
#include "device/prefetch.hpp"
#include "kernels/hopper/parts/args.hpp"

namespace cairn::hopper {

// Asks for the vectors that the epilogue of a tile reads, a line a thread, before its main loop: nothing else reads them,
// and the sums would wait for DRAM.
__device__ __forceinline__ void prefetch_vectors(const Args& g, const BatchPosition& at, int thread) {
  const Epilogue& e = g.epilogue;
  const auto ask = [&](const void* vector, std::int64_t stride, bool down, int size) {
    const std::int64_t first = at.batch * stride + (down ? at.row : at.col);
    const int bytes = (down ? at.rows : at.cols) * size, byte = min(thread * kLineBytes, bytes - 1);
    if (byte > (thread - 1) * kLineBytes && byte >= 0)
      prefetch_l2(static_cast<const unsigned char*>(vector) + first * size + byte);
  };
  if (e.a.data != nullptr && e.a.vector) ask(e.a.data, e.a.stride, !g.turned, 4);
  if (e.b.data != nullptr && e.b.vector) ask(e.b.data, e.b.stride, g.turned, 4);
  const int bias_size = e.wide_bias || g.out == Type::f32 ? 4 : g.out == Type::e4m3 ? 1 : 2;
  if (e.side != Bias::none) ask(e.bias, e.stride_bias, (e.side == Bias::rows) != g.turned, bias_size);
}

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
__device__ __forceinline__ void finish_any_neighbours(const Args& g, const Place& at, int left, Sum&& sum) {
  for_neighbours<n>(g.epilogue.vector, left, sum, [&](int i, auto& x) {
    finish_any<In>(g, {at.index + i, at.batch, at.row, at.col + i}, x);
  });
}

// Applies a vector along the columns of 64 x n accumulators, or two numbers along their rows: f(accumulator, element).
// Each lane has loaded every 32nd element of the vector, and has a pair of eight columns: the others come from their
// lanes. Along columns f has a third argument: 0 or 1, for the lane's first or second row.
template <int n, class F>
__device__ __forceinline__ void along_columns(float (&acc)[n / 2], const float (&own)[(n + 31) / 32], F&& f) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int j = 0; j < n / 8; ++j) {
#pragma unroll
    for (int pair = 0; pair < 2; ++pair) {
      const float element = __shfl_sync(0xffffffffu, own[j / 4], j % 4 * 8 + lane % 4 * 2 + pair);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float& x = acc[j * 4 + half * 2 + pair];
        x = f(x, element, half);
      }
    }
  }
}
template <int n, class F>
__device__ __forceinline__ void along_rows(float (&acc)[n / 2], const float (&own)[2], F&& f) {
#pragma unroll
  for (int i = 0; i < n / 2; ++i) acc[i] = f(acc[i], own[i / 2 % 2]);
}

// Finishes columns from … from + n - 1 of a warpgroup's 64 x all accumulators in their registers, where TMA stores them
// next: nothing is read but scales and a bias along their rows or their columns. The first of all is at (row, first) of
// the tile.
template <class In, int all, int from, int n>
__device__ __forceinline__ void finish_in_registers(const Args& g, const BatchPosition& at, int row, int first,
                                                    float (&sums)[all / 2]) {
  const Epilogue& e = g.epilogue;
  const int col = first + from;
  float acc[n / 2];
#pragma unroll
  for (int i = 0; i < n / 2; ++i) acc[i] = g.alpha * sums[from / 2 + i];
  const int lane = static_cast<int>(threadIdx.x) % 32,
            below = row + static_cast<int>(threadIdx.x) / 32 % 4 * 16 + lane / 4;
  // Elements of a vector for this lane's columns of the tile, and for its rows. Beyond the matrix the last is taken again,
  // for what is not stored: without branches all loads are in flight together.
  const auto of_columns = [&]<class T>(float(&own)[(n + 31) / 32], const T* vector, bool each) {
#pragma unroll
    for (int i = 0; i < (n + 31) / 32; ++i)
      own[i] = static_cast<float>(vector[each ? at.col + min(col + i * 32 + lane, at.cols - 1) : 0]);
  };
  const auto of_rows = [&]<class T>(float(&own)[2], const T* vector, bool each) {
#pragma unroll
    for (int i = 0; i < 2; ++i)
      own[i] = static_cast<float>(vector[each ? at.row + min(below + i * 8, at.rows - 1) : 0]);
  };
  const Scales &rows_by = g.turned ? e.b : e.a, &columns_by = g.turned ? e.a : e.b;
  if (e.a.data != nullptr || e.b.data != nullptr) {
    float down[2] = {1, 1}, across[(n + 31) / 32];
#pragma unroll
    for (float& x : across) x = 1;
    const auto of = [&](const Scales& s) { return static_cast<const float*>(s.data) + at.batch * s.stride; };
    if (rows_by.data != nullptr) of_rows(down, of(rows_by), rows_by.vector);
    if (columns_by.data != nullptr) of_columns(across, of(columns_by), columns_by.vector);
    along_columns<n>(acc, across, [&](float x, float element, int half) { return x * (down[half] * element); });
  }
  const auto with_bias = [&](auto&& f) {
    with_out<In>(e.wide_bias ? Type::f32 : g.out,
                 [&]<class T>() { f(static_cast<const T*>(e.bias) + at.batch * e.stride_bias); });
  };
  const auto add = [](float x, float y, int = 0) { return detail::sum_of(x, y); };
  if (e.side != Bias::none && (e.side == Bias::columns) != g.turned) {
    float own[(n + 31) / 32];
    with_bias([&](const auto* bias) { of_columns(own, bias, true); });
    along_columns<n>(acc, own, add);
  } else if (e.side != Bias::none) {
    float own[2];
    with_bias([&](const auto* bias) { of_rows(own, bias, true); });
    along_rows<n>(acc, own, add);
  }
  activate(e.activation, acc);
#pragma unroll
  for (int i = 0; i < n / 2; ++i) sums[from / 2 + i] = acc[i];
}

// Finishes 64 x n accumulators of a warpgroup, of which the first is at (row, col) of the tile and at index `first` of
// C. Each warp writes strips of its 16 rows to shared memory, where a loop can index them, and finishes four
// neighbours of C a lane: columns of a row or, of Cᵀ, rows of a column.
template <class In, int n>
__device__ __forceinline__ void finish_accumulators(const Args& g, const BatchPosition& at, int row, int col,
                                                    std::int64_t first, const float (&acc)[n / 2],
                                                    AccumulatorStrip& strip) {
  constexpr int width = AccumulatorStrip::kCols, some = 4;
  const int lane = static_cast<int>(threadIdx.x) % 32, down = static_cast<int>(threadIdx.x) / 32 % 4 * 16;
  const int rows = at.rows - row - down, cols = min(at.cols - col, n);
#pragma unroll 1
  for (int from = 0; from < n; from += width) {
#pragma unroll
    for (int next = 0; next < n; next += width)
      if (next == from) detail::write_strip<n>(strip, acc, next);
    __syncwarp();
#pragma unroll 1
    for (int e = lane; e < 16 * width / some; e += 32) {
      const int r = g.turned ? e % (16 / some) * some : e / (width / some),
                c = g.turned ? e / (16 / some) : e % (width / some) * some, right = from + c;
      const std::int64_t below = down + r, down_at = at.row + row + below, right_at = at.col + col + right;
      const Place to = g.turned ? Place{first + right * g.ldc + below, at.batch, right_at, down_at}
                                : Place{first + below * g.ldc + right, at.batch, down_at, right_at};
      const int left = g.turned ? (right < cols ? rows - r : 0) : (r < rows ? cols - right : 0);
      const float* const sums = &strip.at[r][c];
      const int step = g.turned ? AccumulatorStrip::kStride : 1;
      finish_any_neighbours<In, some>(g, to, left, [=](int i) { return sums[i * step]; });
    }
    __syncwarp();  // before the next strip overwrites this one
  }
}

}  // namespace cairn::hopper
