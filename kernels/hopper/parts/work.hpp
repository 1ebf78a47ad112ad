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
__device__ __forceinline__ bool next_work(const Args& g, int block, int blocks, int rank, int iteration, Work& work) {
  const StreamK& stream_k = g.stream_k;
  const int tile = block + iteration * blocks;
  if (g.k_blocks > 1) {
    work = {tile, stream_k.steps * rank / g.k_blocks, stream_k.steps * (rank + 1) / g.k_blocks,
            tile * g.k_blocks + rank};
    return iteration == 0;
  }
  if (tile < stream_k.whole) {
    work = {tile, 0, stream_k.steps, 0};
    return true;
  }
  if (block >= stream_k.blocks) return false;
  const int full_tiles = block < stream_k.whole ? (stream_k.whole - block + blocks - 1) / blocks : 0;
  const int item = iteration - full_tiles, first = stream_k.first(block), last = stream_k.first(block + 1);
  const int split = first / stream_k.steps, border = (split + 1) * stream_k.steps;
  if (item == 0) {
    work = {stream_k.whole + split, first - split * stream_k.steps, min(last, border) - split * stream_k.steps,
            2 * block};
    return true;
  }
  if (item > 1 || last <= border) return false;
  work = {stream_k.whole + split + 1, 0, last - border, 2 * block + 1};
  return true;
}

}  // namespace cairn::hopper
