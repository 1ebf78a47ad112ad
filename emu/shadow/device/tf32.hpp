// The emulator's version of device/tf32.hpp.
#pragma once

#include <bit>
#include <cstdint>

#include "emu/shadow/cuda_runtime.h"

namespace cairn {

struct Tf32 {};

inline float to_tf32(float x) {
  auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return std::bit_cast<float>(0x7fffffffu);
  // Adds half of the last kept bit, so it rounds ties away from zero. The carry may
  // reach the exponent; infinity stays.
  bits += (bits & 0x7fffffffu) == 0x7f800000u ? 0 : 0x1000u;
  return std::bit_cast<float>(bits & 0xffffe000u);
}

}  // namespace cairn
