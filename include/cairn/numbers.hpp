// The narrow storage types as C++ types: f16, bf16 and e4m3, with conversions rounded once, to nearest
// even. They have no arithmetic: convert to float, compute, convert back.
//
// NaN converts to the NaN that a GPU writes (0x7fff, 0x7f). f16 and bf16 overflow to infinity; e4m3 has none,
// and everything above 448, infinities included, becomes 448: GPUs have no other conversion.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include "cairn/types.hpp"

namespace cairn {

// Rounds to odd: an inexact result gets an odd last bit. A second rounding, to nearest in a narrower type, then
// gives what a single rounding of the double would have given.
constexpr float round_to_odd(double x) {
  const auto nearest = static_cast<float>(x);
  if (!(static_cast<double>(nearest) != x) || x != x) return nearest;
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  const double size = x < 0 ? -x : x;
  const double rounded = nearest < 0 ? -static_cast<double>(nearest) : static_cast<double>(nearest);
  if (rounded > size) bits -= 1;  // toward zero
  return std::bit_cast<float>(bits | 1u);
}

struct f16 {
  std::uint16_t bits = 0;

  f16() = default;
  constexpr explicit f16(float x) : bits(round(x)) {}
  constexpr explicit f16(double x) : bits(round(round_to_odd(x))) {}
  static constexpr f16 from_bits(std::uint16_t raw) {
    f16 x;
    x.bits = raw;
    return x;
  }

  // The exponent is moved into float's place and rebiased by a multiplication, which also normalises
  // denormals; no branches, so that loops over it vectorise.
  constexpr explicit operator float() const {
    const std::uint32_t size = bits & 0x7fffu;
    const float value = std::bit_cast<float>(size << 13) * 0x1p112f;
    const std::uint32_t special = size >= 0x7c00u ? 0x7f800000u : 0u;
    const std::uint32_t sign = (bits & 0x8000u) << 16;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | special | sign);
  }
  constexpr explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }

 private:
  static constexpr std::uint16_t round(float x) {
    const auto all = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t size = all & 0x7fffffffu;
    // Below the smallest normal the sum with 0.5 has f16's denormal spacing, and the FPU rounds it.
    const std::uint32_t denormal =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5f) - std::bit_cast<std::uint32_t>(0.5f);
    const std::uint32_t normal = (size + 0xfffu + ((size >> 13) & 1u) - (112u << 23)) >> 13;
    std::uint32_t result = size < 0x38800000u ? denormal : normal;
    result = size >= 0x477ff000u ? 0x7c00u : result;  // 65520 and above
    result = size > 0x7f800000u ? 0x7fffu : result;
    return static_cast<std::uint16_t>(result | (size > 0x7f800000u ? 0u : (all >> 16) & 0x8000u));
  }
};

struct bf16 {
  std::uint16_t bits = 0;

  bf16() = default;
  constexpr explicit bf16(float x) : bits(round(x)) {}
  constexpr explicit bf16(double x) : bits(round(round_to_odd(x))) {}
  static constexpr bf16 from_bits(std::uint16_t raw) {
    bf16 x;
    x.bits = raw;
    return x;
  }

  constexpr explicit operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
  constexpr explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }

 private:
  static constexpr std::uint16_t round(float x) {
    const auto all = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t rounded = (all + 0x7fffu + ((all >> 16) & 1u)) >> 16;
    return static_cast<std::uint16_t>((all & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded);
  }
};

struct e4m3 {
  std::uint8_t bits = 0;

  e4m3() = default;
  constexpr explicit e4m3(float x) : bits(round(x)) {}
  constexpr explicit e4m3(double x) : bits(round(round_to_odd(x))) {}
  static constexpr e4m3 from_bits(std::uint8_t raw) {
    e4m3 x;
    x.bits = raw;
    return x;
  }

  constexpr explicit operator float() const {
    const std::uint32_t size = bits & 0x7fu;
    const float value = std::bit_cast<float>(size << 20) * 0x1p120f;
    const std::uint32_t special = size == 0x7fu ? 0x7fc00000u : 0u;
    const std::uint32_t sign = (bits & 0x80u) << 24;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | special | sign);
  }
  constexpr explicit operator double() const { return static_cast<double>(static_cast<float>(*this)); }

 private:
  static constexpr std::uint8_t round(float x) {
    const auto all = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t size = all & 0x7fffffffu;
    // As for f16: 2^14 is where float's spacing is e4m3's smallest denormal, 2^-9.
    const std::uint32_t denormal =
        std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0x1p14f) - std::bit_cast<std::uint32_t>(0x1p14f);
    const std::uint32_t normal = (size + 0x7ffffu + ((size >> 20) & 1u) - (120u << 23)) >> 20;
    std::uint32_t result = size < 0x3c800000u ? denormal : normal;
    result = size >= 0x43e80000u ? 0x7eu : result;  // 464 and above: 448
    result = size > 0x7f800000u ? 0x7fu : result;
    return static_cast<std::uint8_t>(result | (size > 0x7f800000u ? 0u : (all >> 24) & 0x80u));
  }
};

static_assert(sizeof(f16) == 2 && sizeof(bf16) == 2 && sizeof(e4m3) == 1);

template <class T> inline constexpr bool is_element = false;
template <class T> inline constexpr Type type_of = Type::f64;
template <> inline constexpr bool is_element<double> = true;
template <> inline constexpr bool is_element<float> = true;
template <> inline constexpr bool is_element<f16> = true;
template <> inline constexpr bool is_element<bf16> = true;
template <> inline constexpr bool is_element<e4m3> = true;
template <> inline constexpr Type type_of<float> = Type::f32;
template <> inline constexpr Type type_of<f16> = Type::f16;
template <> inline constexpr Type type_of<bf16> = Type::bf16;
template <> inline constexpr Type type_of<e4m3> = Type::e4m3;

template <class T>
concept Element = is_element<T>;

// Calls f.template operator()<T>() with the C++ type of a storage type.
template <class F> decltype(auto) with_type(Type type, F&& f) {
  switch (type) {
    case Type::f64: return std::forward<F>(f).template operator()<double>();
    case Type::f32: return std::forward<F>(f).template operator()<float>();
    case Type::f16: return std::forward<F>(f).template operator()<f16>();
    case Type::bf16: return std::forward<F>(f).template operator()<bf16>();
    case Type::e4m3: break;
  }
  return std::forward<F>(f).template operator()<e4m3>();
}

}  // namespace cairn
