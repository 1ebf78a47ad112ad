// Tiles of a warp-specialized kernel, and variants: a tile, a cluster and the way round. Two consumer warpgroups compute one
// tile together (cooperative), one below the other or next to each other; or each computes tiles of its own
// (pingpong), as in 58. TMA loads the operands or, in fetched tiles, the threads of the producer do.
#pragma once

#include "device/accumulators.hpp"
#include "device/matrix_map.hpp"
#include "device/mbarrier.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper {

inline constexpr int kThreads = 128 + 256;            // a producer warpgroup and two consumer warpgroups
inline constexpr int kRowBytes = 128;                 // a row of a swizzled tile, and a k-step of any type
inline constexpr int kBoxBytes = 64 * kRowBytes;      // a staging box of C, at most
inline constexpr int kBoxes = 2;                      // for each consumer warpgroup
inline constexpr int kHelperSharedBytes = 17 * 1024;  // of a packing or fix-up block
inline constexpr int kReservedSharedBytes = 1024;     // that CUDA reserves for each block

enum class Team : std::uint8_t { rows, cols, pingpong };  // what the consumer warpgroups divide: rows, columns, tiles

// C is stored in boxes of up to 64 rows and 128 bytes. Upright, 64 accumulator rows by the widest columns that divide
// a warpgroup's; turned, its columns are rows of C, and the most that divide them are a box.
__host__ __device__ constexpr int box_cols(int wn, int size) {
  int bytes = 128;
  while (wn % (bytes / size) != 0) bytes /= 2;
  return bytes / size;
}
__host__ __device__ constexpr int turned_box_rows(int wn) {
  int rows = 64;
  while (wn % rows != 0) rows -= 8;
  return rows;
}

// An MN-major operand is loaded in boxes of 64 of its rows by a k-step, 64 deep. The blocks of a cluster that need the
// same tile divide its boxes or, where there are fewer boxes than blocks, each box along k. So every block loads some of
// it: one that loaded nothing would be told that a stage is free by a block that is a pass ahead, not by all of them.
inline constexpr int kBoxDepth = 64;
__host__ __device__ constexpr bool divides_boxes(int boxes, int blocks) { return boxes >= blocks; }

// What a GEMM block shares its SM with. It has the SM to itself, or leaves registers and shared memory for a packing or
// fix-up block, so that neither kernel has to drain before the other starts; or for a second block of the GEMM, so that
// one loads or stores while the other waits.
enum class Sharing : std::uint8_t { none, helper, pair };

struct Tile {
  int bm, bn;
  Team team = Team::rows;
  Sharing sharing = Sharing::none;
  bool fetched = false;  // by threads (fetch.hpp)
  constexpr bool operator==(const Tile&) const = default;
  constexpr bool pingpong() const { return team == Team::pingpong; }
  constexpr int wm() const { return team == Team::rows ? bm / 2 : bm; }  // a warpgroup's part of the tile
  constexpr int wn() const { return team == Team::cols ? bn / 2 : bn; }
  // Rows of shared memory that a stage has for B. TMA loads 64 columns of an MN-major B at a time, for each warpgroup
  // that has columns of its own.
  constexpr int b_rows(Major b) const { return b == Major::k ? bn : bn / wn() * ((wn() + 63) / 64 * 64); }
  constexpr bool paired() const { return sharing == Sharing::pair; }
  constexpr int blocks_per_sm() const { return sharing == Sharing::none ? 1 : 2; }  // as far as registers go
  constexpr int launch_registers() const { return 65536 / blocks_per_sm() / kThreads / 8 * 8; }  // of a thread
  // Of a thread, after setmaxnreg. `scaled`: of kernels that take scales of blocks, if the tile does.
  constexpr int accumulators() const { return wm() * wn() / 128; }
  constexpr bool crowded(bool scaled) const { return scaled && wn() == 256; }
  constexpr int consumer_registers(bool scaled) const {
    return fetched ? 72 : blocks_per_sm() == 2 ? 96 : crowded(scaled) ? 232 : 224;
  }
  constexpr int producer_registers(bool scaled) const {
    return fetched ? 96 : blocks_per_sm() == 2 ? 48 : crowded(scaled) ? 40 : 56;
  }
  constexpr int registers_of_block(bool scaled) const {
    return 128 * producer_registers(scaled) + 256 * consumer_registers(scaled);
  }
  // Whether it takes what is applied to complete sums. Beside 128 accumulators and 64 to promote there is no room for it.
  constexpr bool finishes_sums(bool promoted) const { return !promoted || wn() < 256; }
  // Scales of blocks multiply the sums of a k-step. With two wgmma a step the kernel would spill.
  constexpr bool scales_blocks() const { return wm() == 64; }
  // Those of each column too, and not of blocks of them only, unless one of four stages would have to go for them.
  constexpr bool scales_columns() const { return wn() < 256; }
  // In a stage: of rows, and of columns or of the two blocks that 256 of them are in.
  constexpr int stage_scales() const { return bm + (scales_columns() ? bn : 2); }
  constexpr int stage_bytes(Major b) const { return (bm + b_rows(b)) * kRowBytes; }
  constexpr int shared_of_stage(Major b, bool scaled) const {
    const int scales = scaled && scales_blocks() ? stage_scales() * static_cast<int>(sizeof(float)) : 0;
    return stage_bytes(b) + 2 * static_cast<int>(sizeof(Mbarrier)) + scales;
  }
  // The stages that fit beside the staging boxes and what shares the SM.
  constexpr int stages(Major b, bool scaled) const {
    const int helper = sharing == Sharing::helper ? kReservedSharedBytes + kHelperSharedBytes : 0;
    const int block = (228 * 1024 - helper) / (paired() ? 2 : 1) - kReservedSharedBytes;
    return (block - 2 * kBoxes * kBoxBytes) / shared_of_stage(b, scaled);
  }
  constexpr int shared(Major b, bool scaled) const {
    return stages(b, scaled) * shared_of_stage(b, scaled) + 2 * kBoxes * kBoxBytes;
  }
  constexpr bool valid() const {
    return wm() % 64 == 0 && bm <= 256 && wn() % 16 == 0 && wn() <= 256 &&
           (wn() <= 64 || turned_box_rows(wn()) >= 32) && accumulators() + 40 <= consumer_registers(false) &&
           registers_of_block(false) <= kThreads * launch_registers() &&
           registers_of_block(true) <= kThreads * launch_registers() && stages(Major::mn, false) >= 2 &&
           (!fetched || paired()) && kBoxes * kBoxBytes >= 4 * static_cast<int>(sizeof(AccumulatorStrip));
  }
};

// What a kernel is compiled for: a product alone, one with an epilogue, or groups of rows, with one or without.
enum class Form : std::uint8_t { plain, finishing, grouped };

// Whether sums of e4m3 are added in f32 after every k-step.
inline bool promotes(const Problem& p) { return p.in == Type::e4m3 && p.compute != Compute::fast; }

// A tile as the library may run it.
struct Variant {
  Tile tile;
  int down = 1, across = 1;  // blocks of a cluster: those in a column share the columns of B, in a row the rows of A
  bool turned = false;       // computes Cᵀ = op(B)ᵀ op(A)ᵀ, so that the columns of a tile are rows of C
  constexpr int blocks() const { return down * across; }
  constexpr int rows() const { return down * tile.bm; }  // of a cluster
  constexpr int cols() const { return across * tile.bn; }
  // As loads are compiled: the shares of two or four blocks are whole groups of swizzled rows.
  constexpr bool valid() const {
    return (down == 1 || down == 2 || down == 4) && (across == 1 || (across == 2 && down > 1)) &&
           tile.bn % (8 * down) == 0 && tile.bm % (8 * across) == 0;
  }
  TileName name() const {
    const Tile& t = tile;
    const char* const team = t.team == Team::pingpong ? " pingpong" : t.team == Team::cols ? " by columns" : "";
    const char* const sharing = t.fetched                      ? " fetched"
                                : t.paired()                   ? " paired"
                                : t.sharing == Sharing::helper ? " co-resident"
                                                               : "";
    return tile_text("%dx%d%s%s%s, cluster %d%s", t.bm, t.bn, team, sharing, turned ? " turned" : "", down,
                     across == 2 ? "x2" : "");
  }
};

// A tile as the kernel is compiled for it.
template <Tile tile, Major b_major, bool scaled> struct Geometry {
  static constexpr Tile t = tile;
  static constexpr int bm = t.bm, bn = t.bn, b_rows = t.b_rows(b_major), stages = t.stages(b_major, scaled);
  static constexpr bool pingpong = t.pingpong(), fetched = t.fetched;
  static constexpr int consumer_registers = t.consumer_registers(scaled),
                       producer_registers = t.producer_registers(scaled);
  static constexpr bool scales_blocks = scaled && t.scales_blocks(), scales_columns = t.scales_columns();
  static constexpr int stage_scales = t.stage_scales();
  static constexpr int stage_bytes = t.stage_bytes(b_major);
  static constexpr int wm = t.wm(), wn = t.wn();
  static constexpr int wgmmas = wm / 64;  // of 64 rows
  static constexpr int parts_n = bn / wn,
                       b_part = b_rows / parts_n;  // warpgroups next to each other, rows of B of each
  // Columns promoted at a time, as many as there are registers for.
  static constexpr int promoted_n = wn % 128 == 0 ? 128 : wn > 128 || t.accumulators() >= 144 ? wn / 2 : wn;
  template <bool promoted> static constexpr bool finishes_sums = t.finishes_sums(promoted);
  static constexpr int finished_n = wn < 256 ? wn : 128;  // columns that an epilogue is applied to at a time
};

}  // namespace cairn::hopper
