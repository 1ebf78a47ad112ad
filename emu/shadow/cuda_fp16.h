// Stands in for CUDA's header of this name when a kernel file is compiled for the emulator.
#pragma once

#include "emu/shadow/cuda_runtime.h"
#include "emu/shadow/emu_narrow.h"

using __half = cairn::emu::Narrow<cairn::f16>;
using __half2 = cairn::emu::NarrowPair<cairn::f16>;
using half = __half;
using half2 = __half2;

inline __half __float2half(float x) { return {x}; }
inline __half __float2half_rn(float x) { return {x}; }
inline __half __double2half(double x) { return {x}; }
inline __half __int2half_rn(int x) { return {x}; }
inline __half __uint2half_rn(unsigned x) { return {x}; }
inline float __half2float(__half x) { return x; }
inline int __half2int_rn(__half x) { return __float2int_rn(x); }
inline int __half2int_rz(__half x) { return __float2int_rz(x); }
inline unsigned short __half_as_ushort(__half x) { return x.bits; }
inline __half __ushort_as_half(unsigned short x) { return __half::from_bits(x); }
inline bool __hisinf(__half x) { return (x.bits & 0x7fffu) == 0x7c00u; }

inline __half2 make_half2(__half x, __half y) { return {x, y}; }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline __half2 __half2half2(__half x) { return {x, x}; }
inline __half2 __float2half2_rn(float x) { return {x, x}; }
inline __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
inline __half2 __float22half2_rn(float2 v) { return {v.x, v.y}; }
inline float2 __half22float2(__half2 v) { return {v.x, v.y}; }
inline __half __low2half(__half2 v) { return v.x; }
inline __half __high2half(__half2 v) { return v.y; }
inline __half2 __lowhigh2highlow(__half2 v) { return {v.y, v.x}; }
