// e4m3 and e5m2 as storage types: one number, two and four of them. They have no arithmetic.
#pragma once

#include <cmath>
#include <concepts>
#include <type_traits>

#include "emu/shadow/cuda_bf16.h"
#include "emu/shadow/cuda_fp16.h"

namespace cairn::emu {

struct E4m3Format {
  static constexpr int kFraction = 3, kLeastExponent = -6;
  static constexpr double kMost = 448;
  static constexpr unsigned char kMostBits = 0x7e, kBeyond = 0x7f;  // it has no infinity
};
struct E5m2Format {
  static constexpr int kFraction = 2, kLeastExponent = -14;
  static constexpr double kMost = 57344;
  static constexpr unsigned char kMostBits = 0x7b, kBeyond = 0x7c;
};

template <class Format> unsigned char encode_fp8(double x, bool saturate) {
  if (x != x) return 0x7f;
  const unsigned sign = std::signbit(x) ? 0x80 : 0;
  const double size = std::fabs(x);
  if (size == 0) return static_cast<unsigned char>(sign);
  int exponent = 0;
  if (std::isfinite(x)) std::frexp(size, &exponent);
  exponent = exponent - 1 < Format::kLeastExponent ? Format::kLeastExponent : exponent - 1;
  const double steps = __builtin_rint(std::ldexp(size, Format::kFraction - exponent));  // of the last place
  if (!(std::ldexp(steps, exponent - Format::kFraction) <= Format::kMost)) {
    return static_cast<unsigned char>(sign | (saturate ? Format::kMostBits : Format::kBeyond));
  }
  // The leading bit of a normal number adds one to the exponent that is stored, and so does a carry.
  const auto stored = static_cast<unsigned>((exponent - Format::kLeastExponent) << Format::kFraction);
  return static_cast<unsigned char>(sign | (stored + static_cast<unsigned>(steps)));
}

template <class Format> float decode_fp8(unsigned char bits) {
  if constexpr (std::is_same_v<Format, E4m3Format>) {
    return static_cast<float>(e4m3::from_bits(bits));
  } else {
    return static_cast<float>(f16::from_bits(static_cast<std::uint16_t>(bits << 8)));
  }
}

template <class Format> struct Fp8 {
  unsigned char __x;

  Fp8() = default;
  explicit Fp8(double x) : __x(encode_fp8<Format>(x, true)) {}
  explicit Fp8(float x) : Fp8(static_cast<double>(x)) {}
  explicit Fp8(__half x) : Fp8(x.wide()) {}
  explicit Fp8(__nv_bfloat16 x) : Fp8(x.wide()) {}
  template <std::integral T> explicit Fp8(T x) : Fp8(odd_from_integer(x)) {}

  explicit operator float() const { return decode_fp8<Format>(__x); }
  explicit operator double() const { return decode_fp8<Format>(__x); }
  explicit operator __half() const { return decode_fp8<Format>(__x); }
  explicit operator __nv_bfloat16() const { return decode_fp8<Format>(__x); }
  explicit operator bool() const { return (__x & 0x7f) != 0; }
  template <std::integral T> explicit operator T() const {
    return to_integer<T>(decode_fp8<Format>(__x), Round::zero);
  }
};

template <class Format> struct Fp8x2 {
  unsigned short __x;

  Fp8x2() = default;
  explicit Fp8x2(double2 v) : __x(static_cast<unsigned short>(Fp8<Format>(v.x).__x | Fp8<Format>(v.y).__x << 8)) {}
  explicit Fp8x2(float2 v) : Fp8x2(double2{v.x, v.y}) {}
  explicit Fp8x2(__half2 v) : Fp8x2(double2{v.x.wide(), v.y.wide()}) {}
  explicit Fp8x2(__nv_bfloat162 v) : Fp8x2(double2{v.x.wide(), v.y.wide()}) {}

  explicit operator float2() const {
    return {decode_fp8<Format>(static_cast<unsigned char>(__x)),
            decode_fp8<Format>(static_cast<unsigned char>(__x >> 8))};
  }
  explicit operator __half2() const {
    const auto v = static_cast<float2>(*this);
    return {v.x, v.y};
  }
};

template <class Format> struct Fp8x4 {
  unsigned __x;

  Fp8x4() = default;
  explicit Fp8x4(double4 v)
      : __x(Fp8x2<Format>(double2{v.x, v.y}).__x | static_cast<unsigned>(Fp8x2<Format>(double2{v.z, v.w}).__x)
                                                       << 16) {}
  explicit Fp8x4(float4 v) : Fp8x4(double4{v.x, v.y, v.z, v.w}) {}
  explicit Fp8x4(__half2 low, __half2 high)
      : Fp8x4(double4{low.x.wide(), low.y.wide(), high.x.wide(), high.y.wide()}) {}
  explicit Fp8x4(__nv_bfloat162 low, __nv_bfloat162 high)
      : Fp8x4(double4{low.x.wide(), low.y.wide(), high.x.wide(), high.y.wide()}) {}

  explicit operator float4() const {
    const auto at = [&](int i) { return decode_fp8<Format>(static_cast<unsigned char>(__x >> (8 * i))); };
    return {at(0), at(1), at(2), at(3)};
  }
};

}  // namespace cairn::emu
