// Scales of 128 of k, a k-step of e4m3: the products of a step are multiplied by them as they are promoted. A warp of the
// producer copies those of a tile to a slot of the stage, steps ahead: in the consumers every load would be waited for.
#pragma once

#include "device/async_copy.hpp"
#include "device/pdl.hpp"
#include "kernels/hopper/parts/work.hpp"

namespace cairn::hopper {

// Of the rows and columns of the product as it is computed.
__device__ __forceinline__ StepScales row_scales(const Args& g) {
  return g.turned ? g.epilogue.steps_b : g.epilogue.steps_a;
}
__device__ __forceinline__ StepScales column_scales(const Args& g) {
  return g.turned ? g.epilogue.steps_a : g.epilogue.steps_b;
}

// The rows or columns of a tile in a slot: a scale for each, or for each block of 128 that they are in. `aligned`: they
// begin with a block.
template <bool aligned> struct SlotLines {
  bool each;
  int before;  // lines of the first block that are not the tile's

  __device__ __forceinline__ SlotLines(const StepScales& scales, std::int64_t first)
      : each(scales.each), before(aligned ? 0 : static_cast<int>(first % 128)) {}
  __device__ __forceinline__ int index(int line) const { return each ? line : (before + line) / 128; }
};

// The same in global memory.
struct CopiedLines {
  const float* from;  // the first, of k-step 0
  int all, there;     // in a slot, and of those the ones of the matrix

  __device__ __forceinline__ CopiedLines(const Args& g, const StepScales& scales, std::int64_t first, int lines,
                                         int left, int batch) {
    const SlotLines<false> in_slot(scales, first);
    from = scales.data + batch * scales.stride + (scales.each ? first : first / 128) * g.stream_k.steps;
    all = in_slot.index(lines - 1) + 1;
    there = left > 0 ? in_slot.index(left - 1) + 1 : 0;
  }
  // By a warp. Beyond the matrix, where nothing is stored, they are 0.
  __device__ __forceinline__ void copy(float* to, int steps, int step) const {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x) % 32; i < all; i += 32) {
      const bool is_there = i < there;
      async_copy<4>(to + i, is_there ? from + std::int64_t{i} * steps + step : from, is_there ? 4 : 0);
    }
  }
};

// The part of a warp of the producer. It arrives for a k-step when it has issued the copies of the next ones, so that
// those of several are on their way at the same time. The consumers always have one stage more than they have to
// release before it goes on, so they do not wait for it.
template <class G, class Item>
__device__ __forceinline__ void copy_scales(const Args& g, float* slots, Mbarrier* full, Mbarrier* empty, int block,
                                            int blocks, int rank, const ClusterPlace& place) {
  constexpr int behind = G::stages - 2;
  static_assert(behind > 0);
  int stage = 0, oldest = 0, on_their_way = 0;
  unsigned phase = 0;
  const auto arrive = [&] {
    __syncwarp();
    if (threadIdx.x % 32 == 0) mbarrier_arrive(full + oldest);
    if (++oldest == G::stages) oldest = 0;
  };
  Item work{};
  for (int i = 0; next_work(g, block, blocks, rank, i, work); ++i) {
    const BatchPosition at = position_of(g, G::bm, G::bn, work, place);
    const CopiedLines rows(g, row_scales(g), at.row, G::bm, at.rows, at.batch),
        columns(g, column_scales(g), at.col, G::bn, at.cols, at.batch);
    if (i == 0) pdl_wait();
#pragma unroll 1
    for (int k_step = work.begin; k_step < work.end; ++k_step) {
      mbarrier_wait(empty + stage, phase ^ 1);
      rows.copy(slots + stage * G::stage_scales, g.stream_k.steps, k_step);
      columns.copy(slots + stage * G::stage_scales + G::bm, g.stream_k.steps, k_step);
      async_commit();
      if (on_their_way == behind) {
        async_wait<behind>();
        arrive();
      } else {
        ++on_their_way;
      }
      if (++stage == G::stages) stage = 0, phase ^= 1;
    }
  }
  async_wait_all();
  for (; on_their_way > 0; --on_their_way) arrive();
}

// The scales of a warpgroup's part of a tile, which begins at (row, col) of it. A lane has two rows of 64, eight apart,
// and pairs of columns.
template <class G, Form form> struct BlockScales {
  // Groups of rows begin anywhere.
  SlotLines<form != Form::grouped && G::bm % 128 == 0> rows;
  SlotLines<form != Form::grouped && G::bn % 128 == 0> columns;
  int row, col;

  __device__ __forceinline__ BlockScales(const Args& g, const BatchPosition& at, int row_, int col_)
      : rows(row_scales(g), at.row), columns(column_scales(g), at.col), row(row_), col(col_) {}

  // What the two rows of a lane are multiplied by, of 64 from `i` on: their scales and, unless each column has its own,
  // that of column `j`.
  struct Factors {
    float of_rows[2];
  };
  __device__ __forceinline__ Factors factors(const float* slot, int i, int j) const {
    const int thread = static_cast<int>(threadIdx.x), first = row + i + thread / 32 % 4 * 16 + thread % 32 / 4;
    const float column = G::scales_columns && columns.each ? 1 : slot[G::bm + columns.index(col + j)];
    return {{slot[rows.index(first)] * column, slot[rows.index(first + 8)] * column}};
  }

  // Adds the sums of a k-step, of 64 rows from `i` on by n columns from `j` on. Those may be in two blocks of 128; as
  // tiles begin at multiples of 16 columns, 8 of them are in one.
  template <int n>
  __device__ __forceinline__ void add(float* acc, const float (&sums)[n / 2], const Factors& by, const float* slot,
                                      int i, int j) const {
    static_assert(n <= 128 && n % 8 == 0);
    const int next = 128 - (columns.before + col + j) % 128;
    if (G::scales_columns && columns.each) {
#pragma unroll
      for (int c = 0; c < n / 8; ++c) {
        const float2 pair =
            *reinterpret_cast<const float2*>(slot + G::bm + col + j + c * 8 + static_cast<int>(threadIdx.x) % 4 * 2);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int e = c * 4 + half * 2;
          acc[e] = fmaf(sums[e], by.of_rows[half] * pair.x, acc[e]);
          acc[e + 1] = fmaf(sums[e + 1], by.of_rows[half] * pair.y, acc[e + 1]);
        }
      }
    } else if (next >= n) {
#pragma unroll
      for (int e = 0; e < n / 2; ++e) acc[e] = fmaf(sums[e], by.of_rows[e / 2 % 2], acc[e]);
    } else {
      const Factors then = factors(slot, i, j + next);
#pragma unroll
      for (int e = 0; e < n / 2; ++e) {
        const float first = by.of_rows[e / 2 % 2], second = then.of_rows[e / 2 % 2];
        acc[e] = fmaf(sums[e], e / 4 * 8 < next ? first : second, acc[e]);
      }
    }
  }
};

}  // namespace cairn::hopper
