// Stream-K: where the tail wave has too few tiles for all SMs, its tiles are split along k, and a fix-up kernel adds the
// partial sums, always in the same order (device/fixup.hpp).
//
// The first `whole` tiles are computed by one block each. The k-steps of the others, laid end to end, are divided
// into `blocks` ranges of equal length. There are no more of these tiles than ranges, so a range reaches into two
// tiles at most; the part in the second tile is computed by a block of its own.
//
// Or each of the others is divided into as many `shares` (split-K). Some SMs then have no range, but all tiles are at
// the same k at the same time: what they have in common is still in L2 when the last of them loads it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "device/block_order.hpp"
#include "device/groups.hpp"

namespace cairn {

struct StreamK {
  int whole, split;   // tiles that are not split, and that are
  int steps, blocks;  // k-steps of a tile; ranges of k-steps
  int each, longer;   // k-steps of a range; the first `longer` ranges, of all or of each tile, have one more
  int shares = 0;     // ranges of each split tile; 0: they are laid end to end

  // Range i is the k-steps first(i) to first(i + 1) - 1.
  __host__ __device__ int first(int i) const {
    const int tile = shares > 0 ? i / shares : 0, range = i - tile * shares;
    return tile * steps + range * each + (range < longer ? range : longer);
  }
  __host__ __device__ int range_of(int step) const {
    const int tile = shares > 0 ? step / steps : 0, in_tile = step - tile * steps, in_longer = longer * (each + 1);
    return tile * shares + (in_tile < in_longer ? in_tile / (each + 1) : longer + (in_tile - in_longer) / each);
  }
  int grid() const { return whole + blocks + std::max(split - 1, 0); }  // a block more for each border between tiles
  // Scratch memory for partial sums, in tiles.
  std::size_t partial_tiles() const { return std::size_t{2} * static_cast<std::size_t>(blocks); }
};

// No tile is split.
inline StreamK whole_tiles(std::int64_t tiles, std::int64_t steps) {
  return {static_cast<int>(tiles), 0, static_cast<int>(steps), 0, 0, 0};
}

// No tile is split, but each is computed by `blocks` blocks of a cluster, in ranges of k-steps.
inline StreamK shared_tiles(std::int64_t tiles, std::int64_t steps, int blocks) {
  StreamK all = whole_tiles(tiles, steps);
  all.each = all.steps / blocks, all.longer = all.steps % blocks;
  return all;
}

// Splits the tail wave of `tiles` tiles of `steps` k-steps, on `units` SMs with `resident` blocks each, if that saves
// a k-step. Whether it saves more than the fix-up costs (partial sums are written, read, and added by a second
// kernel) is for the rung's cost model to decide.
inline StreamK split_tail_wave(std::int64_t tiles, std::int64_t steps, int units, int resident) {
  constexpr std::int64_t least = 4;  // k-steps of a range
  const std::int64_t running = std::int64_t{units} * resident, rest = tiles % running;
  // After full waves every block slot gets a range. Where all tiles are split, a block on each SM has its bandwidth
  // to itself.
  const std::int64_t most = tiles > running ? running : std::max<std::int64_t>(units, rest);
  const std::int64_t blocks = std::clamp(rest * steps / least, rest, most);
  const auto i = [](std::int64_t x) { return static_cast<int>(x); };
  if (rest == 0 || steps <= (rest * steps + blocks - 1) / blocks) return whole_tiles(tiles, steps);
  return {i(tiles - rest), i(rest), i(steps), i(blocks), i(rest * steps / blocks), i(rest * steps % blocks)};
}

// The same in equal shares, as many as there are SMs for, of four k-steps at least.
inline StreamK split_evenly(std::int64_t tiles, std::int64_t steps, int units) {
  constexpr std::int64_t least = 4;
  const std::int64_t rest = tiles % units, shares = rest == 0 ? 0 : std::min(units / rest, steps / least);
  const auto i = [](std::int64_t x) { return static_cast<int>(x); };
  if (shares < 2) return whole_tiles(tiles, steps);
  return {i(tiles - rest), i(rest), i(steps), i(rest * shares), i(steps / shares), i(steps % shares), i(shares)};
}

// The most ranges that reach into one split tile.
inline int partials_of_a_tile(const StreamK& stream_k) {
  if (stream_k.shares > 0) return stream_k.shares;
  return (stream_k.steps + stream_k.each - 1) / stream_k.each + 1;
}

// What a block computes: the k-steps `begin` to `end` - 1 of a tile. If these are not all, the partial sums go to a
// slot of scratch memory, as large as a tile.
struct Job : TilePosition {
  int begin, end;
  std::int64_t slot;  // -1: nothing to do, since no range reaches across this border
  int group;          // of rows; 0 where there are none
};
template <int bm, int bn, int group>
__device__ __forceinline__ Job job_of(const StreamK& stream_k, std::int64_t m, std::int64_t n, int block) {
  if (block < stream_k.whole) return {tile_position<bm, bn, group>(m, n, block), 0, stream_k.steps, 0, 0};
  block -= stream_k.whole;
  const int across = block < stream_k.blocks ? 0 : 1, border = (block - stream_k.blocks + 1) * stream_k.steps;
  const int range = across ? stream_k.range_of(border) : block;
  const int first = across ? border : stream_k.first(range), last = stream_k.first(range + 1);
  const int split = first / stream_k.steps, start = split * stream_k.steps;
  return {tile_position<bm, bn, group>(m, n, stream_k.whole + split), first - start,
          min(last - start, stream_k.steps),
          across && stream_k.first(range) == border ? -1 : 2 * std::int64_t{range} + across, 0};
}

// Of groups of rows, each block has a tile and all its k-steps; of as many blocks as there may be tiles.
template <int bm, int bn>
__device__ __forceinline__ Job job_of(const Groups& groups, const StreamK& stream_k, std::int64_t n, int block) {
  GroupWalk at;
  const int beside = static_cast<int>((n + bn - 1) / bn);
  if (!at.find(groups, bm, beside, block)) return {{}, 0, 0, -1, 0};
  const int height = at.tiles / beside, index = block - at.before;
  const std::int64_t row = at.first + index % height * bm, col = std::int64_t{index / height} * bn;
  return {{row, col, static_cast<int>(min(at.end - row, std::int64_t{bm})),
           static_cast<int>(min(n - col, std::int64_t{bn}))},
          0,
          stream_k.steps,
          0,
          at.group};
}

template <int bm, int bn, int group>
__device__ __forceinline__ Job job_of(const Groups& groups, const StreamK& stream_k, std::int64_t m, std::int64_t n,
                                      unsigned block) {
  return groups.count > 0 ? job_of<bm, bn>(groups, stream_k, n, static_cast<int>(block))
                          : job_of<bm, bn, group>(stream_k, m, n, static_cast<int>(block));
}

}  // namespace cairn
