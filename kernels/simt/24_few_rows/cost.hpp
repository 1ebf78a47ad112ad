// The tiles of 24, what they take, and which of them a problem is for.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/rung.hpp"

namespace cairn::simt_24 {

inline constexpr int kThreads = 256, kResident = 2;  // of a block; blocks on an SM
inline constexpr int kDeep = 4;                      // of k: what a thread multiplies in a step
inline constexpr int kFold = 8;                      // lanes along k that add their sums by shuffles
// Of k: the few rows' part in shared memory.
constexpr int stage_of(int rows) { return rows <= 4 ? 4096 / rows : 1024; }

// Steps whose elements a thread has in registers, of so many bytes in a column of the few rows.
constexpr int buffers_of(std::size_t column, bool vector) {
  return vector ? (column <= 4 ? 4 : column <= 32 ? 2 : 1) : column <= 16 ? 2 : 1;
}

// The threads of a block are `across` columns of threads by 256 / across layers along k.
struct Tile {
  int rows, across;
  constexpr int layers() const { return kThreads / across; }
  constexpr bool valid() const {
    return std::has_single_bit(static_cast<unsigned>(rows)) && std::has_single_bit(static_cast<unsigned>(across)) &&
           layers() >= kFold && rows <= 16 &&  // sums fit in half of an SM's registers
           // A stage is full rounds of buffers, and sums fit in an SM's shared memory.
           stage_of(rows) % (buffers_of(rows * 4, true) * layers() * kDeep) == 0 &&
           kResident * (layers() * rows * (across + 1) * 16 + 1024) <= 227 * 1024;
  }
  // The same for elements of 8 bytes, or that are loaded one by one: at most 8 rows, so that registers suffice.
  constexpr Tile of(std::size_t size, bool vector) const {
    return {size == 4 && vector ? rows : std::min(rows, 8), across};
  }
  TileName name() const { return tile_text("%dx%d", rows, across * 4); }
};
inline constexpr Tile kTiles[] = {
    {1, 8}, {1, 32}, {1, 2},  {2, 8}, {2, 32}, {2, 2},   {4, 8}, {4, 32},
    {4, 2}, {8, 8},  {8, 32}, {8, 2}, {16, 8}, {16, 32}, {16, 2}};  // [0] is the default

// Which side of C is the one of few, and how many blocks divide k among them.
struct Division {
  bool turned;
  unsigned slices;
};

// The problem as seen from one of the sides.
struct View {
  std::int64_t few, many;
  bool k_major;
  std::int64_t groups, pieces, steps;
  View(const Problem& p, const Tile& t, bool turned) : few(turned ? p.n : p.m), many(turned ? p.m : p.n) {
    const Op op = turned ? p.op_a : p.op_b;
    // A contiguous vector is a line along k too. (Invariant sums are made in the order that they have with many columns.)
    const bool contiguous = many == 1 && (turned ? p.lda : p.ldb) == 1 && p.invariant == Invariant::none;
    k_major = turned == (op == Op::none) || contiguous;
    groups = ceil_div(many, t.across * (16 / size_of(p.in)));
    pieces = ceil_div(few, t.rows);
    steps = ceil_div(p.k, t.layers() * kDeep);
  }
};

// Whether W is loaded by 16 bytes: all its lines are at the same place within them, whatever that is. Where lines are
// along k, that place decides in which order a sum is made, so that those that are to be invariant are made of single
// elements.
inline bool vector(const Problem& p, const View& view, bool turned) {
  const std::int64_t ld = turned ? p.lda : p.ldb, stride = turned ? p.stride_a : p.stride_b;
  const bool one_line = (view.k_major ? view.many : p.k) == 1;
  return (one_line || ld * size_of(p.in) % 16 == 0) && (p.batch == 1 || stride * size_of(p.in) % 16 == 0) &&
         !(view.k_major && p.invariant != Invariant::none);
}

// Sums that are to be invariant are made the same way for any number of rows, or columns: seen from the other side.
inline bool allowed(const Problem& p, bool turned) {
  return p.invariant == Invariant::none || turned == (p.invariant == Invariant::rows);
}
// The many are many, or so few that either side will do.
inline bool sensible(const Problem& p, bool turned) {
  const std::int64_t few = turned ? p.n : p.m, many = turned ? p.m : p.n;
  return few <= std::max(many, std::int64_t{64}) || p.invariant != Invariant::none;
}
inline bool usually_turned(const Problem& p) {
  return allowed(p, false) && allowed(p, true) ? p.n < p.m : !allowed(p, false);
}

// Cycles, estimated for an H200.
namespace model {
inline constexpr double kClock = 0.98;           // of the highest
inline constexpr double kLaunch = 2500;          // a grid
inline constexpr double kStart = 4340;           // a block's first loads: of W, and of X by way of shared memory
inline constexpr double kStep = 1950;            // a block's step: it waits for its loads
inline constexpr double kIssue = 225;            // an SM's for the loads of a block's step,
inline constexpr double kSingle = 270;           // and where they are of single elements
inline constexpr double kRow = 46;               // for the multiply-adds of each row, 32 at the least,
inline constexpr double kLanes = 17;             // and where its lanes read different elements of it
inline constexpr double kStage = 8;              // to bring 32 elements of X to shared memory
inline constexpr double kSum = 12;               // to add up 32 sums of the block's threads
inline constexpr double kDram = 15.3, kL2 = 35;  // bytes for each SM,
inline constexpr double kRun = 37;               // of DRAM also for each run of neighbours that a block reads
inline constexpr double kAdd = 4450;             // the kernel that adds partial sums
}  // namespace model

inline Forecast forecast(const Problem& p, const Device& device, const Tile& tile, bool turned, double slices) {
  using namespace model;
  const bool by_vector = vector(p, View(p, tile, turned), turned);
  const Tile t = tile.of(static_cast<std::size_t>(size_of(p.in)), by_vector);
  const View v(p, t, turned);
  const auto of = [](std::int64_t x) { return static_cast<double>(x); };
  const double size = of(size_of(p.in)), batch = std::max(of(p.batch), 1.0), few = of(v.few), many = of(v.many),
               k = of(p.k), sms = device.sms;
  const double chunk = 16 / size, steps = std::ceil(of(v.steps) / slices);
  const double blocks = std::max(of(v.groups) * of(v.pieces) * slices * batch, 1.0),
               on_sm = std::max(blocks / sms, 1.0);
  // A wave that is not full takes as long as a full one; of many waves the last blocks begin early.
  const double waves = blocks > 2 * sms * kResident ? on_sm / kResident + 0.3 : std::ceil(blocks / (sms * kResident));
  const double busiest = blocks > 2 * sms * kResident ? on_sm : std::ceil(blocks / sms);

  const std::int64_t stride_w = turned ? p.stride_a : p.stride_b;
  const bool broadcast = !v.k_major && t.across >= 32;
  const double step = kIssue + (by_vector ? 0 : kSingle) + t.rows * (kRow + (broadcast ? 0 : kLanes));
  const double x = t.rows * k / slices, layers = v.k_major ? t.layers() / of(kFold) : of(t.layers());
  const double once = x / 32 * kStage + t.rows * t.across * chunk * layers / 32 * kSum;
  const double rounds = std::ceil(steps / buffers_of(static_cast<std::size_t>(t.rows * size_of(p.in)), by_vector));
  const double wait = waves * (kStart + rounds * kStep), issue = busiest * (steps * step + once);
  const double w = k * many * size * batch, c = few * many * size * batch;
  const double run = 16 * of(v.k_major ? t.layers() : t.across);
  const double dram =
      (1 + kRun / run) * ((stride_w == 0 ? 1 / batch : 1) * w + few * k * size * batch + c) / (kDram * sms);
  const double l2 = (w * of(v.pieces) + blocks * x * size + c * (slices > 1 ? 2 * slices : 1)) / (kL2 * sms);

  // As long as the slowest, and a little longer where another is nearly as slow: the 4-norm.
  const double memory = std::max(dram, l2), most = std::max({wait, issue, memory});
  double fourths = 0;
  for (const double one : {wait, issue, memory}) fourths += std::pow(one / most, 4);
  const double mhz = kClock * device.mhz;
  Forecast f;
  f.add("launch", kLaunch / mhz);
  f.add(most == wait    ? "main loop (latency)"
        : most == issue ? "main loop (instructions)"
        : most == dram  ? "main loop (DRAM)"
                        : "main loop (L2)",
        most * std::sqrt(std::sqrt(fourths)) / mhz);
  if (slices > 1) f.add("sums of slices", (kAdd + c * slices / (kL2 * sms)) / mhz);
  return f;
}

// The tile with the shortest forecast, the side that is the one of few, and slices of k for one or more blocks on each SM.
inline Choice choose(const Query& query) {
  constexpr double kMostScratch = 256e6;
  const Problem& p = query.problem;
  Choice best;
  bool first = true;
  const auto consider = [&](int tile, bool turned, std::int64_t slices) {
    Choice one;
    one.tile = tile;
    one.forecast = forecast(p, query.device, kTiles[tile], turned, static_cast<double>(slices));
    if (!first && one.forecast.us() >= best.forecast.us()) return;
    one.keep(Division{turned, static_cast<unsigned>(slices)});
    if (slices > 1) one.scratch_bytes = static_cast<std::size_t>(slices * p.batch * p.m * p.n * size_of(p.in));
    best = one, first = false;
  };
  for (int tile = 0; tile < static_cast<int>(std::size(kTiles)); ++tile) {
    if (query.tile != kAnyTile && query.tile != tile) continue;
    for (const bool turned : {false, true}) {
      if (!allowed(p, turned) || !sensible(p, turned)) continue;
      consider(tile, turned, 1);
      const Tile& t = kTiles[tile];
      const View v(p, t, turned);
      const double blocks =
          static_cast<double>(v.groups) * static_cast<double>(v.pieces) * static_cast<double>(p.batch);
      const double c =
          static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.batch * size_of(p.in));
      if (blocks == 0 || p.invariant != Invariant::none) continue;
      std::int64_t before = 1;
      for (int on_sm = 1; on_sm <= 2 * kResident; ++on_sm) {
        const double slots = static_cast<double>(query.device.sms) * on_sm / blocks;
        const std::int64_t slices = std::min(static_cast<std::int64_t>(slots), v.steps / 2);
        if (slices <= before || static_cast<double>(slices) * c > kMostScratch) continue;
        consider(tile, turned, before = slices);
      }
    }
  }
  return best;
}

}  // namespace cairn::simt_24
