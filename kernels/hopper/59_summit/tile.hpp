// The tiles of the summit. Two warpgroups multiply. They share a tile, one above the other (side by side where it is
// 64 rows high), or have one each and take turns, as in 58.
#pragma once

#include "device/accumulators.hpp"
#include "device/matrix_map.hpp"
#include "device/mbarrier.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper_59 {

inline constexpr int kThreads = 128 + 256;  // a warpgroup copies, of which one thread works; two multiply
inline constexpr int kLine = 128;           // bytes of shared memory; as many bytes of k are a step
inline constexpr int kSlab = 64 * kLine;    // of C: 64 rows
inline constexpr int kSlabs = 2;            // for each warpgroup that multiplies
inline constexpr int kKeep = 40;            // registers of a thread that copies
inline constexpr int kBeside = 17 * 1024;   // bytes of shared memory: of a block that copies, or adds up shares
inline constexpr int kKept = 1024;          // the same: that an SM keeps of each block's

struct Tile {
  int bm, bn;
  int stages;
  int cluster;         // blocks one below the other, that share the columns of B
  bool turns = false;  // a tile for each warpgroup
  // A block has an SM to itself; but a small one can leave room for blocks of the kernels that copy operands and add
  // up shares, so that neither has to wait until the other's are gone: half the registers, and kBeside.
  bool beside = false;
  constexpr int room() const { return beside ? 2 : 1; }                      // blocks that an SM has registers for
  constexpr int given() const { return 65536 / room() / kThreads / 8 * 8; }  // a thread's, when it begins
  constexpr int take() const { return beside ? 96 : 232; }                   // of one that multiplies
  constexpr int stage() const { return (bm + bn) * kLine; }
  constexpr int shared() const {
    return stages * (stage() + 2 * static_cast<int>(sizeof(Mbarrier))) + 2 * kSlabs * kSlab;
  }
  constexpr bool valid() const {
    return bm % 64 == 0 && bm <= 256 && (turns || bm == 64 || bm % 128 == 0) &&
           bn % (turns || bm > 64 ? 64 : 128) == 0 && bn <= 256 &&
           bn % (64 * cluster) == 0 &&  // lines along the rows have 64 elements
           bm * bn / (turns ? 128 : 256) + 40 <= take() && 128 * kKeep + 256 * take() <= kThreads * given() &&
           stages >= 2 && kSlabs * kSlab >= 4 * static_cast<int>(sizeof(AccumulatorStrip)) &&
           kKept + shared() + (beside ? kKept + kBeside : 0) <= 228 * 1024;
  }
  TileName name() const {
    return turns ? tile_text("%dx%d in turns, %d stages, cluster %d", bm, bn, stages, cluster)
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
  static constexpr bool turns = t.turns;
  static constexpr int take = t.take();
  static constexpr int bytes = (bm + bn) * kLine;             // of a stage
  static constexpr int down = turns || bm == 64 ? 1 : 2;      // warpgroups one above the other,
  static constexpr int across = turns || bm > 64 ? 1 : 2;     // side by side
  static constexpr int rows = bm / down, cols = bn / across;  // of one,
  static constexpr int each = rows / 64;                      // of whose rows an instruction takes 64,
  static constexpr int part = cols % 128 == 0 ? 128 : cols < 128 ? cols : cols / 2;  // and of columns, if promoted
  static constexpr int group = 2048 / bm / cluster;  // rows of tiles that blocks walk down together
};

}  // namespace cairn::hopper_59
