// Sharing out the steps of k: where the last tiles are too few for all SMs, they are cut, and what is made of each is
// added up by a second kernel, always in the same order.
//
// A block each makes the first `whole` tiles. The steps of the others, laid end to end, are shared out evenly among
// `blocks` more. There are no more of these tiles than blocks, so a share reaches into two at most; and what reaches
// into the second is made by a block of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "device/block_order.hpp"
#include "device/vec.hpp"

namespace cairn {

struct StreamK {
  int whole, cut, steps, blocks;  // tiles, tiles, steps of k in a tile, blocks
  int each, longer;               // steps of a share; the first `longer` have one more

  // Share i is the steps first(i) to first(i + 1) - 1.
  __host__ __device__ int first(int i) const { return i * each + (i < longer ? i : longer); }
  __host__ __device__ int range_of(int step) const {
    const int in_longer = longer * (each + 1);
    return step < in_longer ? step / (each + 1) : longer + (step - in_longer) / each;
  }
  int grid() const { return whole + blocks + std::max(cut - 1, 0); }  // one more for each border between tiles
  std::size_t sums() const { return std::size_t{2} * static_cast<std::size_t>(blocks); }  // tiles of scratch memory
};

// No tile is split.
inline StreamK whole_tiles(std::int64_t tiles, std::int64_t steps) {
  return {static_cast<int>(tiles), 0, static_cast<int>(steps), 0, 0, 0};
}

// `tiles` tiles of `steps` steps on so many SMs, of which each runs `resident` blocks at a time: the tail wave is
// split if that saves a step. Whether it saves more than the fix-up costs (partial sums are written, read, and added
// by a second kernel) is for the rung's cost model to say.
inline StreamK split_tail_wave(std::int64_t tiles, std::int64_t steps, int units, int resident) {
  constexpr std::int64_t least = 4;  // steps
  const std::int64_t running = std::int64_t{units} * resident, rest = tiles % running;
  // After whole tiles all blocks are there. Where there are only shares, one on each SM has its bandwidth to itself.
  const std::int64_t most = tiles > running ? running : std::max<std::int64_t>(units, rest);
  const std::int64_t blocks = std::clamp(rest * steps / least, rest, most);
  const auto i = [](std::int64_t x) { return static_cast<int>(x); };
  if (rest == 0 || steps <= (rest * steps + blocks - 1) / blocks) return whole_tiles(tiles, steps);
  return {i(tiles - rest), i(rest), i(steps), i(blocks), i(rest * steps / blocks), i(rest * steps % blocks)};
}
// StreamK that one of the cut tiles has, at most: as many as reach into it.
inline int partials_of_a_tile(const StreamK& stream_k) {
  return (stream_k.steps + stream_k.each - 1) / stream_k.each + 1;
}

// What a block makes: the steps `begin` to `end` - 1 of a tile. If these are not all, their sums go to a slot of
// their own, as large as a tile.
struct Job : TilePosition {
  int begin, end;
  std::int64_t slot;  // -1: there is nothing to do, no share reaches across this border
};
template <int bm, int bn, int group>
__device__ __forceinline__ Job job_of(const StreamK& stream_k, std::int64_t m, std::int64_t n, int block) {
  if (block < stream_k.whole) return {tile_position<bm, bn, group>(m, n, block), 0, stream_k.steps, 0};
  block -= stream_k.whole;
  const int across = block < stream_k.blocks ? 0 : 1, border = (block - stream_k.blocks + 1) * stream_k.steps;
  const int share = across ? stream_k.range_of(border) : block;
  const int first = across ? border : stream_k.first(share), last = stream_k.first(share + 1);
  const int cut = first / stream_k.steps, start = cut * stream_k.steps;
  return {tile_position<bm, bn, group>(m, n, stream_k.whole + cut), first - start, min(last - start, stream_k.steps),
          across && stream_k.first(share) == border ? -1 : 2 * std::int64_t{share} + across};
}

// Adds up the shares of a row of a cut tile, `bn` sums for one block. Threads along x have four columns each; along
// y, where the block is `deep`, they take turns with the shares, and what they come to is added in the order of y.
// The result lies in layers[0]; true for the threads that should go on with it, their own four.
template <int bn, int count>
__device__ __forceinline__ bool add_partials(float (&layers)[count][bn], const StreamK& stream_k, const float* sums,
                                             int tile_size, int cut, int row, int deep = count) {
  const int begin = cut * stream_k.steps, col = static_cast<int>(threadIdx.x) * 4,
            layer = static_cast<int>(threadIdx.y);
  const int first = stream_k.range_of(begin), last = stream_k.range_of(begin + stream_k.steps - 1);
  const int ends_here = stream_k.first(first) < begin ? 1 : 0;  // all shares but perhaps the first begin in this tile
  if (first == last) return false;                              // it was not cut after all; the block decides as one
  float sum[4] = {};
  const auto add = [&](const float* from) {
    float more[4];
    load4(more, from);
#pragma unroll
    for (int e = 0; e < 4; ++e) sum[e] += more[e];
  };
#pragma unroll 8
  for (int i = first + layer; i <= last; i += deep)
    add(sums + std::int64_t{2 * i + (i == first ? ends_here : 0)} * tile_size + row * bn + col);
  store4(&layers[layer][col], make_float4(sum[0], sum[1], sum[2], sum[3]));
  __syncthreads();
  if (layer > 0) return false;
  for (int y = 1; y <= min(last - first, deep - 1); ++y) add(&layers[y][col]);
  store4(&layers[0][col], make_float4(sum[0], sum[1], sum[2], sum[3]));
  return true;
}

}  // namespace cairn
