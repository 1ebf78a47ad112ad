// The tiles of the summit. Two warpgroups multiply: one above the other, or side by side where a tile is 64 rows
// high.
#pragma once

#include "device/matrix_map.hpp"
#include "device/mbarrier.hpp"
#include "device/sums.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper_59 {

inline constexpr int kThreads = 128 + 256;     // a warpgroup copies, of which one thread works; two multiply
inline constexpr int kLine = 128;              // bytes of shared memory; as many bytes of k are a step
inline constexpr int kSlab = 64 * kLine;       // of C: 64 rows
inline constexpr int kSlabs = 2;               // for each warpgroup that multiplies
inline constexpr int kKeep = 40, kTake = 232;  // registers a thread: of those who copy, of those who multiply

struct Tile {
  int bm, bn;
  int stages;
  int cluster;  // blocks one below the other, that share the columns of B
  constexpr int stage() const { return (bm + bn) * kLine; }
  constexpr int shared() const {
    return stages * (stage() + 2 * static_cast<int>(sizeof(Mbarrier))) + 2 * kSlabs * kSlab;
  }
  constexpr bool valid() const {
    return (bm == 64 || bm % 128 == 0) && bm <= 256 && bn % (bm == 64 ? 128 : 64) == 0 && bn <= 256 &&
           bn % (64 * cluster) == 0 &&  // lines along the rows have 64 elements
           bm * bn / 256 + 40 <= kTake && 128 * kKeep + 256 * kTake <= 65536 &&  // registers
           stages >= 2 && kSlabs * kSlab >= 4 * static_cast<int>(sizeof(SumStrip)) && shared() <= 227 * 1024;
  }
  TileName name() const { return tile_text("%dx%d, %d stages, cluster %d", bm, bn, stages, cluster); }
};
inline constexpr Tile kTiles[] = {{128, 256, 4, 1}, {128, 256, 4, 2}, {256, 128, 4, 1}, {128, 192, 4, 1},
                                  {128, 128, 6, 1}, {64, 256, 4, 1},  {64, 128, 7, 1}};

// What cutting so many tiles costs, in steps, of which one of 128 x 256 takes 0.8 us: about 8 us, and a quarter of
// one for each, until its rows are added up.
constexpr std::int64_t trouble(const Tile& t, std::int64_t cut) { return 10 * (128 * 256) / (t.bm * t.bn) + cut / 3; }

// The same for the kernel.
template <int tile> struct Geometry {
  static constexpr Tile t = kTiles[tile];
  static constexpr int bm = t.bm, bn = t.bn, stages = t.stages, cluster = t.cluster;
  static constexpr int bytes = (bm + bn) * kLine;                                   // of a stage
  static constexpr int down = bm == 64 ? 1 : 2;                                     // warpgroups
  static constexpr int rows = bm / down, cols = bn / (3 - down), each = rows / 64;  // of one: 64 rows an instruction
  static constexpr int group = 2048 / bm / cluster;  // rows of tiles that blocks walk down together
};

}  // namespace cairn::hopper_59
