#include "src/dispatch/choose.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cairn::dispatch {
namespace {

// What an SM of Hopper does in a cycle, as its manuals say, but for L2, which others have measured (DeepGEMM).
constexpr double kSharedBytes = 128, kL2Bytes = 46.6;
constexpr double kTile = 1500;                 // the end of a tile, while nobody multiplies
constexpr double kLaunch = 4000;               // a kernel that begins, until the first step
constexpr double kCut = 9000, kCutTile = 425;  // sums of shares, written, read and added up; for each such tile

std::int64_t up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

Forecast forecast(const TileShape& t, const Problem& row, int units) {
  // A step is 128 bytes of k, four instructions of 64 rows by `wide` columns, each of which takes wide / 2 cycles and
  // reads 64 + wide rows of 32 bytes.
  const double share = t.bm == 64 && !t.turns ? t.bn / 2.0 : t.bn;  // of a warpgroup
  const bool promoted = row.in == Type::e4m3 && row.compute != Compute::fast;
  const double wide = promoted ? std::min(share, 128.0) : share, instructions = 4.0 * t.bm * t.bn / (64 * wide);
  const double multiply = instructions * wide / 2;
  const double shared = (instructions * (64 + wide) * 32 + (t.bm + t.bn) * 128.0) / kSharedBytes;
  const double l2 = (t.bm + t.bn / static_cast<double>(t.cluster)) * 128 / kL2Bytes;
  Forecast f;
  f.step = std::max({multiply, shared, l2});
  f.limit = f.step == multiply ? "tensor cores" : f.step == shared ? "shared memory" : "L2";

  const std::int64_t running = std::max(units / t.cluster, 1);
  const std::int64_t tiles = up(row.m, std::int64_t{t.bm} * t.cluster) * up(row.n, t.bn) * row.batch;
  const auto steps = static_cast<double>(up(row.k * size_of(row.in), 128));
  const auto cycles = [&](double rounds) {
    return kLaunch + rounds * steps * f.step + (t.turns ? 1 : std::ceil(rounds)) * kTile;
  };
  f.rounds = static_cast<double>(up(tiles, running));
  f.cycles = cycles(f.rounds);
  if (tiles % running != 0) {
    const double even = static_cast<double>(tiles) / static_cast<double>(running);
    const double trouble = kCut + kCutTile * static_cast<double>(tiles % running);
    if (const double cut = cycles(even) + trouble; cut < f.cycles) f.rounds = even, f.cycles = cut;
  }
  return f;
}

Choice choose(const Rung& rung, const Problem& row, int units) {
  Choice choice;
  double least = 0;
  for (int tile = 0; tile < rung.tiles; ++tile) {
    const Forecast f = forecast(rung.shape(tile), row, units);
    if (tile == 0 || f.cycles < least) least = f.cycles, choice.tile = tile;
    char line[160];
    (void)std::snprintf(line, sizeof line, "  %s: %.0f cycles a step (%s), %.2f tiles for an SM, %.0f cycles\n",
                        rung.tile_name(tile).text, f.step, f.limit, f.rounds, f.cycles);
    choice.why += line;
  }
  return choice;
}

}  // namespace cairn::dispatch
