// Arithmetic and bit intrinsics of device code. The functions of <math.h> are in the global namespace, as in CUDA;
// the fast approximations (__expf …) are the exact functions here.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <math.h>
#include <type_traits>

#include "emu/machine/builtins.hpp"

namespace cairn::emu {

// Hides where a value comes from. __fmul_rn and __fadd_rn exist to keep the compiler from fusing a product and a sum.
template <class T> T opaque(T value) {
  __asm__("" : "+m"(value));
  return value;
}

template <class A, class B>
concept Numbers = std::is_arithmetic_v<A> && std::is_arithmetic_v<B>;

}  // namespace cairn::emu

// As CUDA's: of a signed and an unsigned the unsigned type, of a NaN and a number the number.
template <class A, class B>
requires cairn::emu::Numbers<A, B>
constexpr std::common_type_t<A, B> min(A a, B b) {
  using T = std::common_type_t<A, B>;
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  return y < x || x != x ? y : x;
}
template <class A, class B>
requires cairn::emu::Numbers<A, B>
constexpr std::common_type_t<A, B> max(A a, B b) {
  using T = std::common_type_t<A, B>;
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  return y > x || x != x ? y : x;
}

inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline void sincospif(float x, float* s, float* c) {
  *s = static_cast<float>(sin(3.14159265358979323846 * x));
  *c = static_cast<float>(cos(3.14159265358979323846 * x));
}

inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline float __fadd_rn(float a, float b) { return cairn::emu::opaque(cairn::emu::opaque(a) + cairn::emu::opaque(b)); }
inline float __fsub_rn(float a, float b) { return cairn::emu::opaque(cairn::emu::opaque(a) - cairn::emu::opaque(b)); }
inline float __fmul_rn(float a, float b) { return cairn::emu::opaque(a * b); }
inline double __dadd_rn(double a, double b) {
  return cairn::emu::opaque(cairn::emu::opaque(a) + cairn::emu::opaque(b));
}
inline double __dmul_rn(double a, double b) { return cairn::emu::opaque(a * b); }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frsqrt_rn(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float x) { return expf(x); }
inline float __exp2f(float x) { return exp2f(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __saturatef(float x) { return !(x > 0.0f) ? 0.0f : x > 1.0f ? 1.0f : x; }

inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }

// To an integer the hardware saturates, and takes a NaN to 0.
inline int __float2int_rn(float x) {
  return x != x ? 0 : x >= 0x1p31f ? INT32_MAX : x < -0x1p31f ? INT32_MIN : static_cast<int>(rintf(x));
}
inline int __float2int_rz(float x) {
  return x != x ? 0 : x >= 0x1p31f ? INT32_MAX : x < -0x1p31f ? INT32_MIN : static_cast<int>(x);
}
inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }

inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
inline int __clzll(long long x) { return std::countl_zero(static_cast<unsigned long long>(x)); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
  const unsigned long long low = __brev(static_cast<unsigned>(x));
  return low << 32 | __brev(static_cast<unsigned>(x >> 32));
}
// Four bytes picked out of eight; bit 3 of a selector repeats the picked byte's sign.
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selectors) {
  const unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned selector = selectors >> (4 * i) & 0xf;
    const auto byte = static_cast<unsigned>(bytes >> (8 * (selector & 7)) & 0xff);
    result |= ((selector & 8) != 0 ? (byte >> 7) * 0xff : byte) << (8 * i);
  }
  return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both << (by & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both >> (by & 31));
}
inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }

// clock() is the host's own, which counts microseconds of the processor; these two count nanoseconds.
inline long long clock64() { return static_cast<long long>(cairn::emu::ticks()); }
inline unsigned long long globaltimer() { return cairn::emu::ticks(); }

inline void __trap(cairn::emu::Site site = cairn::emu::Site::current()) { cairn::emu::trap(site); }
