// What a tile costs for a problem, in cycles of an SM: the only model of it, by which the tail wave is
// split along k or not, a tile is chosen, and the library compares its rung with others.
//
// The time follows from what a k-step (128 bytes of k) needs of an SM's tensor cores, shared memory and L2, and from
// how the tiles fill the GPU. The constants are fitted to times of every variant on shapes drawn by lot
// (results/h200/tiles_fitted_*.json), and held to others (tiles_held_*.json) by tests/lab/tiles_test.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "device/epilogue.hpp"
#include "device/stream_k.hpp"
#include "kernels/hopper/parts/matrix.hpp"
#include "kernels/hopper/parts/tile.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper {

// How the tiles are divided along k: all of them among the blocks of a cluster, or those of the tail wave by stream-K,
// or none.
struct Division {
  StreamK stream_k{};  // full tiles and split tiles
  int k_blocks = 1;    // blocks of a cluster that share a tile
  bool splits_all() const { return k_blocks == 1 && stream_k.whole == 0 && stream_k.split > 0; }
  std::size_t partial_tiles() const {
    return k_blocks > 1 ? static_cast<std::size_t>(stream_k.whole) * static_cast<std::size_t>(k_blocks)
                        : stream_k.partial_tiles();
  }
};

struct Cost {
  Division division;
  double cycles = 0;      // of the GEMM, without packing
  double memory = 0;      // that DRAM needs for A, B and C alone
  double sums = 0;        // of adding partial sums, included in `cycles`
  double energy = 0;      // relative to the tensor cores' for a k-step of 128 x 256
  Forecast forecast;      // the same in microseconds, packing included
  bool by_power() const;  // limited by power: long, and not by DRAM
};

// Clusters of `blocks` that run at the same time: each is within one GPC, and those of an H200 differ. As
// cudaOccupancyMaxActiveClusters has it there, for each number of blocks.
inline int clusters_at_once(int sms, const Tile& t, int blocks) {
  constexpr int h200[] = {0, 132, 66, 39, 30, 22, 17, 15, 15};
  const int clusters = sms == h200[1] ? h200[blocks] : std::max(sms / blocks, 1);
  return t.paired() && blocks == 1 ? 2 * clusters : clusters;
}

// The tiles of a product of `rows` by `cols`.
inline TileGrid tile_grid(const Variant& v, std::int64_t rows, std::int64_t cols) {
  const auto u = [](std::int64_t x) { return static_cast<unsigned>(x); };
  return {u(ceil_div(rows, v.rows())), u(ceil_div(cols, v.cols())), u(std::max(2048 / v.rows(), 1))};
}

// The tiles of a problem. Groups end anywhere, so that half a tile of each is empty on average.
inline std::int64_t tiles_of(const Variant& v, const Packed& packed) {
  const Problem& p = packed.problem;
  const TileGrid grid = tile_grid(v, p.m, p.n);
  if (!packed.grouped) return std::int64_t{grid.rows} * grid.cols * p.batch;
  const auto lines = static_cast<double>(v.turned ? p.n : p.m),
             size = static_cast<double>(v.turned ? v.cols() : v.rows());
  const double tiles = std::max(lines / size + 0.5, 1.0) * static_cast<double>(p.batch);
  return static_cast<std::int64_t>(std::ceil(tiles)) * (v.turned ? grid.rows : grid.cols);
}

namespace model {

// Cycles, or bytes a cycle, of one SM. While all SMs work, the power limit leaves the tensor cores four fifths of
// their peak; a single SM reaches all of it. L2 and DRAM have no more than the hardware: 64 bytes, and of 4.8 TB/s 88 %.
inline constexpr double kTensorSustained = 0.79;
inline constexpr double kSharedBytes = 128, kL2Bytes = 64, kDramBytes = 16.4;
inline constexpr double kLeastStep = 296.4;  // of the smallest tiles: wgmma, a wait, a stage released
inline constexpr double kClock = 0.98;       // of the highest clock, while these constants were fitted
inline constexpr double kLaunch = 1445;      // a grid, until its first k-step; more for each of its blocks
inline constexpr double kLaunchBlock = 4.914;
inline constexpr double kCluster = 947.3;  // clusters are scheduled later
// Parts of the GPU that work at the same time take as long as the slowest, and a little longer where another is nearly
// as slow: the 8-norm of their times.
inline double together(std::initializer_list<double> times) {
  const double largest = std::max(times);
  if (largest <= 0) return 0;
  double sum = 0;
  for (const double time : times) {
    const double part = time / largest, square = part * part, fourth = square * square;
    sum += fourth * fourth;
  }
  return largest * std::sqrt(std::sqrt(std::sqrt(sum)));
}
inline constexpr double kMulticast = 0.3506;  // of L2's time for a byte that another block of the cluster requests
// More of L2's time for a row of a box that straddles two lines, of 128 bytes, and five sectors, of 32.
inline constexpr double kStraddleLines = 0.8889, kStraddleSectors = 1.58;
inline constexpr double kRefetch = 0.282;   // of the operand bytes that blocks have in common comes from DRAM again
inline constexpr double kL2Size = 22.3e6;   // bytes that L2 holds until all have loaded them
inline constexpr double kIdleSms = 0.6403;  // DRAM takes so much longer, times the fraction of SMs that idle
// Blocks that do not fit next to those of the kernel before them wait until it drains: of the GEMM after packing, and
// of the fix-up.
inline constexpr double kPackDrain = 986, kFixupDrain = 2456;
// A packing kernel, and each of its blocks; bytes a cycle, read or written.
inline constexpr double kPackLaunch = 3484, kPackBlock = 280.8, kPackBytes = 16.22;
// A warp that fetches, for the loads of a lane that are in flight together. Each of the four has a k-step of its own.
inline constexpr double kFetchRound = 4219;
// The epilogue of a tile; more for its elements (128 x 256 of two bytes); times kThreadStore where TMA cannot store
// C, and kOneGroup more where one warpgroup stores alone. kPingpong of an epilogue stays exposed in pingpong; the
// products of the other warpgroup hide the rest.
inline constexpr double kEpilogue = 1120, kEpilogueArea = 3564, kThreadStore = 2.96, kOneGroup = 1.55,
                        kPingpong = 0.608;
// Groups are searched for, and threads copy what TMA would store beyond them: times the elements' part.
inline constexpr double kGroupedStore = 4;
// Finishing the sums of a tile of 128 x 256: a bias or scales, in registers; more for a smooth activation; more where
// threads store C. Where the blocks of a cluster share a tile nothing is added: it is no more there than for other small
// tiles, between which the forecasts are too close to be told apart by it.
inline constexpr double kFinish = 2300, kFinishSmooth = 6000, kFinishThreads = 28000;
inline constexpr double kNarrowBox = 517.1;  // more for each time that a row of a box is half as long, of 128 bytes
// The fix-up of split tiles: a second kernel; more for their elements, and for each partial row (up to so many of one
// row).
inline constexpr double kFixup = 3766, kFixupArea = 5947, kFixupRow = 1.324, kFixupPartials = 16;
// The blocks of a cluster add the partial sums of a tile: until all have stored theirs, and for each byte of a tile.
inline constexpr double kClusterSum = 1870, kClusterSumBytes = 15.43;
inline constexpr int kMostKBlocks = 8, kLeastKSteps = 4;  // blocks of a cluster; k-steps of each
// What a split must save, times its fix-up: a split with equal forecasts is as often slower as faster.
// Where power limits the clock, SMs that idle in the tail wave leave their share of it to the others.
inline constexpr double kWorthSplitting = 1.43, kWorthSplittingLong = 2;
// Equal shares are preferred to ranges laid end to end up to this factor: no range of theirs is in two tiles.
inline constexpr double kInStep = 1.02;
inline constexpr double kArea = 128 * 256;
// Energy of a byte of shared memory, and of one from L2: fitted to four tiles under load (results/h200/summit_tiles.json).
inline constexpr double kSharedEnergy = 6.9e-7, kL2Energy = 11.7e-7;
// Cycles from which the clock is limited by power, a tenth of a millisecond and half of one; and the factor over the
// fewest cycles that a tile may take to save energy.
inline constexpr double kLong = 150'000, kVeryLong = 1'000'000, kLongSlack = 1.025, kVeryLongSlack = 1.035;

// What one k-step takes.
struct Step {
  double multiply, shared, l2, fetch;  // cycles
  double shared_bytes, l2_bytes;       // read and written; requested
  double rows;                         // of 128 bytes that are loaded
  double compute() const { return together({multiply, shared, kLeastStep}); }
  double load() const { return std::max(l2, fetch); }
  const char* name() const {
    const double most = std::max({multiply, shared, l2, fetch, kLeastStep});
    return most == multiply ? "main loop (tensor cores)"
           : most == shared ? "main loop (shared memory)"
           : most == l2     ? "main loop (L2)"
           : most == fetch  ? "main loop (fetching)"
                            : "main loop (latency)";
  }
};

// How often the warps that fetch an operand of `rows` issue their loads and wait for them (fetch.hpp), in a k-step on
// average: beyond k there is nothing to wait for.
inline double fetch_rounds(const Problem& p, Op stored, Op k_major, std::int64_t rows, std::int64_t ld) {
  const std::int64_t size = size_of(p.in);
  if (p.k == 0) return 0;
  if (stored != k_major) {
    const double chunks =
        std::ceil(static_cast<double>(p.k * size) / 16) / static_cast<double>(ceil_div(p.k * size, kRowBytes));
    return std::ceil(static_cast<double>(ceil_div(rows, 32)) * chunks / static_cast<double>(size));
  }
  const bool wide = (rows == 1 || ld * size % 4 == 0) && p.k * size % 4 == 0;
  return static_cast<double>(ceil_div(ceil_div(rows, 4), 2 * (wide ? 4 : size)));
}

// `busy`: the fraction of SMs that work; `loading`: that load from L2 at the same time; `crowd`: blocks on an SM;
// `steps`: of a block.
inline Step step_of(const Variant& v, const Packed& packed, double busy, double loading, double crowd, double steps) {
  const Tile& t = v.tile;
  const Problem& p = packed.problem;
  Step step{};
  // Four wgmma of 64 rows by n columns, each of which takes n / 2 cycles and reads 64 + n rows of 32 bytes.
  const double columns = t.wn();  // of a warpgroup
  const bool promoted = promotes(p);
  const double n = promoted ? std::min(columns, 128.0) : columns, instructions = 4.0 * t.bm * t.bn / (64 * n);
  // FP8 promotion stalls wgmma unless the other warpgroup is issuing, which in pingpong it is not.
  step.multiply = instructions * n / 2 / (1 - (1 - kTensorSustained) * busy) * (promoted && t.pingpong() ? 2 : 1);
  const int b_rows = t.b_rows(p.op_b == Op::none ? Major::mn : Major::k);
  step.shared_bytes = instructions * (64 + n) * 32 + (t.bm + b_rows) * 128.0;
  step.shared = step.shared_bytes / kSharedBytes;
  // K-major boxes end with the matrix, except those that the blocks of a cluster divide.
  const bool a_ends = v.across == 1 && p.op_a == Op::none, b_ends = v.down == 1 && p.op_b == Op::transpose;
  const auto a = static_cast<double>(a_ends ? std::min<std::int64_t>(t.bm, p.m) : t.bm) / v.across;
  const auto b = static_cast<double>(b_ends ? std::min<std::int64_t>(t.bn, p.n) : b_rows) / v.down;
  const auto requested = [&](std::int64_t ld) {
    const std::int64_t bytes = ld * size_of(p.in);
    return 1 + loading * (bytes % 128 == 0 ? 0 : bytes % 32 == 0 ? kStraddleLines : kStraddleSectors);
  };
  step.l2_bytes = (a * requested(p.lda) + b * requested(p.ldb)) * 128;
  // What another block's request delivers takes time as well.
  const double delivered = ((v.across - 1) * a * requested(p.lda) + (v.down - 1) * b * requested(p.ldb)) * 128;
  step.l2 = (step.l2_bytes + kMulticast * delivered) / kL2Bytes;
  step.rows = a + b;
  step.multiply *= crowd, step.shared *= crowd, step.l2 *= crowd;
  if (t.fetched) {
    step.fetch = kFetchRound / std::clamp(steps, 1.0, 4.0) *
                 (fetch_rounds(p, packed.stored_a, Op::none, std::min<std::int64_t>(t.bm, p.m), p.lda) +
                  fetch_rounds(p, packed.stored_b, Op::transpose, std::min<std::int64_t>(t.bn, p.n), p.ldb));
  }
  return step;
}

// Of a row of a box of C.
inline double box_bytes(const Tile& t, Type out) {
  const auto size = static_cast<int>(size_of(out));
  return box_cols(t.wn(), size) * size;
}

// Of a tile.
inline double finish_cycles(const Tile& t, const Problem& p, bool by_tma) {
  if (!finishes_sums(p)) return 0;
  const bool smooth = p.activation != Activation::none && p.activation != Activation::relu;
  return (kFinish + (smooth ? kFinishSmooth : 0) + (by_tma ? 0 : kFinishThreads)) * t.bm * t.bn / kArea;
}

// Of `tiles` split tiles (of a cluster), each with so many partial sums.
inline double fixup_cycles(const Variant& v, const Problem& p, double tiles, double partials) {
  const Tile& t = v.tile;
  const double rows = tiles * static_cast<double>(std::min<std::int64_t>(v.rows(), p.m));
  return kFixup + (t.sharing == Sharing::helper ? 0 : kFixupDrain) + kFixupArea * t.bm * t.bn / kArea +
         kFixupRow * rows * std::min(partials, kFixupPartials) * t.bn / 256;
}

}  // namespace model

inline bool Cost::by_power() const { return cycles >= model::kLong && 2 * memory < cycles; }

// `packed`: the problem as the kernel reads it, with A and B as stored or as packed.
inline Cost cost_of(const Variant& v, const Packed& packed, const Device& device, const Division& division) {
  using namespace model;
  const Tile& t = v.tile;
  const Problem& p = packed.problem;
  const StreamK& stream_k = division.stream_k;
  const std::int64_t running = clusters_at_once(device.sms, v.tile, v.blocks());
  Cost cost;
  cost.division = division;
  const bool split = stream_k.split > 0, shared_k = division.k_blocks > 1;
  const std::int64_t tiles = stream_k.whole + stream_k.split;
  const std::int64_t ranges = stream_k.whole > 0 ? running : stream_k.blocks;
  const std::int64_t blocks =
      shared_k ? tiles * division.k_blocks : (split ? ranges : std::min(tiles, running)) * v.blocks();
  const double busy = std::min(static_cast<double>(blocks) / device.sms, 1.0);
  // Blocks that wait for the packing kernel start one after the other: if each computes one tile only, they do not
  // all load from L2 at the same time.
  const bool crowded = packed.blocks > 0 && packed.blocks + blocks > device.sms, once = !split && tiles <= running;
  const double crowd = t.paired() && blocks > device.sms ? 2 : 1;  // blocks on an SM
  const bool drains = crowded && (t.sharing != Sharing::helper || packed.blocks + blocks > 2 * device.sms);
  const auto steps = static_cast<double>(stream_k.steps), area = t.bm * t.bn / kArea;
  const double full_waves = static_cast<double>(stream_k.whole) / static_cast<double>(running);
  const double waves = shared_k              ? 1.0 / division.k_blocks
                       : stream_k.shares > 0 ? full_waves + 1.0 / stream_k.shares
                       : split               ? static_cast<double>(tiles) / static_cast<double>(running)
                                             : static_cast<double>(ceil_div(tiles, running));
  const Step step = step_of(v, packed, busy, drains && once ? 0 : busy, crowd, waves * steps);
  const double made = static_cast<double>(tiles * v.blocks()) * steps;
  cost.energy = made * (area + kSharedEnergy * step.shared_bytes + kL2Energy * step.l2_bytes);
  // A, B and C each pass between DRAM and L2 once. Where all blocks start at the same time, some of what they have in
  // common is loaded from DRAM again: little if they are at the same k at the same time, else all that L2 does not
  // hold.
  const double dram = kDramBytes * device.sms;
  const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k),
             batch = static_cast<double>(p.batch);
  const double operands = (m + n) * k * batch * static_cast<double>(size_of(p.in));
  cost.memory = (operands + m * n * batch * static_cast<double>(size_of(p.out))) / dram;
  const double shared = std::max(made * step.rows * 128 - operands, 0.0);
  const bool in_step = !split || stream_k.shares > 0;
  const double refetch = in_step ? kRefetch : std::max(kRefetch, 1 - kL2Size / operands);
  const double again = tiles <= running ? refetch * shared / dram : 0;
  // Idle SMs load nothing, nor do those without a tile in the tail wave.
  const double active =
      split || tiles <= running ? busy : static_cast<double>(tiles) / (waves * static_cast<double>(running));
  const double memory = (cost.memory + again) * (1 + kIdleSms * (1 - active));

  const bool by_tma = p.ldc * size_of(p.out) % 16 == 0 && p.out != Type::e4m3 && p.before == Before::none;
  const double by_threads = by_tma ? 1 : kThreadStore * (t.pingpong() ? kOneGroup : 1);
  const double store = crowd * kEpilogueArea * area * static_cast<double>(size_of(p.out)) / 2 * by_threads *
                       (packed.grouped ? kGroupedStore : 1);
  const double tiles_each = std::ceil(waves), exposed = t.pingpong() ? 1 + kPingpong * (tiles_each - 1) : tiles_each;

  const double mhz = kClock * device.mhz;
  const auto term = [&](const char* name, double cycles) {
    cost.cycles += cycles;
    cost.forecast.add(name, cycles / mhz);
  };
  term("launch", kLaunch + kLaunchBlock * static_cast<double>(blocks) + (v.blocks() > 1 || shared_k ? kCluster : 0));
  if (drains) term("wait for packing", kPackDrain);
  // The producer loads the next tile during an epilogue: only where the consumers are the slower does it add to the
  // time, but for the last. In the forecast the main loop is the time without epilogues, and the rest is theirs.
  const double narrow = v.turned ? 0 : kNarrowBox * std::log2(kRowBytes / box_bytes(t, p.out));
  const double epilogue = kEpilogue + store + narrow;
  const double compute = waves * steps * step.compute(), load = waves * steps * step.load();
  const double loop = together({together({compute, load}), memory});
  // In pingpong the sums are finished while the other warpgroup multiplies, if that takes as long.
  const double finish = division.splits_all() ? 0 : finish_cycles(t, p, by_tma),
               alone = t.pingpong() ? std::max(finish - steps * step.compute(), 0.0) : finish;
  const double before_last = (exposed - 1) * epilogue + (tiles_each - 1) * alone;
  const double stored = together({together({compute + before_last, load}), memory});
  term(together({compute, load}) >= memory ? step.name() : "main loop (DRAM)", loop);
  if (shared_k) {
    cost.sums = kClusterSum + 8.0 * t.bm * t.bn / kClusterSumBytes;
    term("sums within clusters", cost.sums);
  } else {
    term("epilogue", epilogue + finish + stored - loop);
  }
  if (split) {
    const auto tail = static_cast<double>(stream_k.split);
    cost.sums =
        fixup_cycles(v, p, tail, stream_k.shares > 0 ? stream_k.shares : static_cast<double>(running) / tail + 1);
    term("fix-up of split tiles", cost.sums);
  }
  const double packing = packed.bytes > 0 ? kPackLaunch + (2 * static_cast<double>(packed.bytes) / kPackBytes +
                                                           kPackBlock * static_cast<double>(packed.all_blocks)) /
                                                              device.sms
                                          : 0;
  cost.forecast.add("pack operands", packing / mhz);
  return cost;
}

// The tail wave is split along k where that saves more than the fix-up costs; or the blocks of a cluster share a tile.
inline Cost cost_of(const Variant& v, const Packed& packed, const Device& device) {
  const Problem& p = packed.problem;
  const std::int64_t tiles = tiles_of(v, packed);
  const std::int64_t steps = ceil_div(p.k * size_of(p.in), kRowBytes);
  const StreamK whole = whole_tiles(tiles, steps);
  Cost best = cost_of(v, packed, device, {whole});
  if (packed.grouped) return best;
  const int running = clusters_at_once(device.sms, v.tile, v.blocks());
  const bool tail = tiles > running;  // after full waves
  const double worth = tail && best.by_power() ? model::kWorthSplittingLong : model::kWorthSplitting;
  const auto consider = [&](const Division& division) {
    const Cost split = cost_of(v, packed, device, division);
    if (best.cycles - split.cycles > (worth - 1) * split.sums) best = split;
  };
  const StreamK end_to_end = split_tail_wave(tiles, steps, running, 1), shares = split_evenly(tiles, steps, running);
  if (end_to_end.split > 0) {
    const Cost cost = cost_of(v, packed, device, {end_to_end});
    const bool even = shares.split > 0 && cost_of(v, packed, device, {shares}).cycles <= model::kInStep * cost.cycles;
    consider({even ? shares : end_to_end});
  }
  for (int blocks = 2; v.blocks() == 1 && blocks <= model::kMostKBlocks; ++blocks)
    if (steps / blocks >= model::kLeastKSteps && tiles <= clusters_at_once(device.sms, v.tile, blocks))
      consider({shared_tiles(tiles, steps, blocks), blocks});
  return best;
}

}  // namespace cairn::hopper
