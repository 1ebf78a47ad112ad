// The arguments of a kernel, and the position of a tile within a batch.
#pragma once

#include <cstddef>

#include "device/block_order.hpp"
#include "device/stream_k.hpp"
#include "kernels/hopper/parts/tile.hpp"

namespace cairn::hopper {

// A or B as threads fetch it: words along k, of an element or, where rows are contiguous and aligned, of 4 bytes.
struct Source {
  const unsigned char* base;
  std::int64_t row, word, batch;  // bytes from one to the next
  std::int64_t rows, words;       // rows of op(A), or columns of op(B), and words of k
  bool k_major, wide;             // wide: words of 4 bytes
};

// What a block needs before its first load comes first: kernel arguments are constants, which a block reads from memory
// in lines of 64 bytes.
struct Args {
  int cluster;                    // blocks one below the other that share the columns of B, or
  int k_blocks;                   // blocks of a cluster that share a tile, each with a range of k-steps
  TileGrid grid;                  // the tiles of a product; those of a cluster count as one
  StreamK stream_k;               // how they are divided among blocks
  int rows_a, rows_b;             // of a stage that are loaded; those beyond the matrix may be left out
  bool broadcast_a, broadcast_b;  // all products of the batch have the same A, the same B
  bool tma_store;                 // TMA stores C
  bool tma_store_edge;            // also the tiles of C's last columns: TMA writes full chunks of 16 bytes
  bool vector_c;                  // C allows 16-byte accesses
  bool turned;                    // the rows of the product are columns of C
  Type out;
  std::int64_t m, n;  // of the product as it is computed: of Cᵀ if turned
  float alpha, beta;
  void* C;
  std::int64_t ldc, stride_c;
  float* partials;  // partial sums of split tiles, each tile as it is in C
  Source a, b;      // of fetched tiles
  int bm, bn;       // of the tile, for the fix-up
};
static_assert(offsetof(Args, m) == 64);

struct BatchPosition : TilePosition {
  int batch;
};
// Of block `rank` of those one below the other. bm and bn are the tile's.
__device__ __forceinline__ BatchPosition position_of(const Args& g, int bm, int bn, int index, int rank) {
  const auto tiles = static_cast<int>(g.grid.rows * g.grid.cols);
  const int batch = index < tiles ? 0 : index / tiles;
  const auto [tile_row, tile_col] = g.grid.place(static_cast<unsigned>(index - batch * tiles));
  const std::int64_t row =
                         std::int64_t{tile_row * static_cast<unsigned>(g.cluster) + static_cast<unsigned>(rank)} * bm,
                     col = std::int64_t{tile_col} * bn;
  // Rows are not positive if the cluster has fewer tiles than blocks.
  return {{row, col, static_cast<int>(min(g.m - row, std::int64_t{bm})),
           static_cast<int>(min(g.n - col, std::int64_t{bn}))},
          batch};
}

}  // namespace cairn::hopper
