// The tiles of the summit. Two consumer warpgroups compute one tile together (cooperative), one below the other or,
// if it has 64 rows, next to each other; or each computes tiles of its own (pingpong), as in 58.
#pragma once

#include "device/accumulators.hpp"
#include "device/matrix_map.hpp"
#include "device/mbarrier.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper_59 {

inline constexpr int kThreads = 128 + 256;            // a producer warpgroup and two consumer warpgroups
inline constexpr int kRowBytes = 128;                 // a row of a swizzled tile, and a k-step of any type
inline constexpr int kBoxBytes = 64 * kRowBytes;      // a staging box of C: 64 rows
inline constexpr int kBoxes = 2;                      // for each consumer warpgroup
inline constexpr int kProducerRegisters = 40;         // of a thread, after setmaxnreg
inline constexpr int kHelperSharedBytes = 17 * 1024;  // of a packing or fix-up block
inline constexpr int kReservedSharedBytes = 1024;     // that CUDA reserves for each block

struct Tile {
  int bm, bn;
  int stages;
  int cluster;            // blocks one below the other, which share the columns of B
  bool pingpong = false;  // a tile for each consumer warpgroup, else one for both
  // A GEMM block has an SM to itself unless it is small enough to leave registers and shared memory for a packing or
  // fix-up block: then neither kernel has to drain before the other starts.
  bool co_resident = false;
  constexpr int blocks_per_sm() const { return co_resident ? 2 : 1; }  // as far as registers go
  constexpr int launch_registers() const { return 65536 / blocks_per_sm() / kThreads / 8 * 8; }  // of a thread
  constexpr int consumer_registers() const { return co_resident ? 96 : 232; }  // of a thread, after setmaxnreg
  constexpr int stage_bytes() const { return (bm + bn) * kRowBytes; }
  constexpr int shared() const {
    return stages * (stage_bytes() + 2 * static_cast<int>(sizeof(Mbarrier))) + 2 * kBoxes * kBoxBytes;
  }
  constexpr bool valid() const {
    return bm % 64 == 0 && bm <= 256 && (pingpong || bm == 64 || bm % 128 == 0) &&
           bn % (pingpong || bm > 64 ? 64 : 128) == 0 && bn <= 256 && bn % (64 * cluster) == 0 &&  // TMA boxes
           bm * bn / (pingpong ? 128 : 256) + 40 <= consumer_registers() &&
           128 * kProducerRegisters + 256 * consumer_registers() <= kThreads * launch_registers() && stages >= 2 &&
           kBoxes * kBoxBytes >= 4 * static_cast<int>(sizeof(AccumulatorStrip)) &&
           kReservedSharedBytes + shared() + (co_resident ? kReservedSharedBytes + kHelperSharedBytes : 0) <=
               228 * 1024;
  }
  TileName name() const {
    return pingpong ? tile_text("%dx%d pingpong, %d stages, cluster %d", bm, bn, stages, cluster)
                    : tile_text("%dx%d, %d stages, cluster %d", bm, bn, stages, cluster);
  }
};
inline constexpr Tile kTiles[] = {{128, 256, 4, 1},
                                  {128, 256, 4, 2},
                                  {256, 128, 4, 1},
                                  {128, 192, 4, 1},
                                  {128, 128, 6, 2, true},
                                  {128, 128, 6, 1},
                                  {64, 128, 7, 1, false, true},
                                  {64, 128, 7, 2, false, true},
                                  {64, 64, 12, 1, true},
                                  {64, 64, 11, 1, true, true}};
static_assert(std::ranges::all_of(kTiles, &Tile::valid));

// A tile as the kernel is compiled for it.
template <int tile> struct Geometry {
  static constexpr Tile t = kTiles[tile];
  static constexpr int bm = t.bm, bn = t.bn, stages = t.stages, cluster = t.cluster;
  static constexpr bool pingpong = t.pingpong;
  static constexpr int consumer_registers = t.consumer_registers();
  static constexpr int stage_bytes = t.stage_bytes();
  static constexpr int warpgroups_m = pingpong || bm == 64 ? 1 : 2;  // warpgroups that a tile is divided among
  static constexpr int warpgroups_n = pingpong || bm > 64 ? 1 : 2;
  static constexpr int wm = bm / warpgroups_m, wn = bn / warpgroups_n;             // a warpgroup's part of the tile
  static constexpr int wgmmas = wm / 64;                                           // of 64 rows
  static constexpr int promoted_n = wn % 128 == 0 ? 128 : wn < 128 ? wn : wn / 2;  // columns promoted at a time
  static constexpr int group_rows = 2048 / bm / cluster;  // rows of tiles in a group of the block order
};

}  // namespace cairn::hopper_59
