// Double-double arithmetic: a number is the unevaluated sum hi + lo of two doubles, with 106
// significant bits, and is rounded once to a storage type.
//
// A value is finite when hi is; if hi is an infinity or NaN it is the whole value and lo is 0. After an
// overflow the error terms below are meaningless (infinity minus infinity), and are set to 0.
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

// a + b without error: the rounded sum and its rounding error (TwoSum, Knuth).
inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double b_kept = sum - a;
  return {sum, (a - (sum - b_kept)) + (b - b_kept)};
}

// a * b without error, except that the part of a tiny product below 2^-1074 is lost.
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

// Rounds a normalized x to odd: of the two doubles around x, the one whose last bit is odd. A second
// rounding, to nearest in a type of at most 51 significant bits, then gives what a single rounding of
// x would have given.
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
