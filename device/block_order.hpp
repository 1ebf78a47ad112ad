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
template <int bm, int bn, int group>
__device__ __forceinline__ TilePosition tile_position(std::int64_t m, std::int64_t n, int tile) {
  const auto tiles_m = static_cast<unsigned>((m + bm - 1) / bm), tiles_n = static_cast<unsigned>((n + bn - 1) / bn);
  const unsigned above = static_cast<unsigned>(tile) / (group * tiles_n) * group;
  const unsigned index = static_cast<unsigned>(tile) % (group * tiles_n),
                 height = min(tiles_m - above, unsigned{group});
  const std::int64_t row = std::int64_t{above + index % height} * bm, col = std::int64_t{index / height} * bn;
  return {row, col, static_cast<int>(min(m - row, std::int64_t{bm})),
          static_cast<int>(min(n - col, std::int64_t{bn}))};
}

}  // namespace cairn
