// The work of a persistent block: full tiles, and then its k range of the split tiles of the tail wave
// (device/stream_k.hpp). A k range that reaches into a second tile is two work items of the block. Where the blocks of
// a cluster share a tile along k, each has one work item.
#pragma once

#include "kernels/hopper/parts/args.hpp"

namespace cairn::hopper {

struct Work {
  int tile;        // of all products of the batch
  int begin, end;  // k-steps
  int slot;        // of scratch memory for the partial sums, unless these are all k-steps
};

// A tile of a group of rows. All k-steps are its block's.
struct GroupedWork : Work {
  GroupWalk at;
};

// Work item `iteration` of `block` of `blocks`, or of a cluster's blocks; false if it has no more. `rank`: within the
// cluster.
//
// What comes before a block's first load is not free, so there are no divisions but for split tiles: of those, k ranges
// begin by StreamK::first(), and whole tiles are full waves, after which all blocks go on to a range.
__device__ __forceinline__ bool next_work(const Args& g, int block, int blocks, int rank, int iteration, Work& work) {
  const StreamK& stream_k = g.stream_k;
  const int tile = block + iteration * blocks, beyond = tile - stream_k.whole;
  if (g.k_blocks > 1) {
    const auto begin = [&](int i) { return i * stream_k.each + min(i, stream_k.longer); };
    work = {tile, begin(rank), begin(rank + 1), tile * g.k_blocks + rank};
    return iteration == 0;
  }
  if (beyond < 0) {
    work = {tile, 0, stream_k.steps, 0};
    return true;
  }
  if (block >= stream_k.blocks || beyond >= 2 * blocks) return false;
  const int first = stream_k.first(block), last = stream_k.first(block + 1);
  const int split = first / stream_k.steps, border = (split + 1) * stream_k.steps;
  if (beyond < blocks) {
    work = {stream_k.whole + split, first - split * stream_k.steps, min(last, border) - split * stream_k.steps,
            2 * block};
    return true;
  }
  if (last <= border) return false;
  work = {stream_k.whole + split + 1, 0, last - border, 2 * block + 1};
  return true;
}

// Rows of C in a cluster's tile, and its tiles next to each other.
__device__ __forceinline__ int group_tile_rows(const Args& g) { return g.turned ? g.across * g.bn : g.down * g.bm; }
__device__ __forceinline__ bool next_work(const Args& g, int block, int blocks, int, int iteration,
                                          GroupedWork& work) {
  const auto beside = static_cast<int>(g.turned ? g.grid.rows : g.grid.cols);
  const int tile = block + iteration * blocks;
  if (!work.at.find(g.groups, group_tile_rows(g), beside, tile)) return false;
  work.tile = tile, work.begin = 0, work.end = g.stream_k.steps, work.slot = 0;
  return true;
}

// The tile of a block at `place`. bm and bn are the tile's.
__device__ __forceinline__ BatchPosition position_of(const Args& g, int bm, int bn, const Work& work,
                                                     const ClusterPlace& place) {
  return position_of(g, bm, bn, work.tile, place);
}
// Those of a group go down its rows first: blocks that run together share its B.
__device__ __forceinline__ BatchPosition position_of(const Args& g, int bm, int bn, const GroupedWork& work,
                                                     const ClusterPlace& place) {
  const GroupWalk& at = work.at;
  const int size = group_tile_rows(g), height = (at.end - at.first + size - 1) / size, index = work.tile - at.before;
  const int down = index % height, across = index / height;
  const int row = ((g.turned ? across : down) * g.down + place.below) * bm + (g.turned ? 0 : at.first);
  const int col = ((g.turned ? down : across) * g.across + place.beside) * bn + (g.turned ? at.first : 0);
  const int end_row = g.turned ? static_cast<int>(g.m) : at.end, end_col = g.turned ? at.end : static_cast<int>(g.n);
  return {{row, col, min(end_row - row, bm), min(end_col - col, bn)}, at.group};
}

}  // namespace cairn::hopper
