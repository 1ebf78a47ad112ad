// The work of a persistent block: full tiles, and then its k range of the split tiles of the tail wave
// (device/stream_k.hpp). A k range that reaches into a second tile is two work items of the block.
#pragma once

#include "device/stream_k.hpp"

namespace cairn::hopper_59 {

struct Work {
  int tile;        // of all products of the batch
  int begin, end;  // k-steps
  int slot;        // of scratch memory for the partial sums, unless these are all k-steps
};

// Work item `iteration` of `block` of `blocks`; false if it has no more.
__device__ __forceinline__ bool next_work(const StreamK& stream_k, int block, int blocks, int iteration, Work& work) {
  const int tile = block + iteration * blocks;
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

}  // namespace cairn::hopper_59
