// The emulator's version of device/e4m3.hpp.
#pragma once

#include <cstdint>

#include "cairn/numbers.hpp"
#include "emu/shadow/cuda_runtime.h"

namespace cairn {

struct E4m3 {
  std::uint8_t bits;

  E4m3() = default;
  explicit E4m3(float x) : bits(e4m3(x).bits) {}
  explicit operator float() const { return static_cast<float>(e4m3::from_bits(bits)); }
};

}  // namespace cairn
