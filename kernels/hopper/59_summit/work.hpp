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
__device__ __forceinline__ bool work_of(const Shares& shares, int block, int blocks, int turn, Work& work) {
  const int tile = block + turn * blocks;
  if (tile < shares.whole) {
    work = {tile, 0, shares.steps, 0};
    return true;
  }
  if (block >= shares.blocks) return false;
  const int before = block < shares.whole ? (shares.whole - block + blocks - 1) / blocks : 0;  // whole tiles
  const int part = turn - before, first = shares.first(block), last = shares.first(block + 1);
  const int cut = first / shares.steps, border = (cut + 1) * shares.steps;
  if (part == 0) {
    work = {shares.whole + cut, first - cut * shares.steps, min(last, border) - cut * shares.steps, 2 * block};
    return true;
  }
  if (part > 1 || last <= border) return false;
  work = {shares.whole + cut + 1, 0, last - border, 2 * block + 1};
  return true;
}

}  // namespace cairn::hopper_59
