// PTX on the registers of one thread: arithmetic, comparisons, conversions. What is approximate on a GPU is not here.
#pragma once

#include <bit>
#include <cmath>
#include <limits>

#include "emu/shadow/emu_convert.h"
#include "emu/shadow/emu_integer.h"
#include "emu/shadow/emu_narrow_math.h"
#include "emu/shadow/emu_ptx_bits.h"

namespace cairn::emu::ptx {

// Sums of integers wrap around.
template <class T> using Unsigned = std::make_unsigned_t<std::conditional_t<is_integer<T>, T, int>>;

template <class T> T add(T a, T b) {
  if constexpr (is_integer<T>)
    return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
  else
    return a + b;
}
template <class T> T sub(T a, T b) {
  if constexpr (is_integer<T>)
    return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
  else
    return a - b;
}
template <class T> T neg(T a) {
  if constexpr (is_integer<T>)
    return sub<T>(0, a);
  else
    return -a;
}
// By zero, integers give all ones.
template <class T> T div(T a, T b) {
  if constexpr (is_integer<T>) {
    if (b == 0) return static_cast<T>(-1);
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return neg(a);
  }
  return static_cast<T>(a / b);
}
template <class T> T rem(T a, T b) { return b == 0 ? a : b == static_cast<T>(-1) && std::is_signed_v<T> ? 0 : a % b; }
template <class T> T fma(T a, T b, T c) {
  if constexpr (std::is_same_v<T, f16x2> || std::is_same_v<T, bf16x2>)
    return {fused(a.x, b.x, c.x), fused(a.y, b.y, c.y)};
  else if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>)
    return fused(a, b, c);
  else
    return std::fma(a, b, c);
}
template <class T> T least(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fmin(a, b);
  else
    return b < a ? b : a;
}
template <class T> T most(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fmax(a, b);
  else
    return a < b ? b : a;
}
template <class T> T absolute(T a) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fabs(a);
  else
    return a < 0 ? neg(a) : a;
}

template <class T> struct Twice { using type = T; };
template <> struct Twice<std::uint16_t> { using type = std::uint32_t; };
template <> struct Twice<std::int16_t> { using type = std::int32_t; };
template <> struct Twice<std::uint32_t> { using type = std::uint64_t; };
template <> struct Twice<std::int32_t> { using type = std::int64_t; };
template <class T> typename Twice<T>::type product_wide(T a, T b) {
  using Wide = typename Twice<T>::type;
  static_assert(!std::is_same_v<T, Wide>, "mul.wide multiplies 16 or 32 bits");
  return static_cast<Wide>(static_cast<Wide>(a) * static_cast<Wide>(b));
}
template <class T> T product_lo(T a, T b) {
  if constexpr (is_integer<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else
    return a * b;
}
template <class T> T product_hi(T a, T b) {
  if constexpr (sizeof(T) == 8)
    return std::is_signed_v<T> ? static_cast<T>(__mul64hi(static_cast<long long>(a), static_cast<long long>(b)))
                               : static_cast<T>(__umul64hi(a, b));
  else
    return static_cast<T>(product_wide(a, b) >> (8 * sizeof(T)));
}

template <class T> T bit_and(T a, T b) { return static_cast<T>(a & b); }
template <class T> T bit_or(T a, T b) { return static_cast<T>(a | b); }
template <class T> T bit_xor(T a, T b) { return static_cast<T>(a ^ b); }
template <class T> T bit_not(T a) {
  if constexpr (std::is_same_v<T, bool>)
    return !a;
  else
    return static_cast<T>(~a);
}
// By as many bits as there are, or more: nothing is left, or the sign.
template <class T> T shift_left(T a, std::uint32_t by) {
  return by >= 8 * sizeof(T) ? T{0} : static_cast<T>(static_cast<std::uint64_t>(a) << by);
}
template <class T> T shift_right(T a, std::uint32_t by) {
  if (by < 8 * sizeof(T)) return static_cast<T>(a >> by);
  return a < 0 ? static_cast<T>(-1) : T{0};
}

template <class T> std::uint32_t popcount(T a) {
  return static_cast<std::uint32_t>(std::popcount(static_cast<Unsigned<T>>(a)));
}
template <class T> std::uint32_t leading_zeros(T a) {
  return static_cast<std::uint32_t>(std::countl_zero(static_cast<Unsigned<T>>(a)));
}
// The position of the leading bit, or of the leading one that is not the sign; all ones if there is none. shift_of is
// by how many bits it can be moved up to the top.
template <class T> std::uint32_t leading_bit(T a) {
  const auto bits = static_cast<Unsigned<T>>(a < 0 ? ~a : a);
  return bits == 0 ? 0xffffffffu : static_cast<std::uint32_t>(std::bit_width(bits)) - 1;
}
template <class T> std::uint32_t shift_of_leading(T a) {
  const std::uint32_t at = leading_bit(a);
  return at == 0xffffffffu ? at : static_cast<std::uint32_t>(8 * sizeof(T)) - 1 - at;
}
template <class T> T reversed(T a) {
  if constexpr (sizeof(T) == 8)
    return static_cast<T>(__brevll(static_cast<unsigned long long>(a)));
  else
    return static_cast<T>(__brev(static_cast<unsigned>(a)));
}
// `count` bits from bit `at`, extended by what T is.
template <class T> T field(T a, std::uint32_t at, std::uint32_t count) {
  constexpr int kBits = 8 * sizeof(T);
  at &= 0xff, count &= 0xff;
  Unsigned<T> out = 0;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(kBits); ++i) {
    const std::uint32_t wanted = std::is_signed_v<T> && i >= count ? at + count - 1 : at + i;
    if (!std::is_signed_v<T> && i >= count) break;
    if (count == 0) break;
    const std::uint32_t from =
        wanted >= static_cast<std::uint32_t>(kBits) ? (std::is_signed_v<T> ? kBits - 1 : kBits) : wanted;
    if (from < static_cast<std::uint32_t>(kBits)) out |= (static_cast<Unsigned<T>>(a) >> from & 1) << i;
  }
  return static_cast<T>(out);
}
inline std::uint32_t insert_field(std::uint32_t bits, std::uint32_t into, std::uint32_t at, std::uint32_t count) {
  at &= 0xff, count &= 0xff;
  if (at >= 32 || count == 0) return into;
  const std::uint32_t mask = (count >= 32 ? ~0u : (1u << count) - 1) << at;
  return (into & ~mask) | (bits << at & mask);
}
// Bit by bit, the three inputs pick a bit of the table.
inline std::uint32_t lookup(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) {
  std::uint32_t out = 0;
  for (unsigned i = 0; i < 8; ++i) {
    if ((table >> i & 1) == 0) continue;
    out |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
  }
  return out;
}

template <class T> T reciprocal(T a) { return 1 / a; }
template <class T> T root(T a) { return std::sqrt(a); }
template <class T> T inverse_root(T a) { return 1 / std::sqrt(a); }
template <class T> T power_of_two(T a) { return T(std::exp2(static_cast<float>(a))); }
template <> inline f16x2 power_of_two(f16x2 a) { return {power_of_two(a.x), power_of_two(a.y)}; }
template <class T> T log_of_two(T a) { return std::log2(a); }
template <class T> T sine(T a) { return std::sin(a); }
template <class T> T cosine(T a) { return std::cos(a); }
template <class T> T tangent(T a) { return T(std::tanh(static_cast<float>(a))); }
template <> inline f16x2 tangent(f16x2 a) { return {tangent(a.x), tangent(a.y)}; }

// With a NaN those named like C++'s are false (ne too), and those that end in u are true.
template <class T> bool unordered(T a, T b) { return a != a || b != b; }
template <class T> bool compare_eq(T a, T b) { return a == b; }
template <class T> bool compare_ne(T a, T b) { return !unordered(a, b) && a != b; }
template <class T> bool compare_lt(T a, T b) { return a < b; }
template <class T> bool compare_le(T a, T b) { return a <= b; }
template <class T> bool compare_gt(T a, T b) { return a > b; }
template <class T> bool compare_ge(T a, T b) { return a >= b; }
template <class T> bool compare_lo(T a, T b) { return a < b; }
template <class T> bool compare_ls(T a, T b) { return a <= b; }
template <class T> bool compare_hi(T a, T b) { return a > b; }
template <class T> bool compare_hs(T a, T b) { return a >= b; }
template <class T> bool compare_equ(T a, T b) { return unordered(a, b) || a == b; }
template <class T> bool compare_neu(T a, T b) { return unordered(a, b) || a != b; }
template <class T> bool compare_ltu(T a, T b) { return unordered(a, b) || a < b; }
template <class T> bool compare_leu(T a, T b) { return unordered(a, b) || a <= b; }
template <class T> bool compare_gtu(T a, T b) { return unordered(a, b) || a > b; }
template <class T> bool compare_geu(T a, T b) { return unordered(a, b) || a >= b; }
template <class T> bool compare_num(T a, T b) { return !unordered(a, b); }
template <class T> bool compare_nan(T a, T b) { return unordered(a, b); }

enum class Rounding { none, rn, rz, rm, rp, rna, rni, rzi, rmi, rpi };

inline double integral(double x, Rounding rounding) {
  switch (rounding) {
    case Rounding::rzi: return std::trunc(x);
    case Rounding::rmi: return std::floor(x);
    case Rounding::rpi: return std::ceil(x);
    default: return std::nearbyint(x);
  }
}

template <class T> double wide(T x) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(x);
  else
    return x.wide();
}

// To an integer, numbers beyond its range give its ends, and a NaN gives zero.
template <class To> To clipped(double x) {
  constexpr double kLeast = static_cast<double>(std::numeric_limits<To>::min());
  constexpr double kMost = static_cast<double>(std::numeric_limits<To>::max());
  if (!(x == x)) return 0;
  if (x <= kLeast) return std::numeric_limits<To>::min();
  return x >= kMost ? std::numeric_limits<To>::max() : static_cast<To>(x);
}

inline Round direction(Rounding rounding) {
  return rounding == Rounding::rz   ? Round::zero
         : rounding == Rounding::rm ? Round::down
         : rounding == Rounding::rp ? Round::up
                                    : Round::nearest;
}

template <class To, Rounding rounding, bool saturated, class From> To converted(From x) {
  if constexpr (is_integer<To> && is_integer<From>) {
    if constexpr (!saturated)
      return static_cast<To>(x);
    else {
      __extension__ using Wide = __int128;
      const Wide value = x, low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
      return static_cast<To>(value < low ? low : value > high ? high : value);
    }
  } else if constexpr (is_integer<To>) {
    return clipped<To>(integral(wide(x), rounding));
  } else {
    constexpr bool kInteger = !is_integer<From> && (rounding == Rounding::rni || rounding == Rounding::rzi ||
                                                    rounding == Rounding::rmi || rounding == Rounding::rpi);
    double value = kInteger ? integral(wide(x), rounding) : wide(x);
    if constexpr (saturated) value = value > 0 ? (value < 1 ? value : 1.0) : 0.0;
    if constexpr (std::is_same_v<To, double>)
      return value;
    else if constexpr (std::is_same_v<To, float>) {
      if constexpr (is_integer<From> && sizeof(From) == 8 && direction(rounding) == Round::nearest)
        return static_cast<float>(x);
      return to_float(value, direction(rounding));
    } else if constexpr (std::is_same_v<To, f16>) {
      return narrow<cairn::f16>(value, direction(rounding));
    } else {
      return narrow<cairn::bf16>(value, direction(rounding));
    }
  }
}

// d = {low, high}: the first operand is the upper half.
template <class T> std::uint32_t pair_of(float high, float low) {
  return std::uint32_t{T(low).bits} | std::uint32_t{T(high).bits} << 16;
}

// rna: half of the last kept bit is added, so that ties go away from zero.
inline std::uint32_t to_tf32(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fffffffu;
  return (bits + ((bits & 0x7fffffffu) == 0x7f800000u ? 0 : 0x1000u)) & 0xffffe000u;
}

}  // namespace cairn::emu::ptx
