// What a block does: whole tiles, and then its share of those that are cut along k (device/stream_k.hpp). Blocks
// stay, so a share that reaches into a second tile is two jobs of one block.
#pragma once

#include "device/stream_k.hpp"

namespace cairn::hopper_59 {

struct Work {
  int tile;        // counted through all products of the batch
  int begin, end;  // steps of k
  int slot;        // of scratch memory, if these are not all steps
};

// The block's job number `turn`, counted from 0; false if it has no more. `block` of `blocks`.
__device__ __forceinline__ bool work_of(const StreamK& stream_k, int block, int blocks, int turn, Work& work) {
  const int tile = block + turn * blocks;
  if (tile < stream_k.whole) {
    work = {tile, 0, stream_k.steps, 0};
    return true;
  }
  if (block >= stream_k.blocks) return false;
  const int before = block < stream_k.whole ? (stream_k.whole - block + blocks - 1) / blocks : 0;  // whole tiles
  const int part = turn - before, first = stream_k.first(block), last = stream_k.first(block + 1);
  const int cut = first / stream_k.steps, border = (cut + 1) * stream_k.steps;
  if (part == 0) {
    work = {stream_k.whole + cut, first - cut * stream_k.steps, min(last, border) - cut * stream_k.steps, 2 * block};
    return true;
  }
  if (part > 1 || last <= border) return false;
  work = {stream_k.whole + cut + 1, 0, last - border, 2 * block + 1};
  return true;
}

}  // namespace cairn::hopper_59
