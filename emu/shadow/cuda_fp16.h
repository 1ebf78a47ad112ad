// Stands in for CUDA's header of this name when a kernel file is compiled for the emulator.
#pragma once

#include "emu/shadow/cuda_runtime.h"
#include "emu/shadow/emu_narrow.h"
#include "emu/shadow/emu_narrow_math.h"

#define __CUDA_FP16_H__  // as for __DRIVER_TYPES_H__

using __half = cairn::emu::Narrow<cairn::f16>;
using __half2 = cairn::emu::NarrowPair<cairn::f16>;
using __half_raw = cairn::emu::NarrowRaw<cairn::f16>;
using __half2_raw = cairn::emu::NarrowPairRaw<cairn::f16>;
using half = __half;
using half2 = __half2;

CAIRN_NARROW_CONVERSIONS(half, __half)
inline __half __float2half(float x) { return {x}; }
inline __half __double2half(double x) { return {x}; }
inline float __half2float(__half x) { return x; }
inline unsigned short __half_as_ushort(__half x) { return x.bits; }
inline __half __ushort_as_half(unsigned short x) { return __half::from_bits(x); }
inline short __half_as_short(__half x) { return static_cast<short>(x.bits); }
inline __half __short_as_half(short x) { return __half::from_bits(static_cast<unsigned short>(x)); }
inline int __hisinf(__half x) { return (x.bits & 0x7fffu) != 0x7c00u ? 0 : (x.bits & 0x8000u) != 0 ? -1 : 1; }

inline __half2 make_half2(__half x, __half y) { return {x, y}; }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline __half2 __half2half2(__half x) { return {x, x}; }
inline __half2 __float2half2_rn(float x) { return {x, x}; }
inline __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
inline __half2 __float22half2_rn(float2 v) { return {v.x, v.y}; }
inline float2 __half22float2(__half2 v) { return {v.x, v.y}; }
inline __half __low2half(__half2 v) { return v.x; }
inline __half __high2half(__half2 v) { return v.y; }
inline __half2 __low2half2(__half2 v) { return {v.x, v.x}; }
inline __half2 __high2half2(__half2 v) { return {v.y, v.y}; }
inline __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
inline __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }
