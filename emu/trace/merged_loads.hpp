// Which loads from shared memory a compiler makes one of: those of neighbouring bytes, of one thread, in an aligned piece
// of 16 bytes, with nothing between them that forbids it. nvcc does so in straight-line code, and most loops over shared
// memory are that once they are unrolled.
//
// What is counted here is the most that can be merged, as if every loop were unrolled far enough.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emu/analysis.hpp"
#include "emu/machine/builtins.hpp"

namespace cairn::emu {

// The loads of one warp.
class MergedLoads {
 public:
  // A load as the machine would have it, and the site of the first of those in the source.
  struct Load {
    Request request;
    std::uint32_t site = 0;
  };

  // The next load in the warp's order. Appends to `out` what can grow no more.
  void add(const Request& request, std::uint32_t site, std::vector<Load>& out);
  // A barrier, a store to shared memory, an atomic: no load is moved across.
  void wall(std::vector<Load>& out);

 private:
  static constexpr unsigned kPiece = 16;        // the widest load, in bytes
  static constexpr std::size_t kMostHeld = 64;  // pieces: a thread has no more registers to load ahead into

  // 16 bytes of every lane, of which some have been read.
  struct Piece {
    std::uint32_t lanes = 0, site = 0;
    std::uint32_t read = 0;                      // bit i: byte i
    std::array<std::uint64_t, 32> address = {};  // of the lanes
  };
  static void complete(const Piece& piece, std::vector<Load>& out);

  std::vector<Piece> held_;  // oldest first
};

}  // namespace cairn::emu
