// Scales of 128 of k, a k-step of e4m3: the products of a step are multiplied by them as they are promoted.
#pragma once

#include "kernels/hopper/parts/args.hpp"

namespace cairn::hopper {

// The scales of a warpgroup's part of a tile, which begins at (row, col) of the product as it is computed. A lane has two
// rows of 64, eight apart, and pairs of columns.
struct BlockScales {
  const Args& g;
  const BatchPosition& at;
  int row, col;  // of the warpgroup, within the tile
  int step;

  // Of line `line` of an operand, within the tile; 0 beyond the matrix, where nothing is stored.
  __device__ __forceinline__ float of(const StepScales& scales, std::int64_t first, int line, int lines) const {
    if (line >= lines) return 0;
    const std::int64_t index = first + line;
    return scales.data[at.batch * scales.stride + (scales.each ? index : index / 128) * g.stream_k.steps + step];
  }
  __device__ __forceinline__ float of_row(int i) const {
    return of(g.turned ? g.epilogue.steps_b : g.epilogue.steps_a, at.row, row + i, at.rows);
  }
  __device__ __forceinline__ float of_column(int j) const {
    return of(g.turned ? g.epilogue.steps_a : g.epilogue.steps_b, at.col, col + j, at.cols);
  }
  // Whether 128 columns have the same.
  __device__ __forceinline__ bool shared_columns() const {
    return !(g.turned ? g.epilogue.steps_a : g.epilogue.steps_b).each;
  }
};

// Adds the sums of a k-step, 64 rows from `i` on by n columns from `j` on.
template <int n>
__device__ __forceinline__ void add_scaled(float* acc, const float (&sums)[n / 2], const BlockScales& scales, int i,
                                           int j) {
  static_assert(n <= 128 && n % 8 == 0);
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, first = i + thread / 32 % 4 * 16 + lane / 4;
  const float rows[2] = {scales.of_row(first), scales.of_row(first + 8)};
  if (scales.shared_columns()) {
    // The columns are in two blocks of 128 at most, of which the second begins at `next`.
    const int next = 128 - static_cast<int>((scales.at.col + scales.col + j) % 128);
    const float columns[2] = {scales.of_column(j), next < n ? scales.of_column(j + next) : 0.0f};
    const float by[2][2] = {{rows[0] * columns[0], rows[1] * columns[0]},
                            {rows[0] * columns[1], rows[1] * columns[1]}};
#pragma unroll
    for (int e = 0; e < n / 2; ++e) {
      const bool second = e / 4 * 8 >= next;
      acc[e] = fmaf(sums[e], second ? by[1][e / 2 % 2] : by[0][e / 2 % 2], acc[e]);
    }
  } else {
#pragma unroll
    for (int c = 0; c < n / 8; ++c) {
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
        const float column = scales.of_column(j + c * 8 + lane % 4 * 2 + pair);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int e = c * 4 + half * 2 + pair;
          acc[e] = fmaf(sums[e], rows[half] * column, acc[e]);
        }
      }
    }
  }
}

}  // namespace cairn::hopper
