// What tensor cores compute: a tile of sums += a tile of A times a tile of B, as the 32 lanes of a warp hold them.
//
// Products are exact. By default the sums are too, as far as double goes, and are rounded once an instruction. The
// hardware does less, and CAIRN_EMU_TENSOR=faithful does as Hopper does (measured by others: MMA-Sim,
// github.com/microsoft/MMA-Sim): the products and the sum so far are aligned to the largest exponent, cut off
// kAlignedBits behind its point, added exactly, and cut off again to a float.
#pragma once

#include <array>

#include "device/fragment.hpp"

namespace cairn::emu {

inline constexpr int kAlignedBits = 25;

struct Multiply {
  fragment::Kind kind;
  bool half_in = false, half_out = false;  // the sums before and after: f16 instead of float
};

// One lane's registers: elements in their order, two 16-bit ones to a word.
struct LaneTiles {
  const void* a;
  const void* b;
  const void* c;
  void* d;  // may be c
};

void multiply_tiles(const Multiply& what, const std::array<LaneTiles, 32>& lanes, bool faithful);

}  // namespace cairn::emu
