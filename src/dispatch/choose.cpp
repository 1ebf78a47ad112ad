#include "src/dispatch/choose.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "src/dispatch/rungs.hpp"

namespace cairn::dispatch {
namespace {

// What an SM of Hopper does in a cycle, and how many cycles things take: fitted to the times of every tile on 145
// problems of the course and 72 thin ones, and held to records of them (results/h200/tiles_*.json,
// tests/lab/tiles_test.cpp). Where all SMs work, tensor cores reach two thirds of what the manuals say; one that
// works alone has all of it.
constexpr double kTensor = 2.0 / 3, kSharedBytes = 128, kL2Bytes = 53.5, kMemoryBytes = 2500.0 / 132;
constexpr double kTwice = 1.2;                     // lines more, for each that straddles and is asked for twice
constexpr double kLaunch = 2400, kCluster = 1350;  // a kernel that begins, until the first step; one of clusters
constexpr double kLate = 6500;    // more where its blocks do not all find room beside those that copy A and B,
constexpr double kBeside = 1000;  // and where they do, but on the same SMs, and make a tile each
constexpr double kTile = 740, kTileArea = 2700;  // the end of a tile; more where it is 128 x 256 and C has two bytes,
constexpr double kByThreads = 4, kByOne = 1.2;   // and more where C is off the grid of the engine; by one warpgroup
constexpr double kInTurns = 0.57;                // of the ends of tiles are not hidden by the other's products
constexpr double kCut = 4000, kCutArea = 9500, kCutRow = 1.5;  // shares made and read; 128 x 256; a row of one
constexpr double kCutLate = 800;  // where those who add them up do not find room beside those who make them
constexpr double kDeep = 8;       // shares of a row; more of them take no longer
constexpr double kAgain = 0.27;   // of what blocks share, and ask for at the same time, comes from memory again
constexpr double kIdle = 0.45;    // memory takes so much longer, times the part of SMs that ask for nothing
constexpr double kArea = 128 * 256;
// The energy of a byte of shared memory read or written, and of one that comes from L2, in that of a step of 128 x
// 256: from times of four tiles under sustained load (results/h200/summit_tiles.json, bf16 nn 8192 cubed).
constexpr double kSharedEnergy = 6.9e-7, kL2Energy = 11.7e-7;
constexpr double kLong = 150'000, kVeryLong = 1'000'000;  // cycles: a tenth of a millisecond, half of one and more
constexpr double kFewMore = 1.025, kSomeMore = 1.035;     // times the fewest cycles

std::int64_t up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// A step of k: 128 bytes of it.
struct Step {
  double multiply, shared, l2;    // cycles
  double shared_bytes, l2_bytes;  // read and written; asked for
  double lines;                   // of 128 bytes, each once
};
// `busy`: the part of all SMs that work; `asking`: that ask L2 at the same time.
Step step_of(const TileShape& t, const Problem& row, double busy, double asking) {
  Step step{};
  // Four instructions of 64 rows by `wide` columns, each of which takes wide / 2 cycles and reads 64 + wide rows of
  // 32 bytes.
  const double share = t.bm == 64 && !t.turns ? t.bn / 2.0 : t.bn;  // of a warpgroup
  const bool promoted = row.in == Type::e4m3 && row.compute != Compute::fast;
  const double wide = promoted ? std::min(share, 128.0) : share, instructions = 4.0 * t.bm * t.bn / (64 * wide);
  // Who adds sums up between products makes the tensor cores wait, unless somebody else's are made meanwhile.
  step.multiply = instructions * wide / 2 / (1 - (1 - kTensor) * busy) * (promoted && t.turns ? 2 : 1);
  step.shared_bytes = instructions * (64 + wide) * 32 + (t.bm + t.bn) * 128.0;
  step.shared = step.shared_bytes / kSharedBytes;
  // Lines along k that the matrix does not have are not asked for. Those of B the cluster shares out, whole.
  const bool some = t.cluster == 1 && row.op_b == Op::transpose;
  const auto a = static_cast<double>(row.op_a == Op::none ? std::min<std::int64_t>(t.bm, row.m) : t.bm);
  const auto b = static_cast<double>(some ? std::min<std::int64_t>(t.bn, row.n) : t.bn) / t.cluster;
  // Those that do not begin at multiples of 128 bytes are asked for twice, which is felt where all ask.
  const auto asked = [&](std::int64_t ld) { return ld * size_of(row.in) % 128 == 0 ? 1 : 1 + kTwice * asking; };
  step.l2_bytes = (a * asked(row.lda) + b * asked(row.ldb)) * 128;
  step.l2 = step.l2_bytes / kL2Bytes;
  step.lines = a + b;
  return step;
}

}  // namespace

Forecast forecast(const TileShape& t, const Problem& row, int units, bool cut, std::int64_t copying) {
  const std::int64_t running = std::max(units / t.cluster, 1);
  const std::int64_t tiles = up(row.m, std::int64_t{t.bm} * t.cluster) * up(row.n, t.bn) * row.batch;
  const std::int64_t rest = tiles % running, blocks = (cut ? running : std::min(tiles, running)) * t.cluster;
  const double busy = std::min(static_cast<double>(blocks) / units, 1.0);
  // Blocks that do not find room beside those that copy begin late, and one after the other: if a tile is all they
  // make, they never ask all together.
  const bool crowded = copying > 0 && copying + blocks > units, once = !cut && tiles <= running;
  const bool late = crowded && (!t.beside || copying + blocks > 2 * units);
  const Step step = step_of(t, row, busy, late && once ? 0 : busy);
  Forecast f;
  f.step = std::max({step.multiply, step.shared, step.l2});
  f.limit = f.step == step.multiply ? "tensor cores" : f.step == step.shared ? "shared memory" : "L2";
  f.rounds = static_cast<double>(up(tiles, running));
  if (cut) f.rounds = static_cast<double>(tiles) / static_cast<double>(running);

  const auto steps = static_cast<double>(up(row.k * size_of(row.in), 128)), area = t.bm * t.bn / kArea;
  const double made = static_cast<double>(tiles * t.cluster) * steps;
  f.energy = made * (area + kSharedEnergy * step.shared_bytes + kL2Energy * step.l2_bytes);
  // A, B and C each pass between memory and L2 once, however they are shared out; or more often, where all blocks
  // begin at the same time.
  const auto operands = static_cast<double>((row.m + row.n) * row.k * row.batch * size_of(row.in));
  const auto all = operands + static_cast<double>(row.m * row.n * row.batch * size_of(row.out));
  f.memory = all / (kMemoryBytes * units);
  const double shared = std::max(made * step.lines * 128 - operands, 0.0);
  const double again = tiles <= running ? kAgain * shared / (kMemoryBytes * units) : 0;
  const double memory = (f.memory + again) * (1 + kIdle * (1 - busy));

  const double by_threads = row.ldc * size_of(row.out) % 16 == 0 ? 1 : kByThreads * (t.turns ? kByOne : 1);
  const double store = kTileArea * area * static_cast<double>(size_of(row.out)) / 2 * by_threads;
  const double whole = std::ceil(f.rounds), ends = t.turns ? 1 + kInTurns * (whole - 1) : whole;
  f.cycles = kLaunch + std::max(f.rounds * steps * f.step, memory) + ends * (kTile + store);
  if (t.cluster > 1) f.cycles += kCluster;
  if (late) f.cycles += kLate;
  if (crowded && !late && tiles <= running) f.cycles += kBeside;
  if (cut && rest > 0) {
    const auto rows = static_cast<double>(rest * std::min<std::int64_t>(t.cluster * t.bm, row.m));
    const double shares = std::min(static_cast<double>(running) / static_cast<double>(rest) + 1, kDeep);
    f.cycles += kCut + (t.beside ? 0 : kCutLate) + kCutArea * area + kCutRow * rows * shares * t.bn / 256;
  }
  return f;
}

Choice choose(const Rung& rung, const Problem& row, int units) {
  const auto [read, copying] = rung.copied != nullptr ? rung.copied(row) : Copied{row};
  std::vector<Forecast> all;
  all.reserve(static_cast<std::size_t>(rung.tiles));
  for (int tile = 0; tile < rung.tiles; ++tile) {
    const bool cut = scratch_bytes(rung, tile, read, units) > 0;  // nothing is left to copy: it is for sums of shares
    all.push_back(forecast(rung.shape(tile), read, units, cut, copying));
  }
  // Where two are level, the first: a rung has those with more stages before those that leave room.
  const auto fewest = std::ranges::min_element(all, {}, &Forecast::cycles);
  auto best = fewest;
  const double more = fewest->cycles >= kVeryLong ? kSomeMore : kFewMore;
  if (fewest->cycles >= kLong && 2 * fewest->memory < fewest->cycles) {
    // Fewer cycles let the clock sink, and with it the energy of each.
    const auto spent = [](const Forecast& f) { return f.energy * std::cbrt(f.cycles); };
    for (auto f = all.begin(); f != all.end(); ++f)
      if (f->cycles <= more * fewest->cycles && spent(*f) < spent(*best)) best = f;
  }

  Choice choice;
  choice.tile = static_cast<int>(best - all.begin());
  for (int tile = 0; tile < rung.tiles; ++tile) {
    const Forecast& f = all[static_cast<std::size_t>(tile)];
    char line[200];
    (void)std::snprintf(
        line, sizeof line, "  %s: %.0f cycles a step (%s), %.2f tiles for an SM, %.0f cycles, energy %+.1f %%\n",
        rung.tile_name(tile).text, f.step, f.limit, f.rounds, f.cycles, 100 * (f.energy / best->energy - 1));
    choice.why += line;
  }
  char within[8];
  (void)std::snprintf(within, sizeof within, "%.1f %%", 100 * (more - 1));
  choice.reason = best == fewest ? "which is done first by forecast"
                                 : "which spends the least energy of those that are done within " +
                                       std::string(within) + " of the first, by forecast";
  return choice;
}

}  // namespace cairn::dispatch
