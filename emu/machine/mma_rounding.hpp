// How tensor cores align and round, for emu/machine/mma.cpp and emu/sm90/wgmma_math.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace cairn::emu {

// The one NaN that tensor cores write.
inline float to_float(double x) { return std::isnan(x) ? std::bit_cast<float>(0x7fffffffu) : static_cast<float>(x); }

// The exponent by which an element is aligned. Subnormals have that of their type's smallest normal number.
inline constexpr int kZero = -4096;  // below every sum of two exponents
inline int exponent(double x, int smallest) {
  if (x == 0) return kZero;
  return std::max(static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff) - 1023, smallest);
}

// 2^e.
inline double power(int e) { return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52); }

// To a float, toward zero, and never -0; what is too large becomes infinite.
inline double cut_to_float(double x) {
  if (std::fabs(x) >= 0x1p128) return std::copysign(std::numeric_limits<double>::infinity(), x);
  constexpr std::uint64_t more = (std::uint64_t{1} << 29) - 1;  // bits that a double has behind a float's last
  if (std::fabs(x) >= 0x1p-126) return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~more);
  return std::trunc(x * 0x1p149) * 0x1p-149 + 0.0;
}

}  // namespace cairn::emu
