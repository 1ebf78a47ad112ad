// What a split product costs. Which planes it has is not known before it runs, so the forecast is for those that the
// rung is for: f16 planes of 61, bf16 planes of 60.
//
// The constants are fitted to shapes by lot, from 64 to 8192 a side, each with every tile, split along k and not
// (docs/decisions.md has how well).
#pragma once

#include <algorithm>

#include "kernels/hopper/parts/cost.hpp"
#include "kernels/hopper/parts/split_planes.hpp"

namespace cairn::hopper {

namespace model {
// Cycles of a unit of k: of its promotions, and of each column of the tile. Where few SMs work, the clock is higher and
// L2 faster. Bf16 planes take twice the instructions, and fewer promotions.
inline constexpr double kSplitUnit = 570, kSplitColumn = 14.26, kSplitAlone = 0.794, kSplitBf16 = 1.85;
// Reading A and B for their ranges, and again to split them: the two kernels, a third if a row is looked at by several
// blocks, and bytes a cycle of an SM.
inline constexpr double kSplitLaunches = 12'600, kSplitRanges = 1'900, kSplitBytes = 12.6;
// The product's kernel until its first products; the epilogue of a tile, and more for its elements; the fix-up.
inline constexpr double kSplitStart = 4'900, kSplitEpilogue = 1'250, kSplitEpilogueArea = 10'700, kSplitFixup = 5'900;
}  // namespace model

// Cycles of a problem with its tiles divided like this.
inline Cost split_cost_of(const Variant& v, const Problem& p, const Device& device, const StreamK& stream_k,
                          bool f16) {
  using namespace model;
  const Matrix A = matrix_a(p), B = matrix_b(p);
  const double whole = stream_k.whole, split = stream_k.split, blocks = stream_k.blocks, sms = device.sms;
  const double waves = stream_k.split == 0   ? std::ceil(whole / sms)
                       : stream_k.shares > 0 ? whole / sms + 1.0 / stream_k.shares
                                             : whole / sms + split / std::min(sms, blocks);
  const double busy = std::min((whole + blocks) / sms, 1.0), area = v.tile.bm * v.tile.bn / kArea;
  const double unit = (kSplitUnit + kSplitColumn * v.tile.bn) * (kSplitAlone + (1 - kSplitAlone) * busy);
  const double mhz = kClock * device.mhz;
  Cost cost;
  cost.division = {stream_k};
  const auto term = [&](const char* name, double cycles) {
    cost.cycles += cycles;
    cost.forecast.add(name, cycles / mhz);
  };
  const auto elements = static_cast<double>((A.rows * A.matrices() + B.rows * B.matrices()) * p.k);
  const bool ranges = slices_of(A, device.sms) > 1 || slices_of(B, device.sms) > 1;
  term("make planes of A and B",
       kSplitLaunches + (ranges ? kSplitRanges : 0) + elements * (f16 ? 12 : 14) / (kSplitBytes * sms));
  term("launch", kSplitStart);
  term("main loop (tensor cores)", waves * stream_k.steps * unit * (f16 ? 1 : kSplitBf16));
  term("epilogue", std::ceil(waves) * (kSplitEpilogue + kSplitEpilogueArea * area));
  if (stream_k.split > 0) {
    const double partials = stream_k.shares > 0 ? stream_k.shares : sms / split + 1;
    term("fix-up of split tiles", kSplitFixup + split * v.tile.bm * v.tile.bn * partials * 4 / (kDramBytes * sms));
  }
  return cost;
}

// Whether planes may be of f16. Which they are, all rows and columns decide together, so that the bits of one would
// depend on others; and where rows or columns are to be invariant, planes are of bf16 whatever the data.
inline bool may_be_f16(const Problem& p, bool f16) { return f16 && p.invariant == Invariant::none; }

// The same, with the tail wave split along k if that is faster.
inline Cost split_cost_of(const Variant& v, const Problem& p, const Device& device, bool f16) {
  const TileGrid grid = tile_grid(v, p.m, p.n);
  const std::int64_t tiles = std::int64_t{grid.rows} * grid.cols * p.batch, steps = ceil_div(p.k, kUnit);
  Cost best = split_cost_of(v, p, device, whole_tiles(tiles, steps), f16);
  if (p.invariant != Invariant::none) return best;
  for (const StreamK& stream_k :
       {split_evenly(tiles, steps, device.sms), split_tail_wave(tiles, steps, device.sms, 1)}) {
    if (stream_k.split == 0) continue;
    const Cost cost = split_cost_of(v, p, device, stream_k, f16);
    if (cost.cycles < best.cycles) best = cost;
  }
  return best;
}

inline Choice split_choice(const Variant& v, int variant, const Query& query, bool f16) {
  const Problem& p = query.problem;
  const Cost cost = split_cost_of(v, p, query.device, may_be_f16(p, f16));
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
  const auto choice = [&](std::size_t i) { return split_choice(variants[i], static_cast<int>(i), query, f16); };
  if (query.tile != kAnyTile) return choice(static_cast<std::size_t>(query.tile));
  Choice best = choice(0);
  for (std::size_t i = 1; i < count; ++i)
    if (const Choice other = choice(i); other.forecast.us() < best.forecast.us()) best = other;
  return best;
}

}  // namespace cairn::hopper
