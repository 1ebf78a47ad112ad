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

}  // namespace cairn::hopper
