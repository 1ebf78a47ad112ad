// Arithmetic of device code. The functions of <math.h> are in the global namespace, as in CUDA; the fast approximations
// (__expf …) are the exact functions here.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <math.h>
#include <type_traits>

#include "emu/machine/builtins.hpp"
#include "emu/shadow/emu_convert.h"
#include "emu/shadow/emu_integer.h"
#include "emu/shadow/emu_simd.h"

namespace cairn::emu {

template <class A, class B>
concept Numbers = std::is_arithmetic_v<A> && std::is_arithmetic_v<B>;

// sin and cos of pi x. The argument is reduced exactly, so that they are exactly 0 and 1 where they should be.
struct SinCos {
  double sin, cos;
};
inline SinCos sincos_of_pi(double x) {
  const double reduced = remainder(x, 2.0), quarter = rint(2 * reduced);
  const double angle = 3.14159265358979323846 * (reduced - quarter / 2);
  const double s = sin(angle), c = cos(angle);
  switch (static_cast<int>(quarter == quarter ? quarter : 0) & 3) {
    case 0: return {s, c};
    case 1: return {c, -s};
    case 2: return {-s, -c};
    default: return {-c, s};
  }
}

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

// noexcept, because later C libraries declare some of them so. Host sources of programs have an rsqrtf of their own, where
// they share headers with kernels.
#if defined(__CUDACC__) || !defined(CAIRN_PROGRAM)
inline float rsqrtf(float x) noexcept { return 1.0f / sqrtf(x); }
#endif
inline double rsqrt(double x) noexcept { return 1.0 / sqrt(x); }
inline double sinpi(double x) noexcept { return cairn::emu::sincos_of_pi(x).sin; }
inline double cospi(double x) noexcept { return cairn::emu::sincos_of_pi(x).cos; }
inline float sinpif(float x) noexcept { return static_cast<float>(sinpi(static_cast<double>(x))); }
inline float cospif(float x) noexcept { return static_cast<float>(cospi(static_cast<double>(x))); }
inline void sincospi(double x, double* s, double* c) {
  const cairn::emu::SinCos both = cairn::emu::sincos_of_pi(x);
  *s = both.sin;
  *c = both.cos;
}
inline void sincospif(float x, float* s, float* c) {
  const cairn::emu::SinCos both = cairn::emu::sincos_of_pi(x);
  *s = static_cast<float>(both.sin);
  *c = static_cast<float>(both.cos);
}
inline double rcbrt(double x) { return 1.0 / cbrt(x); }
inline float rcbrtf(float x) { return static_cast<float>(rcbrt(static_cast<double>(x))); }
inline double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
inline float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
inline double norm3d(double a, double b, double c) { return sqrt(a * a + b * b + c * c); }
inline double norm4d(double a, double b, double c, double d) { return sqrt(a * a + b * b + c * c + d * d); }
inline double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
inline double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
inline float norm3df(float a, float b, float c) { return static_cast<float>(norm3d(a, b, c)); }
inline float norm4df(float a, float b, float c, float d) { return static_cast<float>(norm4d(a, b, c, d)); }
inline float rnorm3df(float a, float b, float c) { return static_cast<float>(rnorm3d(a, b, c)); }
inline float rnorm4df(float a, float b, float c, float d) { return static_cast<float>(rnorm4d(a, b, c, d)); }
inline double normcdf(double x) { return 0.5 * erfc(-x / 1.41421356237309504880); }
inline float normcdff(float x) { return static_cast<float>(normcdf(static_cast<double>(x))); }
inline float fdividef(float a, float b) { return a / b; }

// To nearest. Nothing is fused with these, which is what __fmul_rn and __fadd_rn are for.
inline float __fadd_rn(float a, float b) { return cairn::emu::opaque(cairn::emu::opaque(a) + cairn::emu::opaque(b)); }
inline float __fsub_rn(float a, float b) { return cairn::emu::opaque(cairn::emu::opaque(a) - cairn::emu::opaque(b)); }
inline float __fmul_rn(float a, float b) { return cairn::emu::opaque(a * b); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frsqrt_rn(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
inline double __dadd_rn(double a, double b) {
  return cairn::emu::opaque(cairn::emu::opaque(a) + cairn::emu::opaque(b));
}
inline double __dsub_rn(double a, double b) { return __dadd_rn(a, -b); }
inline double __dmul_rn(double a, double b) { return cairn::emu::opaque(a * b); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline double __dsqrt_rn(double x) { return sqrt(x); }

// In the other directions. Floats are computed in double, which has more than twice their bits, and rounded once.
#define CAIRN_ROUNDED(suffix, mode)                                                                                \
  inline float __fadd_##suffix(float a, float b) { return cairn::emu::add_to_float(a, b, mode); }                  \
  inline float __fsub_##suffix(float a, float b) { return __fadd_##suffix(a, -b); }                                \
  inline float __fmul_##suffix(float a, float b) {                                                                 \
    return cairn::emu::to_float(static_cast<double>(a) * static_cast<double>(b), mode);                            \
  }                                                                                                                \
  inline float __fmaf_##suffix(float a, float b, float c) {                                                        \
    return cairn::emu::add_to_float(cairn::emu::opaque(static_cast<double>(a) * static_cast<double>(b)), c, mode); \
  }                                                                                                                \
  inline float __fdiv_##suffix(float a, float b) {                                                                 \
    return cairn::emu::to_float(static_cast<double>(a) / static_cast<double>(b), mode);                            \
  }                                                                                                                \
  inline float __frcp_##suffix(float x) { return __fdiv_##suffix(1.0f, x); }                                       \
  inline float __fsqrt_##suffix(float x) { return cairn::emu::to_float(sqrt(static_cast<double>(x)), mode); }      \
  inline double __dadd_##suffix(double a, double b) { return cairn::emu::add(a, b, mode); }                        \
  inline double __dsub_##suffix(double a, double b) { return cairn::emu::add(a, -b, mode); }                       \
  inline double __dmul_##suffix(double a, double b) { return cairn::emu::multiply(a, b, mode); }                   \
  inline double __fma_##suffix(double a, double b, double c) { return cairn::emu::fuse(a, b, c, mode); }           \
  inline double __ddiv_##suffix(double a, double b) { return cairn::emu::divide(a, b, mode); }                     \
  inline double __drcp_##suffix(double x) { return cairn::emu::divide(1.0, x, mode); }                             \
  inline double __dsqrt_##suffix(double x) { return cairn::emu::root(x, mode); }
CAIRN_ROUNDED(rz, cairn::emu::Round::zero)
CAIRN_ROUNDED(rd, cairn::emu::Round::down)
CAIRN_ROUNDED(ru, cairn::emu::Round::up)
#undef CAIRN_ROUNDED

inline float __fdividef(float a, float b) { return a / b; }
inline float __expf(float x) { return expf(x); }
inline float __exp2f(float x) { return exp2f(x); }
inline float __exp10f(float x) { return exp10f(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline void __sincosf(float x, float* s, float* c) {
  *s = sinf(x);
  *c = cosf(x);
}
inline float __saturatef(float x) { return !(x > 0.0f) ? 0.0f : x > 1.0f ? 1.0f : x; }

// clock() is the host's own, which counts microseconds of the processor; these two count nanoseconds.
inline long long clock64() { return static_cast<long long>(cairn::emu::ticks()); }
inline unsigned long long globaltimer() { return cairn::emu::ticks(); }

inline void __trap(cairn::emu::Site site = cairn::emu::Site::current()) { cairn::emu::trap(site); }
