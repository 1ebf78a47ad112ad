// What a tile of the summit costs for a problem, in cycles of an SM: the only model of it, by which the tail wave is
// split along k or not, a tile is chosen, and the library compares the summit with other rungs.
//
// The time follows from what a k-step (128 bytes of k) needs of an SM's tensor cores, shared memory and L2, and from
// how the tiles fill the GPU. The constants are fitted to times of every tile on the course and on thin problems
// (results/h200/tiles_*.json) and held to those, and to shapes drawn by lot, by tests/lab/tiles_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>

#include "device/stream_k.hpp"
#include "kernels/hopper/59_summit/matrix.hpp"
#include "kernels/hopper/59_summit/tile.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper_59 {

struct Cost {
  StreamK stream_k{};  // full tiles and split tiles
  double cycles = 0;   // of the GEMM, without packing
  double memory = 0;   // that DRAM needs for A, B and C alone
  double fixup = 0;    // of the fix-up, included in `cycles`
  double energy = 0;   // relative to the tensor cores' for a k-step of 128 x 256
  Forecast forecast;   // the same in microseconds, packing included
};

namespace model {

// Cycles, or bytes a cycle, of one SM. While all SMs work, the power limit leaves the tensor cores two thirds of
// their peak; a single SM reaches all of it.
inline constexpr double kTensorSustained = 2.0 / 3;
inline constexpr double kSharedBytes = 128, kL2Bytes = 53.5, kDramBytes = 2500.0 / 132;
inline constexpr double kClock = 0.98;   // of the highest clock, while these constants were fitted
inline constexpr double kLaunch = 2400;  // a grid, until its first k-step; clusters are scheduled later
inline constexpr double kCluster = 1350;
inline constexpr double kStraddle = 1.2;  // more L2 lines for each row of a box that straddles two
inline constexpr double kRefetch = 0.27;  // of the operand bytes that blocks have in common comes from DRAM again
inline constexpr double kIdleSms = 0.45;  // DRAM takes so much longer, times the fraction of SMs that idle
// GEMM blocks that do not fit next to the packing kernel's wait until it drains; co-resident ones only start later.
inline constexpr double kPackDrain = 6500, kPackCoResident = 1000;
inline constexpr double kPackLaunch = 3500, kPackBytes = 12;  // a packing kernel; bytes a cycle, read or written
// The epilogue of a tile; more for its elements (128 x 256 of two bytes); times kThreadStore where TMA cannot store
// C, and kOneGroup more where one warpgroup stores alone. kPingpong of an epilogue stays exposed in pingpong; the
// products of the other warpgroup hide the rest.
inline constexpr double kEpilogue = 740, kEpilogueArea = 2700, kThreadStore = 4, kOneGroup = 1.2, kPingpong = 0.57;
// The fix-up of split tiles: a second kernel; more for their elements, for each partial row (up to so many of one
// row), and where that kernel's blocks cannot be co-resident with the GEMM's.
inline constexpr double kFixup = 4000, kFixupArea = 9500, kFixupRow = 1.5, kFixupPartials = 8, kFixupAlone = 800;
// What a split must save, times its fix-up: a split with equal forecasts is as often slower as faster.
inline constexpr double kWorthSplitting = 1.2;
inline constexpr double kArea = 128 * 256;
// Energy of a byte of shared memory, and of one from L2: fitted to four tiles under load (summit_tiles.json).
inline constexpr double kSharedEnergy = 6.9e-7, kL2Energy = 11.7e-7;
// Cycles from which the clock is limited by power, a tenth of a millisecond and half of one; and the factor over the
// fewest cycles that a tile may take to save energy.
inline constexpr double kLong = 150'000, kVeryLong = 1'000'000, kLongSlack = 1.025, kVeryLongSlack = 1.035;

// What one k-step takes.
struct Step {
  double multiply, shared, l2;    // cycles
  double shared_bytes, l2_bytes;  // read and written; requested
  double rows;                    // of 128 bytes that are loaded
  double cycles() const { return std::max({multiply, shared, l2}); }
  const char* name() const {
    return cycles() == multiply ? "main loop (tensor cores)"
           : cycles() == shared ? "main loop (shared memory)"
                                : "main loop (L2)";
  }
};

// `busy`: the fraction of SMs that work; `loading`: that load from L2 at the same time.
inline Step step_of(const Tile& t, const Problem& p, double busy, double loading) {
  Step step{};
  // Four wgmma of 64 rows by n columns, each of which takes n / 2 cycles and reads 64 + n rows of 32 bytes.
  const double columns = t.bm == 64 && !t.pingpong ? t.bn / 2.0 : t.bn;  // of a warpgroup
  const bool promoted = p.in == Type::e4m3 && p.compute != Compute::fast;
  const double n = promoted ? std::min(columns, 128.0) : columns, instructions = 4.0 * t.bm * t.bn / (64 * n);
  // FP8 promotion stalls wgmma unless the other warpgroup is issuing, which in pingpong it is not.
  step.multiply = instructions * n / 2 / (1 - (1 - kTensorSustained) * busy) * (promoted && t.pingpong ? 2 : 1);
  step.shared_bytes = instructions * (64 + n) * 32 + (t.bm + t.bn) * 128.0;
  step.shared = step.shared_bytes / kSharedBytes;
  // K-major boxes end with the matrix, except those that the blocks of a cluster divide.
  const bool ends = t.cluster == 1 && p.op_b == Op::transpose;
  const auto a = static_cast<double>(p.op_a == Op::none ? std::min<std::int64_t>(t.bm, p.m) : t.bm);
  const auto b = static_cast<double>(ends ? std::min<std::int64_t>(t.bn, p.n) : t.bn) / t.cluster;
  const auto requested = [&](std::int64_t ld) { return ld * size_of(p.in) % 128 == 0 ? 1 : 1 + kStraddle * loading; };
  step.l2_bytes = (a * requested(p.lda) + b * requested(p.ldb)) * 128;
  step.l2 = step.l2_bytes / kL2Bytes;
  step.rows = a + b;
  return step;
}

// Of `tiles` split tiles (of a cluster), each with so many partial sums.
inline double fixup_cycles(const Tile& t, const Problem& p, double tiles, double partials) {
  const double rows = tiles * static_cast<double>(std::min<std::int64_t>(t.cluster * t.bm, p.m));
  return kFixup + (t.co_resident ? 0 : kFixupAlone) + kFixupArea * t.bm * t.bn / kArea +
         kFixupRow * rows * std::min(partials, kFixupPartials) * t.bn / 256;
}

}  // namespace model

// `packed`: the problem as the kernel reads it, with A and B as stored or as packed.
inline Cost cost_of(const Tile& t, const Packed& packed, const Device& device, const StreamK& stream_k) {
  using namespace model;
  const Problem& p = packed.problem;
  const std::int64_t running = std::max(device.sms / t.cluster, 1);
  Cost cost;
  cost.stream_k = stream_k;
  const bool split = cost.stream_k.split > 0;
  const std::int64_t tiles = cost.stream_k.whole + cost.stream_k.split;
  const std::int64_t blocks = (split ? running : std::min(tiles, running)) * t.cluster;
  const double busy = std::min(static_cast<double>(blocks) / device.sms, 1.0);
  // Blocks that wait for the packing kernel start one after the other: if each computes one tile only, they do not
  // all load from L2 at the same time.
  const bool crowded = packed.blocks > 0 && packed.blocks + blocks > device.sms, once = !split && tiles <= running;
  const bool drains = crowded && (!t.co_resident || packed.blocks + blocks > 2 * device.sms);
  const Step step = step_of(t, p, busy, drains && once ? 0 : busy);

  const auto steps = static_cast<double>(cost.stream_k.steps), area = t.bm * t.bn / kArea;
  const double waves = split ? static_cast<double>(tiles) / static_cast<double>(running)
                             : static_cast<double>(ceil_div(tiles, running));
  const double made = static_cast<double>(tiles * t.cluster) * steps;
  cost.energy = made * (area + kSharedEnergy * step.shared_bytes + kL2Energy * step.l2_bytes);
  // A, B and C each pass between DRAM and L2 once. Where all blocks start at the same time, some of what they have in
  // common is loaded from DRAM again.
  const double dram = kDramBytes * device.sms;
  const auto operands = static_cast<double>((p.m + p.n) * p.k * p.batch * size_of(p.in));
  cost.memory = (operands + static_cast<double>(p.m * p.n * p.batch * size_of(p.out))) / dram;
  const double shared = std::max(made * step.rows * 128 - operands, 0.0);
  const double again = tiles <= running ? kRefetch * shared / dram : 0;
  // Idle SMs load nothing, nor do those without a tile in the tail wave.
  const double active =
      split || tiles <= running ? busy : static_cast<double>(tiles) / (waves * static_cast<double>(running));
  const double memory = (cost.memory + again) * (1 + kIdleSms * (1 - active));

  const double by_threads = p.ldc * size_of(p.out) % 16 == 0 ? 1 : kThreadStore * (t.pingpong ? kOneGroup : 1);
  const double store = kEpilogueArea * area * static_cast<double>(size_of(p.out)) / 2 * by_threads;
  const double tiles_each = std::ceil(waves), exposed = t.pingpong ? 1 + kPingpong * (tiles_each - 1) : tiles_each;

  const double mhz = kClock * device.mhz;
  const auto term = [&](const char* name, double cycles) {
    cost.cycles += cycles;
    cost.forecast.add(name, cycles / mhz);
  };
  term("launch", kLaunch + (t.cluster > 1 ? kCluster : 0));
  if (drains) term("wait for packing", kPackDrain);
  if (crowded && !drains && tiles <= running) term("wait for packing", kPackCoResident);
  const double loop = waves * steps * step.cycles();
  term(loop >= memory ? step.name() : "main loop (DRAM)", std::max(loop, memory));
  term("epilogue", exposed * (kEpilogue + store));
  if (split) {
    const auto tail = static_cast<double>(cost.stream_k.split);
    cost.fixup = fixup_cycles(t, p, tail, static_cast<double>(running) / tail + 1);
    term("fix-up of split tiles", cost.fixup);
  }
  const double packing =
      packed.bytes > 0 ? kPackLaunch + 2 * static_cast<double>(packed.bytes) / (kPackBytes * device.sms) : 0;
  cost.forecast.add("pack operands", packing / mhz);
  return cost;
}

// The tail wave is split along k where that saves more than the fix-up costs.
inline Cost cost_of(const Tile& t, const Packed& packed, const Device& device) {
  const Problem& p = packed.problem;
  const std::int64_t tiles = ceil_div(p.m, t.bm * t.cluster) * ceil_div(p.n, t.bn) * p.batch;
  const std::int64_t steps = ceil_div(p.k * size_of(p.in), kRowBytes);
  const Cost whole = cost_of(t, packed, device, whole_tiles(tiles, steps));
  const StreamK stream_k = split_tail_wave(tiles, steps, std::max(device.sms / t.cluster, 1), 1);
  if (stream_k.split == 0) return whole;
  const Cost split = cost_of(t, packed, device, stream_k);
  return whole.cycles - split.cycles > (model::kWorthSplitting - 1) * split.fixup ? split : whole;
}

}  // namespace cairn::hopper_59
