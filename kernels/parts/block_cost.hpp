// The cost model of a kernel that is not persistent, with one tile of C per block: the time of the busiest SM's tiles
// at its rate of multiply-adds, or of DRAM, whichever is longer. Each rung supplies its rates.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/stream_k.hpp"
#include "kernels/choice.hpp"

namespace cairn {

struct BlockCost {
  std::int64_t bm, bn;  // a block's tile
  double rate;          // multiply-adds per cycle of an SM at full occupancy,
  double alone;         // and the fraction of it that a block reaches without a co-resident one
  double dram_alone;    // the same of DRAM bandwidth: how much of it one block's copies in flight reach
  double epilogue;      // cycles per tile, after its last k-step
  double turn = 0;      // the same of a tile that waited for another to end: it overlaps nothing
  double fixup = 0;     // cycles of the fix-up kernel of split tiles, without the bytes it moves
  int resident = 1;     // co-resident blocks of an SM
};

namespace detail {
inline constexpr double kDramBytes = 3750.0 / 132;  // per cycle and SM, on an H200: of what is seldom all in DRAM

// `full`: tiles that an SM computes at full occupancy. Then come `last` blocks at a time, each with `part` of a tile.
inline Forecast block_forecast(const BlockCost& b, const Problem& p, const Device& device, double full, double last,
                               double part, double fixup = 0) {
  constexpr double kLaunch = 3350, kClock = 0.9;  // fitted on an H200
  const double tile = static_cast<double>(b.bm * b.bn * p.k) / b.rate;
  const double loop = tile * (full + (last > 0 ? last * part / std::min(1.0, last * b.alone) : 0));
  const double dram = kDramBytes * std::min(1.0, std::max(full + last, 1.0) * b.dram_alone);
  const auto elements = static_cast<double>((p.m + p.n) * p.k * p.batch * size_of(p.in)) +
                        static_cast<double>(p.m * p.n * p.batch * size_of(p.out));
  const double memory = elements / (dram * device.sms), mhz = kClock * device.mhz;
  Forecast f;
  f.add("launch", kLaunch / mhz);
  f.add(loop >= memory ? "main loop" : "main loop (DRAM)", std::max(loop, memory) / mhz);
  const double tiles = std::max(full + last, 1.0), waiting = std::max(tiles - b.resident, 0.0);
  f.add("epilogue", (b.epilogue * (tiles - waiting) + std::max(b.epilogue, b.turn) * waiting) / mhz);
  f.add("fix-up of split tiles", fixup / mhz);
  return f;
}
inline std::int64_t tiles_of(const BlockCost& b, const Problem& p) {
  return (p.m + b.bm - 1) / b.bm * ((p.n + b.bn - 1) / b.bn) * p.batch;
}
}  // namespace detail

inline Forecast forecast(const BlockCost& b, const Problem& p, const Device& device) {
  const std::int64_t tiles = detail::tiles_of(b, p), wave = std::int64_t{device.sms} * b.resident;
  const std::int64_t full = tiles / wave * b.resident, last = (tiles % wave + device.sms - 1) / device.sms;
  return detail::block_forecast(b, p, device, static_cast<double>(full), static_cast<double>(last), 1);
}

// For a kernel that can split its tail wave (stream-K), with `resident` co-resident blocks per SM and `steps` k-steps
// per tile: full tiles or split ones, whichever is faster. The choice keeps the StreamK.
inline Choice choose_split(const BlockCost& b, std::int64_t steps, int resident, const Problem& p,
                           const Device& device) {
  const std::int64_t tiles = detail::tiles_of(b, p);
  Choice whole, split;
  whole.keep(whole_tiles(tiles, steps));
  whole.forecast = forecast(b, p, device);
  const StreamK stream_k = split_tail_wave(tiles, steps, device.sms, resident);
  if (stream_k.split == 0 || p.is_grouped()) return whole;
  const auto sms = static_cast<double>(device.sms);
  const double parts = static_cast<double>((stream_k.blocks + device.sms - 1) / device.sms);
  // A range that reaches into a second tile is two blocks, and the second waits for any free slot: where a fifth of
  // the ranges do, the wave lasts 1.6 ranges (list scheduling of these blocks in their order, over all sizes).
  const double borders = static_cast<double>(stream_k.split - 1) / stream_k.blocks;
  const double queued = 1 + 0.6 * std::min(1.0, 5 * borders);
  const double part =
      queued * static_cast<double>(stream_k.each + (stream_k.longer > 0 ? 1 : 0)) / static_cast<double>(steps);
  const auto tile = static_cast<double>(b.bm * b.bn) * sizeof(float);
  const double moved = 2 * tile * (stream_k.blocks + stream_k.split);  // partial sums, written and read
  split.keep(stream_k);
  split.scratch_bytes = stream_k.partial_tiles() * static_cast<std::size_t>(b.bm * b.bn) * sizeof(float);
  split.forecast = detail::block_forecast(b, p, device, stream_k.whole / sms, parts, part,
                                          b.fixup + moved / (detail::kDramBytes * sms));
  return split.forecast.us() < whole.forecast.us() ? split : whole;
}

}  // namespace cairn
