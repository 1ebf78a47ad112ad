// Stands in for CUDA's header of this name when a kernel file is compiled for the emulator.
#pragma once

#include "emu/shadow/cuda_runtime.h"
#include "emu/shadow/emu_narrow.h"
#include "emu/shadow/emu_narrow_math.h"

#define __CUDA_BF16_H__  // as for __DRIVER_TYPES_H__

using __nv_bfloat16 = cairn::emu::Narrow<cairn::bf16>;
using __nv_bfloat162 = cairn::emu::NarrowPair<cairn::bf16>;
using __nv_bfloat16_raw = cairn::emu::NarrowRaw<cairn::bf16>;
using __nv_bfloat162_raw = cairn::emu::NarrowPairRaw<cairn::bf16>;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

CAIRN_NARROW_CONVERSIONS(bfloat16, __nv_bfloat16)
inline __nv_bfloat16 __float2bfloat16(float x) { return {x}; }
inline __nv_bfloat16 __double2bfloat16(double x) { return {x}; }
inline float __bfloat162float(__nv_bfloat16 x) { return x; }
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.bits; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __nv_bfloat16::from_bits(x); }
inline short __bfloat16_as_short(__nv_bfloat16 x) { return static_cast<short>(x.bits); }
inline __nv_bfloat16 __short_as_bfloat16(short x) { return __nv_bfloat16::from_bits(static_cast<unsigned short>(x)); }
inline int __hisinf(__nv_bfloat16 x) { return (x.bits & 0x7fffu) != 0x7f80u ? 0 : (x.bits & 0x8000u) != 0 ? -1 : 1; }

inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
inline __nv_bfloat162 __float2bfloat162_rn(float x) { return {x, x}; }
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {x, y}; }
inline __nv_bfloat162 __float22bfloat162_rn(float2 v) { return {v.x, v.y}; }
inline float2 __bfloat1622float2(__nv_bfloat162 v) { return {v.x, v.y}; }
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return {v.x, v.x}; }
inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return {v.y, v.y}; }
inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x, b.x}; }
inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.y, b.y}; }
