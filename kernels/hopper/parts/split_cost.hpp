// What a split product costs. Which planes it has is not known before it runs, so the forecast is for those that are
// expected: a rung's own.
#pragma once

#include <algorithm>

#include "kernels/hopper/parts/cost.hpp"
#include "kernels/hopper/parts/split_planes.hpp"

namespace cairn::hopper {

namespace model {
// Instructions of 64 rows by n columns for a unit of k, by planes; the part of the tensor cores' peak that is left by
// promotion and by the power limit.
inline constexpr int kF16Instructions = 12, kBf16Instructions = 24;
inline constexpr double kSplitRate = 0.62;
// Reading A and B for their ranges, and once more to split them; a kernel of either, until its first load; and those that
// find nothing to repair.
inline constexpr double kSplitBytes = 14.0, kSplitLaunch = 5000, kRepairLaunch = 2500, kSplitEpilogue = 6000;
}  // namespace model

// Cycles of a problem with a division of its tiles.
inline Cost split_cost_of(const Variant& v, const Problem& p, const Device& device, const StreamK& stream_k, bool f16) {
  using namespace model;
  Cost cost;
  cost.division = {stream_k};
  const int running = clusters_at_once(device.sms, v.tile, v.down);
  const auto all = static_cast<double>(stream_k.whole + stream_k.split);
  const double waves = stream_k.split == 0 ? std::ceil(all / running)
                       : stream_k.shares > 0
                           ? static_cast<double>(stream_k.whole) / running + 1.0 / stream_k.shares
                           : static_cast<double>(stream_k.whole) / running +
                                 static_cast<double>(stream_k.split) / std::min(running, stream_k.blocks);
  const double unit = (f16 ? kF16Instructions : kBf16Instructions) * v.tile.bm / 64.0 * v.tile.bn / 2.0 / kSplitRate;
  const double mhz = kClock * device.mhz;
  const auto term = [&](const char* name, double cycles) {
    cost.cycles += cycles;
    cost.forecast.add(name, cycles / mhz);
  };
  const auto rows_a = static_cast<double>(p.m * (p.stride_a == 0 ? 1 : p.batch)),
             rows_b = static_cast<double>(p.n * (p.stride_b == 0 ? 1 : p.batch)), k = static_cast<double>(p.k);
  term("split operands", 2 * kSplitLaunch + (rows_a + rows_b) * k * (f16 ? 12 : 14) / kSplitBytes / device.sms);
  term("launch", kLaunch + (v.down > 1 ? kCluster : 0));
  term("main loop (tensor cores)", waves * stream_k.steps * unit);
  term("epilogue", std::ceil(waves) * kSplitEpilogue * v.tile.bm * v.tile.bn / kArea);
  if (stream_k.split > 0) {
    const auto tail = static_cast<double>(stream_k.split);
    cost.sums = fixup_cycles(v, p, tail, stream_k.shares > 0 ? stream_k.shares : running / tail + 1);
    term("fix-up of split tiles", cost.sums);
  }
  term("nothing to repair", kRepairLaunch);
  return cost;
}

// The same, where the tail wave is split along k if that saves more than the fix-up costs.
inline Cost split_cost_of(const Variant& v, const Problem& p, const Device& device, bool f16) {
  const TileGrid grid = tile_grid(v, p.m, p.n);
  const std::int64_t tiles = std::int64_t{grid.rows} * grid.cols * p.batch, steps = ceil_div(p.k, kUnit);
  const int running = clusters_at_once(device.sms, v.tile, v.down);
  Cost best = split_cost_of(v, p, device, whole_tiles(tiles, steps), f16);
  if (p.invariant != Invariant::none) return best;
  const double worth = best.cycles >= model::kLong ? model::kWorthSplittingLong : model::kWorthSplitting;
  for (const StreamK& stream_k : {split_evenly(tiles, steps, running), split_tail_wave(tiles, steps, running, 1)}) {
    if (stream_k.split == 0) continue;
    const Cost cost = split_cost_of(v, p, device, stream_k, f16);
    if (best.cycles - cost.cycles > (worth - 1) * cost.sums) best = cost;
  }
  return best;
}

inline Choice split_choice(const Variant& v, int variant, const Query& query, bool f16) {
  const Problem& p = query.problem;
  const Cost cost = split_cost_of(v, p, query.device, f16);
  Choice choice;
  choice.tile = variant;
  choice.scratch_bytes = split_memory(matrix_a(p), matrix_b(p), query.device.sms).partials +
                         cost.division.partial_tiles() * v.rows() * v.cols() * sizeof(float);
  choice.forecast = cost.forecast;
  choice.keep(cost.division);
  return choice;
}

// The variant with the shortest forecast.
template <std::size_t count>
Choice choose_split(const std::array<Variant, count>& variants, const Query& query, bool f16) {
  if (query.tile != kAnyTile)
    return split_choice(variants[static_cast<std::size_t>(query.tile)], query.tile, query, f16);
  Choice best;
  for (std::size_t i = 0; i < count; ++i) {
    const Choice one = split_choice(variants[i], static_cast<int>(i), query, f16);
    if (i == 0 || one.forecast.us() < best.forecast.us()) best = one;
  }
  return best;
}

}  // namespace cairn::hopper
