// Rounding in a direction that the host's arithmetic does not take: the result to nearest, and the sign of what it misses.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace cairn::emu {

enum class Round { nearest, zero, down, up };

__extension__ typedef __int128 Int128;

// Hides where a value comes from, so that the compiler fuses no product and sum across it.
template <class T> T opaque(T value) {
  __asm__("" : "+m"(value));
  return value;
}

// `error` has the sign of the exact value minus `nearest`; with a NaN there is nothing to correct.
template <class T> T directed(T nearest, double error, Round mode) {
  if (!(error < 0 || error > 0) || mode == Round::nearest) return nearest;
  const bool negative = nearest < 0 || (nearest == 0 && error < 0);
  const bool up = mode == Round::up || (mode == Round::zero && negative);
  constexpr T infinity = std::numeric_limits<T>::infinity();
  if (up) return error > 0 ? std::nextafter(nearest, infinity) : nearest;
  return error < 0 ? std::nextafter(nearest, -infinity) : nearest;
}

// The sum, rounded to odd: what does not fit into a double is remembered in its last bit, so that rounding once more,
// to fewer bits, gives what rounding the exact sum would have.
inline double add_to_odd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double b_part = sum - a;
  const double lost = (a - (sum - b_part)) + (b - b_part);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if (lost == 0 || (bits & 1) != 0) return sum;
  bits += (lost > 0) == (sum > 0) ? 1 : -1;
  return std::bit_cast<double>(bits);
}

inline float to_float(double x, Round mode) {
  const auto nearest = static_cast<float>(x);
  return directed(nearest, x - static_cast<double>(nearest), mode);
}

// Rounded down, a sum that cancels is -0; in all other directions it is +0.
inline double sign_of_zero(double sum, double a, double b, Round mode) {
  return sum == 0 && mode == Round::down && (std::signbit(a) || std::signbit(b)) ? -0.0 : sum;
}
inline float add_to_float(double a, double b, Round mode) {
  return to_float(sign_of_zero(add_to_odd(a, b), a, b, mode), mode);
}

// What a sum of doubles misses, unless it overflowed: then all of it.
inline double lost_in_sum(double a, double b, double sum) {
  if (std::isinf(sum)) return std::isinf(a) || std::isinf(b) ? 0 : -sum;
  const double b_part = sum - a;
  return (a - (sum - b_part)) + (b - b_part);
}
inline double add(double a, double b, Round mode) {
  const double sum = opaque(a) + opaque(b);
  return directed(sign_of_zero(sum, a, b, mode), lost_in_sum(a, b, sum), mode);
}
inline double multiply(double a, double b, Round mode) {
  const double product = opaque(a * b);
  return directed(product, std::fma(a, b, -product), mode);
}
inline double divide(double a, double b, Round mode) {
  const double quotient = a / b;
  return directed(quotient, std::fma(-quotient, b, a) * (b < 0 ? -1 : 1), mode);
}
inline double root(double x, Round mode) {
  const double nearest = std::sqrt(x);
  return directed(nearest, std::fma(-nearest, nearest, x), mode);
}
inline double fuse(double a, double b, double c, Round mode) {
  const double nearest = std::fma(a, b, c);
  if (std::isinf(nearest)) return directed(nearest, std::isfinite(a) && std::isfinite(b) ? -nearest : 0, mode);
  const double product = opaque(a * b), rest = std::fma(a, b, -product);  // a b = product + rest, exactly
  const double small = c + rest, smaller = lost_in_sum(c, rest, small);
  const double big = product + small, lost = lost_in_sum(product, small, big);
  return directed(sign_of_zero(nearest, product, c, mode), ((big - nearest) + lost) + smaller, mode);
}

// To an integer the hardware saturates. A NaN becomes 0, or, of a double or in 64 bits, only the highest bit.
template <class To, class From> To to_integer(From x, Round mode) {
  constexpr int bits = 8 * sizeof(To);
  if (x != x) return sizeof(To) == 8 || sizeof(From) == 8 ? static_cast<To>(std::uint64_t{1} << (bits - 1)) : To{0};
  double r = x;
  switch (mode) {
    case Round::nearest: r = __builtin_rint(r); break;
    case Round::zero: r = __builtin_trunc(r); break;
    case Round::down: r = __builtin_floor(r); break;
    case Round::up: r = __builtin_ceil(r); break;
  }
  using Limits = std::numeric_limits<To>;
  constexpr double beyond = 2.0 * static_cast<double>(std::uint64_t{1} << (Limits::digits - 1));
  if (r >= beyond) return Limits::max();
  if (r < static_cast<double>(Limits::min())) return Limits::min();
  return static_cast<To>(r);
}

template <class To, class From> To from_integer(From x, Round mode) {
  const auto nearest = static_cast<To>(x);
  return directed(nearest, static_cast<double>(static_cast<Int128>(x) - static_cast<Int128>(nearest)), mode);
}

// An integer as a double that rounds to fewer bits as the integer itself would.
template <class From> double odd_from_integer(From x) {
  const auto cut = from_integer<double>(x, Round::zero);
  if (static_cast<Int128>(cut) == static_cast<Int128>(x)) return cut;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(cut) | 1);
}

}  // namespace cairn::emu
