// The range and precision of a storage type.
#pragma once

#include <limits>

#include "cairn/types.hpp"

namespace cairn::lab::verify {

struct Limits {
  int precision = 0;       // bits of the significand, the hidden one included
  double unit = 0;         // unit roundoff, 2^-precision
  double tiny = 0;         // smallest denormal
  double largest = 0;      // largest finite value
  bool saturates = false;  // no infinity: larger results become the largest
};

constexpr Limits limits(Type type) {
  switch (type) {
    case Type::f64: return {53, 0x1p-53, 0x1p-1074, std::numeric_limits<double>::max(), false};
    case Type::f32: return {24, 0x1p-24, 0x1p-149, 0x1.fffffep127, false};
    case Type::f16: return {11, 0x1p-11, 0x1p-24, 65504, false};
    case Type::bf16: return {8, 0x1p-8, 0x1p-133, 0x1.fep127, false};
    case Type::e4m3: break;
  }
  return {4, 0x1p-4, 0x1p-9, 448, true};
}

// The significant bits of an accumulator. Of a sum of e4m3 products tensor cores keep 14: the leading one and 13
// after the binary point.
inline constexpr int kNarrowSum = 14;
constexpr int sum_bits(const Problem& p) {
  return p.compute == Compute::fast ? kNarrowSum : limits(accumulator(p.in)).precision;
}

}  // namespace cairn::lab::verify
