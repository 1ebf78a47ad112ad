// The arguments of a kernel, and the position of a tile within a batch.
#pragma once

#include <cstddef>

#include "device/block_order.hpp"
#include "device/epilogue.hpp"
#include "device/groups.hpp"
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
  std::int16_t down, across;      // blocks of a cluster: in a column, which share columns of B, and in a row; or
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
  Epilogue epilogue;
  Groups groups;  // of rows of C, as if they were products of a batch
};
static_assert(offsetof(Args, m) == 64);

struct BatchPosition : TilePosition {
  int batch;
};
// Where a block is in its cluster. There are two columns at most.
struct ClusterPlace {
  int below, beside;
};
__device__ __forceinline__ ClusterPlace place_of(const Args& g, int rank) {
  const int beside = g.across > 1 && rank >= g.down ? 1 : 0;
  return {g.down > 1 ? rank - beside * g.down : 0, beside};
}

// Of a block at `place`. bm and bn are the tile's.
__device__ __forceinline__ BatchPosition position_of(const Args& g, int bm, int bn, int index,
                                                     const ClusterPlace& place) {
  const auto tiles = static_cast<int>(g.grid.rows * g.grid.cols);
  const int batch = index < tiles ? 0 : index / tiles;
  const auto [tile_row, tile_col] = g.grid.place(static_cast<unsigned>(index - batch * tiles));
  const auto first = [](unsigned tile, int blocks, int block, int size) {
    return std::int64_t{tile * static_cast<unsigned>(blocks) + static_cast<unsigned>(block)} * size;
  };
  const std::int64_t row = first(tile_row, g.down, place.below, bm),
                     col = first(tile_col, g.across, place.beside, bn);
  // Rows and columns are not positive if the cluster has fewer tiles than blocks.
  return {{row, col, static_cast<int>(min(g.m - row, std::int64_t{bm})),
           static_cast<int>(min(g.n - col, std::int64_t{bn}))},
          batch};
}

}  // namespace cairn::hopper
