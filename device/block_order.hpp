// Block order: which tile of C a block computes (also called rasterization, or threadblock swizzle).
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

namespace cairn {

// A tile's first row and column, and how many of its rows and columns are in the matrix.
struct TilePosition {
  std::int64_t row, col;
  int rows, cols;
};

// Tiles are numbered down the columns of groups of `group` rows of tiles, so that concurrent blocks share A and B in
// L2.
struct TileGrid {
  unsigned rows, cols, group;

  struct Place {
    unsigned row, col;
  };
  __device__ __forceinline__ Place place(unsigned tile) const {
    unsigned above = 0;
    if (tile >= group * cols) {  // not in the first group: a division, which is slow
      const unsigned groups = tile / (group * cols);
      above = groups * group;
      tile -= groups * group * cols;
    }
    const unsigned height = min(rows - above, group);
    return {above + tile % height, tile / height};
  }
};
template <int bm, int bn, int group>
__device__ __forceinline__ TilePosition tile_position(std::int64_t m, std::int64_t n, int tile) {
  const TileGrid grid{static_cast<unsigned>((m + bm - 1) / bm), static_cast<unsigned>((n + bn - 1) / bn), group};
  const auto [tile_row, tile_col] = grid.place(static_cast<unsigned>(tile));
  const std::int64_t row = std::int64_t{tile_row} * bm, col = std::int64_t{tile_col} * bn;
  return {row, col, static_cast<int>(min(m - row, std::int64_t{bm})),
          static_cast<int>(min(n - col, std::int64_t{bn}))};
}

}  // namespace cairn
