// The choice of a rung that can split tiles along k: of all tiles, and of all ways to divide their k-steps among the SMs,
// the one with the shortest forecast. For a kernel whose block computes a whole range of k-steps, also one that reaches
// into a second tile; where another block has that part, it queues (choose_split of block_cost.hpp).
#pragma once

#include <cstdint>
#include <limits>

#include "device/stream_k.hpp"
#include "kernels/choice.hpp"
#include "kernels/parts/block_cost.hpp"

namespace cairn {

// One tile, of `steps` k-steps and with up to `resident` co-resident blocks per SM. The choice keeps the StreamK.
inline Choice divided(const BlockCost& b, std::int64_t steps, int resident, const Problem& p, const Device& device) {
  const std::int64_t tiles = detail::tiles_of(b, p);
  Choice best;
  best.keep(whole_tiles(tiles, steps));
  best.forecast = forecast(b, p, device);
  // Tiles and k-steps of split tiles are counted by an int.
  if (p.is_grouped() || tiles > (std::int64_t{1} << 30) ||
      steps > std::numeric_limits<int>::max() / (std::int64_t{device.sms} * resident))
    return best;
  const auto sms = static_cast<double>(device.sms);
  const std::size_t tile =
      static_cast<std::size_t>(b.bm * b.bn) * (p.in == Type::f64 ? sizeof(double) : sizeof(float));
  const auto consider = [&](const StreamK& s) {
    if (s.split == 0) return;
    const int ranges = (s.blocks + device.sms - 1) / device.sms;  // of the busiest SM, at the same time
    const double part = static_cast<double>(s.each + (s.longer > 0 ? 1 : 0)) / static_cast<double>(steps);
    const double again = s.shares > 0 ? 0 : b.epilogue;  // a range that ends in one tile and begins another
    // Partial sums, written and read, at half of DRAM's rate.
    const double moved = 4 * static_cast<double>(tile) * (s.blocks + s.split);
    Choice split;
    split.keep(s);
    split.scratch_bytes = s.partial_tiles() * tile;
    split.forecast = detail::block_forecast(b, p, device, s.whole / sms, ranges, part,
                                            b.fixup + again + moved / (detail::kDramBytes * sms));
    if (split.forecast.us() < best.forecast.us()) best = split;
  };
  // After full waves every block slot gets a range; where all tiles are split, fewer blocks have fewer partial sums.
  for (int per_sm = tiles > std::int64_t{device.sms} * resident ? resident : 1; per_sm <= resident; ++per_sm) {
    consider(split_tail_wave(tiles, steps, device.sms * per_sm, 1));
    consider(split_evenly(tiles, steps, device.sms * per_sm));
  }
  return best;
}

// The tile that was asked for, or of all `tiles` the first whose choice(tile) has the shortest forecast.
template <class F> Choice shortest_division(const Query& query, int tiles, F&& choice) {
  const auto numbered = [&](int tile) {
    Choice one = choice(tile);
    one.tile = tile;
    return one;
  };
  if (query.tile != kAnyTile) return numbered(query.tile);
  Choice best = numbered(0);
  for (int tile = 1; tile < tiles; ++tile)
    if (const Choice other = numbered(tile); other.forecast.us() < best.forecast.us()) best = other;
  return best;
}

}  // namespace cairn
