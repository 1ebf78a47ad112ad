// The names of CUDA's short vectors. Like the real header, it needs nothing else of CUDA.
#pragma once

#include "emu/shadow/emu_vector.h"

using char1 = cairn::emu::Vec1<signed char>;
using char2 = cairn::emu::Vec2<signed char>;
using char3 = cairn::emu::Vec3<signed char>;
using char4 = cairn::emu::Vec4<signed char>;

using uchar1 = cairn::emu::Vec1<unsigned char>;
using uchar2 = cairn::emu::Vec2<unsigned char>;
using uchar3 = cairn::emu::Vec3<unsigned char>;
using uchar4 = cairn::emu::Vec4<unsigned char>;

using short1 = cairn::emu::Vec1<short>;
using short2 = cairn::emu::Vec2<short>;
using short3 = cairn::emu::Vec3<short>;
using short4 = cairn::emu::Vec4<short>;

using ushort1 = cairn::emu::Vec1<unsigned short>;
using ushort2 = cairn::emu::Vec2<unsigned short>;
using ushort3 = cairn::emu::Vec3<unsigned short>;
using ushort4 = cairn::emu::Vec4<unsigned short>;

using int1 = cairn::emu::Vec1<int>;
using int2 = cairn::emu::Vec2<int>;
using int3 = cairn::emu::Vec3<int>;
using int4 = cairn::emu::Vec4<int>;

using uint1 = cairn::emu::Vec1<unsigned>;
using uint2 = cairn::emu::Vec2<unsigned>;
using uint3 = cairn::emu::Vec3<unsigned>;
using uint4 = cairn::emu::Vec4<unsigned>;

using long1 = cairn::emu::Vec1<long>;
using long2 = cairn::emu::Vec2<long>;
using long3 = cairn::emu::Vec3<long>;
using long4 = cairn::emu::Vec4<long>;

using ulong1 = cairn::emu::Vec1<unsigned long>;
using ulong2 = cairn::emu::Vec2<unsigned long>;
using ulong3 = cairn::emu::Vec3<unsigned long>;
using ulong4 = cairn::emu::Vec4<unsigned long>;

using longlong1 = cairn::emu::Vec1<long long>;
using longlong2 = cairn::emu::Vec2<long long>;
using longlong3 = cairn::emu::Vec3<long long>;
using longlong4 = cairn::emu::Vec4<long long>;

using ulonglong1 = cairn::emu::Vec1<unsigned long long>;
using ulonglong2 = cairn::emu::Vec2<unsigned long long>;
using ulonglong3 = cairn::emu::Vec3<unsigned long long>;
using ulonglong4 = cairn::emu::Vec4<unsigned long long>;

using float1 = cairn::emu::Vec1<float>;
using float2 = cairn::emu::Vec2<float>;
using float3 = cairn::emu::Vec3<float>;
using float4 = cairn::emu::Vec4<float>;

using double1 = cairn::emu::Vec1<double>;
using double2 = cairn::emu::Vec2<double>;
using double3 = cairn::emu::Vec3<double>;
using double4 = cairn::emu::Vec4<double>;

struct dim3 {
  unsigned x, y, z;

  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
