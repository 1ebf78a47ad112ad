// Numbers of twice double's precision, as an unevaluated sum hi + lo, and their one rounding to a
// storage type.
//
// A value is finite when hi is; where hi is an infinity or NaN it is the whole value and lo is 0.
// The error terms below are worthless after an overflow (infinity minus infinity), so they are
// dropped where that is seen.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>

namespace cairn::cpu {

struct DoubleDouble {
  double hi = 0;
  double lo = 0;
};

// a + b without error: the rounded sum, and what the rounding took away.
inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double b_kept = sum - a;
  return {sum, (a - (sum - b_kept)) + (b - b_kept)};
}

// a * b without error, except that of a tiny product the part below 2^-1074 is lost.
inline DoubleDouble two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

// Makes hi the double nearest to hi + lo.
inline DoubleDouble normalize(DoubleDouble x) {
  if (!std::isfinite(x.hi) || !std::isfinite(x.lo)) return {x.hi, 0};
  const DoubleDouble y = two_sum(x.hi, x.lo);
  return std::isfinite(y.hi) ? y : DoubleDouble{y.hi, 0};
}

// x need not be normalized; the result is.
inline DoubleDouble scale(double factor, DoubleDouble x) {
  x = normalize(x);
  const DoubleDouble product = two_product(factor, x.hi);
  return normalize({product.hi, product.lo + factor * x.lo});
}

inline DoubleDouble add(DoubleDouble x, DoubleDouble y) {
  const DoubleDouble sum = two_sum(x.hi, y.hi);
  return normalize({sum.hi, sum.lo + (x.lo + y.lo)});
}

// Rounds a normalized x to double such that a second, ordinary rounding to a type of at most 51
// significant bits gives what one rounding of x would have: of the two doubles around x, the one
// whose last bit is odd.
inline double round_to_odd(DoubleDouble x) {
  if (x.lo == 0 || !std::isfinite(x.hi)) return x.hi;
  const auto bits = std::bit_cast<std::uint64_t>(x.hi);
  if ((bits & 1u) != 0) return x.hi;
  const bool away_from_zero = (x.lo < 0) == (x.hi < 0);
  return std::bit_cast<double>(away_from_zero ? bits + 1 : bits - 1);
}

// One correct rounding of a normalized x to a storage type.
template <class T> T round_once(DoubleDouble x) {
  if constexpr (std::same_as<T, double>) {
    return x.hi;
  } else {
    return static_cast<T>(round_to_odd(x));
  }
}

}  // namespace cairn::cpu
