// Conversions between numbers, in all four directions of rounding, and numbers read as bits.
#pragma once

#include <bit>
#include <cstdint>

#include "emu/shadow/emu_round.h"

#define CAIRN_CONVERSIONS(suffix, mode)                                                                           \
  inline int __float2int_##suffix(float x) { return cairn::emu::to_integer<int>(x, mode); }                       \
  inline unsigned __float2uint_##suffix(float x) { return cairn::emu::to_integer<unsigned>(x, mode); }            \
  inline long long __float2ll_##suffix(float x) { return cairn::emu::to_integer<long long>(x, mode); }            \
  inline unsigned long long __float2ull_##suffix(float x) {                                                       \
    return cairn::emu::to_integer<unsigned long long>(x, mode);                                                   \
  }                                                                                                               \
  inline int __double2int_##suffix(double x) { return cairn::emu::to_integer<int>(x, mode); }                     \
  inline unsigned __double2uint_##suffix(double x) { return cairn::emu::to_integer<unsigned>(x, mode); }          \
  inline long long __double2ll_##suffix(double x) { return cairn::emu::to_integer<long long>(x, mode); }          \
  inline unsigned long long __double2ull_##suffix(double x) {                                                     \
    return cairn::emu::to_integer<unsigned long long>(x, mode);                                                   \
  }                                                                                                               \
  inline float __int2float_##suffix(int x) { return cairn::emu::from_integer<float>(x, mode); }                   \
  inline float __uint2float_##suffix(unsigned x) { return cairn::emu::from_integer<float>(x, mode); }             \
  inline float __ll2float_##suffix(long long x) { return cairn::emu::from_integer<float>(x, mode); }              \
  inline float __ull2float_##suffix(unsigned long long x) { return cairn::emu::from_integer<float>(x, mode); }    \
  inline double __ll2double_##suffix(long long x) { return cairn::emu::from_integer<double>(x, mode); }           \
  inline double __ull2double_##suffix(unsigned long long x) { return cairn::emu::from_integer<double>(x, mode); } \
  inline float __double2float_##suffix(double x) { return cairn::emu::to_float(x, mode); }

CAIRN_CONVERSIONS(rn, cairn::emu::Round::nearest)
CAIRN_CONVERSIONS(rz, cairn::emu::Round::zero)
CAIRN_CONVERSIONS(rd, cairn::emu::Round::down)
CAIRN_CONVERSIONS(ru, cairn::emu::Round::up)
#undef CAIRN_CONVERSIONS

inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }

inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
inline int __double2hiint(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x)); }
inline double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(std::uint64_t{static_cast<unsigned>(high)} << 32 | static_cast<unsigned>(low));
}
