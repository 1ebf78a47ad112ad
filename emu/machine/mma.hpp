// mma: D = A B + C for tiles held in the registers of the 32 lanes of a warp.
//
// In f64 a sum is a chain of fused multiply-adds in ascending order of k. Otherwise products are exact. By default they are summed in double and rounded once for each instruction. Tensor cores keep
// fewer bits, and CAIRN_EMU_TENSOR=faithful computes as Hopper does (measured by MMA-Sim,
// github.com/microsoft/MMA-Sim): the products and C are aligned to the largest exponent among them, truncated to
// kAlignedBits fractional bits, added exactly, and the sum is truncated to a float.
#pragma once

#include <array>

#include "device/fragment.hpp"

namespace cairn::emu {

inline constexpr int kAlignedBits = 25;

struct Multiply {
  fragment::Kind kind;
  bool half_in = false, half_out = false;  // C, D: f16 instead of float
};

// One lane's registers: elements in order, two 16-bit ones to a register; sums are float or f16, of f64 double.
struct LaneTiles {
  const void* a;
  const void* b;
  const void* c;
  void* d;  // may be c
};

void multiply_tiles(const Multiply& what, const std::array<LaneTiles, 32>& lanes, bool faithful);

}  // namespace cairn::emu
