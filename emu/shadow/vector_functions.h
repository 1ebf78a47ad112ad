// make_float4 and the like.
#pragma once

#include "emu/shadow/vector_types.h"

constexpr char1 make_char1(signed char x) { return {x}; }
constexpr char2 make_char2(signed char x, signed char y) { return {x, y}; }
constexpr char3 make_char3(signed char x, signed char y, signed char z) { return {x, y, z}; }
constexpr char4 make_char4(signed char x, signed char y, signed char z, signed char w) { return {x, y, z, w}; }

constexpr uchar1 make_uchar1(unsigned char x) { return {x}; }
constexpr uchar2 make_uchar2(unsigned char x, unsigned char y) { return {x, y}; }
constexpr uchar3 make_uchar3(unsigned char x, unsigned char y, unsigned char z) { return {x, y, z}; }
constexpr uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w) {
  return {x, y, z, w};
}

constexpr short1 make_short1(short x) { return {x}; }
constexpr short2 make_short2(short x, short y) { return {x, y}; }
constexpr short3 make_short3(short x, short y, short z) { return {x, y, z}; }
constexpr short4 make_short4(short x, short y, short z, short w) { return {x, y, z, w}; }

constexpr ushort1 make_ushort1(unsigned short x) { return {x}; }
constexpr ushort2 make_ushort2(unsigned short x, unsigned short y) { return {x, y}; }
constexpr ushort3 make_ushort3(unsigned short x, unsigned short y, unsigned short z) { return {x, y, z}; }
constexpr ushort4 make_ushort4(unsigned short x, unsigned short y, unsigned short z, unsigned short w) {
  return {x, y, z, w};
}

constexpr int1 make_int1(int x) { return {x}; }
constexpr int2 make_int2(int x, int y) { return {x, y}; }
constexpr int3 make_int3(int x, int y, int z) { return {x, y, z}; }
constexpr int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }

constexpr uint1 make_uint1(unsigned x) { return {x}; }
constexpr uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
constexpr uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
constexpr uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

constexpr long1 make_long1(long x) { return {x}; }
constexpr long2 make_long2(long x, long y) { return {x, y}; }
constexpr long3 make_long3(long x, long y, long z) { return {x, y, z}; }
constexpr long4 make_long4(long x, long y, long z, long w) { return {x, y, z, w}; }

constexpr ulong1 make_ulong1(unsigned long x) { return {x}; }
constexpr ulong2 make_ulong2(unsigned long x, unsigned long y) { return {x, y}; }
constexpr ulong3 make_ulong3(unsigned long x, unsigned long y, unsigned long z) { return {x, y, z}; }
constexpr ulong4 make_ulong4(unsigned long x, unsigned long y, unsigned long z, unsigned long w) {
  return {x, y, z, w};
}

constexpr longlong1 make_longlong1(long long x) { return {x}; }
constexpr longlong2 make_longlong2(long long x, long long y) { return {x, y}; }
constexpr longlong3 make_longlong3(long long x, long long y, long long z) { return {x, y, z}; }
constexpr longlong4 make_longlong4(long long x, long long y, long long z, long long w) { return {x, y, z, w}; }

constexpr ulonglong1 make_ulonglong1(unsigned long long x) { return {x}; }
constexpr ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { return {x, y}; }
constexpr ulonglong3 make_ulonglong3(unsigned long long x, unsigned long long y, unsigned long long z) {
  return {x, y, z};
}
constexpr ulonglong4 make_ulonglong4(unsigned long long x, unsigned long long y, unsigned long long z,
                                     unsigned long long w) {
  return {x, y, z, w};
}

constexpr float1 make_float1(float x) { return {x}; }
constexpr float2 make_float2(float x, float y) { return {x, y}; }
constexpr float3 make_float3(float x, float y, float z) { return {x, y, z}; }
constexpr float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

constexpr double1 make_double1(double x) { return {x}; }
constexpr double2 make_double2(double x, double y) { return {x, y}; }
constexpr double3 make_double3(double x, double y, double z) { return {x, y, z}; }
constexpr double4 make_double4(double x, double y, double z, double w) { return {x, y, z, w}; }
