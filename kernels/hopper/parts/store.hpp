// The epilogue: full tiles to C, by TMA where possible, else by threads. Turned tiles hold Cᵀ and are
// transposed on their way out.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "device/accumulators.hpp"
#include "device/barrier.hpp"
#include "device/e4m3.hpp"
#include "device/elect.hpp"
#include "device/pack.hpp"
#include "device/stmatrix.hpp"
#include "device/tma.hpp"
#include "kernels/hopper/parts/args.hpp"
#include "kernels/hopper/parts/finish.hpp"

namespace cairn::hopper {

// Where a warpgroup stages C: in its own staging boxes or, in a block's last tile, in the rows of A that it alone has
// read in every stage.
struct Staging {
  unsigned char *boxes, *stages;  // stages: nullptr while they are needed for loads
  int barrier;                    // of the warpgroup's threads
  int warp;                       // of the warpgroup, a value that the compiler knows to be the same in all lanes

  // True in the thread that issues TMA stores and waits for them.
  __device__ __forceinline__ bool issues() const { return warp == 0 && elect_one(); }
};

// Where a row of a box has chunk `chunk`, 16 bytes, swizzled for TMA. Rows have `bytes`, 128 or fewer.
template <int bytes> __device__ __forceinline__ int swizzled_chunk(int row, int chunk) {
  constexpr int chunks = bytes / 16, turn_rows = 8 / chunks;
  return row * bytes + (chunk ^ row / turn_rows % chunks) * 16;
}

// Writes columns first … first + cols - 1 of the 64 accumulator rows to a box of 64 rows, its chunks swizzled for TMA.
template <Type out, int cols>
__device__ __forceinline__ void fill_box(unsigned char* box, const float* acc, int first, float alpha) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32 % 4;
  constexpr int bytes = cols * (out == Type::f32 ? 4 : 2);
  if constexpr (out == Type::f32) {
#pragma unroll
    for (int j = 0; j < cols / 8; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = warp * 16 + half * 8 + lane / 4;
        const float* const x = &acc[first / 2 + j * 4 + half * 2];
        *reinterpret_cast<float2*>(box + swizzled_chunk<bytes>(row, j * 2 + lane % 4 / 2) + lane % 2 * 8) =
            make_float2(alpha * x[0], alpha * x[1]);
      }
    }
  } else {
    // Lanes 0-15 address 16 rows, lanes 16-31 the same rows 8 columns further on.
    using Out = std::conditional_t<out == Type::f16, __half, __nv_bfloat16>;
    const int row = warp * 16 + lane % 16;
#pragma unroll
    for (int j = 0; j < cols / 16; ++j) {
      const float* const x = &acc[first / 2 + j * 8];
      std::uint32_t pairs[4];
#pragma unroll
      for (int e = 0; e < 4; ++e) pairs[e] = pack<Out>(alpha * x[2 * e], alpha * x[2 * e + 1]);
      store_matrices(box + swizzled_chunk<bytes>(row, j * 2 + lane / 16), pairs);
    }
  }
}

// Turned: columns first … first + rows - 1 become the rows of a box, and the 64 accumulator rows its columns, which
// for f32 are those of two boxes: `half` 0 and 1.
template <Type out, int rows>
__device__ __forceinline__ void fill_turned_box(unsigned char* box, const float* acc, int first, int half,
                                                float alpha) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32 % 4;
  // Chunk c of row r is stored at c ^ r % 8. Eight rows further on that is the same, so four addresses, or one, serve
  // all of them.
  if constexpr (out == Type::f32) {
    if (warp / 2 != half) return;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int row = lane % 4 * 2 + e % 2, col = warp % 2 * 16 + e / 2 * 8 + lane / 4;
      unsigned char* const to = box + row * kRowBytes + (col / 4 ^ row) * 16 + col % 4 * 4;
#pragma unroll
      for (int j = 0; j < rows / 8; ++j)
        *reinterpret_cast<float*>(to + j * 8 * kRowBytes) = alpha * acc[first / 2 + j * 4 + e];
    }
  } else {
    // A matrix of 8 x 8 is transposed as it is stored: lane 8 i + r addresses row r of matrix i. Matrices 0 and 1 are
    // next to each other, 2 and 3 below them.
    using Out = std::conditional_t<out == Type::f16, __half, __nv_bfloat16>;
    const int matrix = lane / 8, r = lane % 8;
    unsigned char* const to = box + (matrix / 2 * 8 + r) * kRowBytes + ((warp * 2 + matrix % 2) ^ r) * 16;
#pragma unroll
    for (int j = 0; j < rows / 8; j += 2) {
      const float* const x = &acc[first / 2 + j * 4];
      if (j + 1 < rows / 8) {
        const std::uint32_t pairs[4] = {pack<Out>(alpha * x[0], alpha * x[1]), pack<Out>(alpha * x[2], alpha * x[3]),
                                        pack<Out>(alpha * x[4], alpha * x[5]), pack<Out>(alpha * x[6], alpha * x[7])};
        store_transposed(to + j * 8 * kRowBytes, pairs);
      } else {
        const std::uint32_t pairs[2] = {pack<Out>(alpha * x[0], alpha * x[1]), pack<Out>(alpha * x[2], alpha * x[3])};
        store_transposed(matrix < 2 ? to + j * 8 * kRowBytes : box, pairs);  // addresses of lanes 16-31 are ignored
      }
    }
  }
}

// Copies `rows` of a box, whose rows have `bytes`, to row y and column x of C: those of a group that ends within it. TMA
// would write to the next group too.
template <int bytes, int size>
__device__ __forceinline__ void copy_box(const Args& g, const unsigned char* box, int x, int y, int rows) {
  constexpr int chunks = bytes / 16;
  const std::int64_t cols = g.turned ? g.m : g.n;
#pragma unroll 1  // its addresses would be kept, and spilled
  for (int i = static_cast<int>(threadIdx.x) % 128; i < rows * chunks; i += 128) {
    const int row = i / chunks, chunk = i % chunks, col = x + chunk * (16 / size);
    if (col >= cols) continue;
    *reinterpret_cast<float4*>(static_cast<unsigned char*>(g.C) + ((y + row) * g.ldc + col) * size) =
        *reinterpret_cast<const float4*>(box + swizzled_chunk<bytes>(row, chunk));
  }
}

// Stores columns from … from + cols - 1 of a warpgroup's 64 x n accumulators to C by TMA; the first of all is at
// (row, col) of product `batch`. When kBoxes are written, TMA stores them. Free stages have a box each, `stage_stride`
// bytes apart. Of groups, `left` rows of C from there on are in this one.
template <Type out, int n, int from, int cols, bool turned, int stages, int stage_stride, bool grouped>
__device__ __forceinline__ void store_boxes(const Args& g, const TensorMap& C, int row, int col, int batch, int left,
                                            const float (&acc)[n / 2], float alpha, Staging staging) {
  constexpr int size = out == Type::f32 ? 4 : 2, side = turned ? turned_box_rows(n) : box_cols(n, size),
                across = turned ? size / 2 : 1,  // boxes next to each other for the 64 accumulator rows
      boxes = (from + cols) / side * across;
#pragma unroll
  for (int first = from / side * across; first < boxes; first += kBoxes) {
    const bool in_stages = first + kBoxes <= stages && staging.stages != nullptr;
    const auto box_of = [&](int c) {
      return in_stages ? staging.stages + c * stage_stride : staging.boxes + c % kBoxes * kBoxBytes;
    };
    // The boxes are free when their previous stores have read them, the stages when all 128 threads have arrived.
    if (!in_stages && staging.issues()) tma_wait_read<0>();
    if (first == 0 || !in_stages) bar_sync(staging.barrier, 128);
#pragma unroll
    for (int c = first; c < first + kBoxes && c < boxes; ++c) {
      if constexpr (turned) fill_turned_box<out, side>(box_of(c), acc, c / across * side, c % across, alpha);
      if constexpr (!turned) fill_box<out, side>(box_of(c), acc, c * side, alpha);
    }
    fence_proxy_async();
    bar_sync(staging.barrier, 128);
    const auto right_of = [&](int c) { return turned ? c % across * 32 : c * side; };
    const auto below_of = [&](int c) { return turned ? c / across * side : 0; };
    const auto is_full = [&](int c) { return !grouped || left - below_of(c) >= (turned ? side : 64); };
    if constexpr (grouped) {
#pragma unroll
      for (int c = first; c < first + kBoxes && c < boxes; ++c) {
        if (!is_full(c))
          copy_box<turned ? kRowBytes : side * size, size>(g, box_of(c), col + right_of(c), row + below_of(c),
                                                           left - below_of(c));
      }
    }
    if (!staging.issues()) continue;
#pragma unroll
    for (int c = first; c < first + kBoxes && c < boxes; ++c)
      if (is_full(c)) tma_store(C, {col + right_of(c), row + below_of(c), batch}, box_of(c));
    tma_commit();
  }
}

// Stores the accumulators of a full tile to C. This warpgroup's begin at (row, col) of the tile.
template <class In, class G, bool promoted, Form form>
__device__ __forceinline__ void store(const Args& g, const TensorMap& C, const BatchPosition& at, int row, int col,
                                      float (&acc)[G::wgmmas][G::wn / 2], Staging staging) {
  constexpr bool finishing = form != Form::plain && G::template finishes_sums<promoted>,
                 grouped = form == Form::grouped;
  const bool edge = g.turned ? at.rows < G::bm : at.cols < G::bn;
  const bool by_tma = g.tma_store && (g.tma_store_edge || !edge);
  const bool finish = finishing && g.epilogue.after_sum;
  const int c_batch = grouped ? 0 : at.batch;
#pragma unroll
  for (int i = 0; i < G::wgmmas; ++i) {
    const int tile_row = row + i * 64, p_row = static_cast<int>(at.row) + tile_row,
              p_col = static_cast<int>(at.col) + col, left = g.turned ? at.cols - col : at.rows - tile_row;
    Staging here = staging;
    if (here.stages != nullptr) here.stages += i * 64 * kRowBytes;
    const float alpha = finish ? 1 : g.alpha;  // or it is applied before
    const auto store_as = [&]<Type out, int from, int cols>() {
      if (g.turned) {
        store_boxes<out, G::wn, from, cols, true, G::stages, G::bm * kRowBytes, grouped>(g, C, p_col, p_row, c_batch,
                                                                                         left, acc[i], alpha, here);
      } else {
        store_boxes<out, G::wn, from, cols, false, G::stages, G::bm * kRowBytes, grouped>(g, C, p_row, p_col, c_batch,
                                                                                          left, acc[i], alpha, here);
      }
    };
    const auto store_columns = [&]<int from, int cols>(std::integer_sequence<int, from, cols>) {
      if constexpr (finishing)
        if (finish) finish_in_registers<In, G::wn, from, cols>(g, at, tile_row, col, acc[i]);
      if constexpr (can_store<In, Type::f16>) {
        if (g.out == Type::f16) store_as.template operator()<Type::f16, from, cols>();
      }
      if constexpr (can_store<In, Type::bf16>) {
        if (g.out == Type::bf16) store_as.template operator()<Type::bf16, from, cols>();
      }
      if (g.out == Type::f32) store_as.template operator()<Type::f32, from, cols>();
    };
    if (by_tma) {
      if (grouped && left <= 0) continue;
      constexpr int cols = finishing ? G::finished_n : G::wn;
      [&]<int... part>(std::integer_sequence<int, part...>) {
        (store_columns(std::integer_sequence<int, part * cols, cols>{}), ...);
      }
      (std::make_integer_sequence<int, G::wn / cols>{});
      continue;
    }
    if (here.issues()) tma_wait_read<0>();  // the strips use the memory of the staging boxes
    bar_sync(here.barrier, 128);
    const std::int64_t c_row = at.row + tile_row, c_col = at.col + col;
    const std::int64_t first = at.batch * g.stride_c + (g.turned ? c_col * g.ldc + c_row : c_row * g.ldc + c_col);
    AccumulatorStrip& strip = reinterpret_cast<AccumulatorStrip*>(staging.boxes)[threadIdx.x / 32 % 4];
    if constexpr (finishing) {
      finish_accumulators<In, G::wn>(g, at, tile_row, col, first, acc[i], strip);
      continue;
    }
    const auto put = [&](std::int64_t c, float sum) {
      with_out<In>(g.out, [&]<class Out>() { update<Out>(g.C, c, sum, g.alpha, g.beta); });
    };
    if (g.turned) {
      for_each_turned_accumulator<G::wn>(first, g.ldc, at.rows - tile_row, at.cols - col, acc[i], strip, put);
    } else {
      for_each_accumulator<G::wn>(first, g.ldc, at.rows - tile_row, at.cols - col, acc[i], strip, put);
    }
  }
}

// The same for k = 0, where all sums are 0: without accumulators, which are then never zeroed for a tile of products.
template <class In, Form form> __device__ __forceinline__ void store_zeros(const Args& g, int thread, int threads) {
  const std::int64_t all_rows = g.turned ? g.n : g.m, cols = g.turned ? g.m : g.n;
  const int products = g.stream_k.whole / static_cast<int>(g.grid.rows * g.grid.cols);
  std::int64_t first = 0, rows = all_rows;
  for (int batch = 0; batch < (form == Form::grouped ? g.groups.count : products); ++batch) {
    if constexpr (form == Form::grouped)
      first = batch == 0 ? 0 : rows, rows = min(max(std::int64_t{g.groups.ends[batch]}, first), all_rows);
    for (std::int64_t row = first + blockIdx.x; row < rows; row += gridDim.x) {
      for (std::int64_t col = thread; col < cols; col += threads) {
        const std::int64_t at = batch * g.stride_c + row * g.ldc + col;
        if constexpr (form != Form::plain) {
          float zero[1] = {};
          finish_any<In>(g, {at, batch, row, col}, zero);
        } else {
          with_out<In>(g.out, [&]<class Out>() { update<Out>(g.C, at, 0.0f, g.alpha, g.beta); });
        }
      }
    }
  }
}

}  // namespace cairn::hopper
