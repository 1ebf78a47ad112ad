// half and bfloat16, beyond what emu_narrow.h has: functions, saturation, comparisons, conversions in every direction of
// rounding, and the same for pairs. Functions are worked out in double, as arithmetic is, and rounded once.
#pragma once

#include <cmath>

#include "emu/shadow/emu_convert.h"
#include "emu/shadow/emu_math.h"
#include "emu/shadow/emu_narrow.h"

namespace cairn::emu {

// Rounded in a direction: the bits of a narrow number count its magnitude up and down.
template <class S> Narrow<S> narrow(double x, Round mode) {
  const Narrow<S> nearest(x);
  const double size = std::fabs(x), got = std::fabs(nearest.wide());
  if (mode == Round::nearest || !(size < got || size > got)) return nearest;
  const bool negative = (nearest.bits & 0x8000u) != 0;
  const bool outwards = mode == Round::up ? !negative : mode == Round::down && negative;
  if (outwards == (size > got)) {
    return Narrow<S>::from_bits(static_cast<std::uint16_t>(outwards ? nearest.bits + 1 : nearest.bits - 1));
  }
  return nearest;
}

template <class S> Narrow<S> saturated(Narrow<S> x) { return !(x.wide() > 0) ? 0.0 : x.wide() > 1 ? 1.0 : x.wide(); }
template <class S> Narrow<S> rectified(Narrow<S> x) { return x.wide() < 0 ? Narrow<S>(0.0) : x; }
template <class S> bool ordered(Narrow<S> a, Narrow<S> b) { return a.wide() == a.wide() && b.wide() == b.wide(); }

template <class S> Narrow<S>& operator/=(Narrow<S>& a, Narrow<S> b) { return a = a / b; }
template <class S> Narrow<S> operator+(Narrow<S> a) { return a; }
template <class S> Narrow<S>& operator++(Narrow<S>& a) { return a = a + Narrow<S>(1.0); }
template <class S> Narrow<S>& operator--(Narrow<S>& a) { return a = a - Narrow<S>(1.0); }
template <class S> Narrow<S> operator++(Narrow<S>& a, int) {
  const Narrow<S> before = a;
  ++a;
  return before;
}
template <class S> Narrow<S> operator--(Narrow<S>& a, int) {
  const Narrow<S> before = a;
  --a;
  return before;
}

// Component by component.
#define CAIRN_PAIR_OPERATOR(op)                                                    \
  template <class S> NarrowPair<S> operator op(NarrowPair<S> a, NarrowPair<S> b) { \
    return {a.x op b.x, a.y op b.y};                                               \
  }                                                                                \
  template <class S> NarrowPair<S>& operator op##=(NarrowPair<S>& a, NarrowPair<S> b) { return a = a op b; }
CAIRN_PAIR_OPERATOR(+)
CAIRN_PAIR_OPERATOR(-)
CAIRN_PAIR_OPERATOR(*)
CAIRN_PAIR_OPERATOR(/)
#undef CAIRN_PAIR_OPERATOR
template <class S> NarrowPair<S> operator-(NarrowPair<S> a) { return {-a.x, -a.y}; }
template <class S> NarrowPair<S> operator+(NarrowPair<S> a) { return a; }

}  // namespace cairn::emu

// A function of one number by `expression` of the double x, and of each of a pair.
#define CAIRN_NARROW_FUNCTION(name, expression)                                        \
  template <class S> cairn::emu::Narrow<S> h##name(cairn::emu::Narrow<S> a) {          \
    const double x = a.wide();                                                         \
    return cairn::emu::Narrow<S>(expression);                                          \
  }                                                                                    \
  template <class S> cairn::emu::NarrowPair<S> h2##name(cairn::emu::NarrowPair<S> a) { \
    return {h##name(a.x), h##name(a.y)};                                               \
  }
CAIRN_NARROW_FUNCTION(exp, exp(x))
CAIRN_NARROW_FUNCTION(exp2, exp2(x))
CAIRN_NARROW_FUNCTION(exp10, exp10(x))
CAIRN_NARROW_FUNCTION(log, log(x))
CAIRN_NARROW_FUNCTION(log2, log2(x))
CAIRN_NARROW_FUNCTION(log10, log10(x))
CAIRN_NARROW_FUNCTION(sqrt, sqrt(x))
CAIRN_NARROW_FUNCTION(rsqrt, 1.0 / sqrt(x))
CAIRN_NARROW_FUNCTION(rcp, 1.0 / x)
CAIRN_NARROW_FUNCTION(sin, sin(x))
CAIRN_NARROW_FUNCTION(cos, cos(x))
CAIRN_NARROW_FUNCTION(tanh, tanh(x))
CAIRN_NARROW_FUNCTION(floor, floor(x))
CAIRN_NARROW_FUNCTION(ceil, ceil(x))
CAIRN_NARROW_FUNCTION(trunc, trunc(x))
CAIRN_NARROW_FUNCTION(rint, rint(x))
#undef CAIRN_NARROW_FUNCTION

#define CAIRN_NARROW template <class S> inline cairn::emu::Narrow<S>
#define CAIRN_PAIR template <class S> inline cairn::emu::NarrowPair<S>
#define CAIRN_N cairn::emu::Narrow<S>
#define CAIRN_P cairn::emu::NarrowPair<S>

CAIRN_NARROW __hadd_sat(CAIRN_N a, CAIRN_N b) { return cairn::emu::saturated(__hadd(a, b)); }
CAIRN_NARROW __hsub_sat(CAIRN_N a, CAIRN_N b) { return cairn::emu::saturated(__hsub(a, b)); }
CAIRN_NARROW __hmul_sat(CAIRN_N a, CAIRN_N b) { return cairn::emu::saturated(__hmul(a, b)); }
CAIRN_NARROW __hfma_sat(CAIRN_N a, CAIRN_N b, CAIRN_N c) { return cairn::emu::saturated(__hfma(a, b, c)); }
CAIRN_NARROW __hfma_relu(CAIRN_N a, CAIRN_N b, CAIRN_N c) { return cairn::emu::rectified(__hfma(a, b, c)); }
CAIRN_PAIR __hadd2_sat(CAIRN_P a, CAIRN_P b) { return {__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)}; }
CAIRN_PAIR __hsub2_sat(CAIRN_P a, CAIRN_P b) { return {__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)}; }
CAIRN_PAIR __hmul2_sat(CAIRN_P a, CAIRN_P b) { return {__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)}; }
CAIRN_PAIR __hfma2_sat(CAIRN_P a, CAIRN_P b, CAIRN_P c) {
  return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)};
}
CAIRN_PAIR __hfma2_relu(CAIRN_P a, CAIRN_P b, CAIRN_P c) {
  return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)};
}
CAIRN_PAIR __hadd2_rn(CAIRN_P a, CAIRN_P b) { return a + b; }
CAIRN_PAIR __hsub2_rn(CAIRN_P a, CAIRN_P b) { return a - b; }
CAIRN_PAIR __hmul2_rn(CAIRN_P a, CAIRN_P b) { return a * b; }
CAIRN_PAIR __h2div(CAIRN_P a, CAIRN_P b) { return a / b; }
CAIRN_PAIR __hneg2(CAIRN_P a) { return -a; }
CAIRN_PAIR __habs2(CAIRN_P a) { return {__habs(a.x), __habs(a.y)}; }
CAIRN_PAIR __hmax2(CAIRN_P a, CAIRN_P b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
CAIRN_PAIR __hmin2(CAIRN_P a, CAIRN_P b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
CAIRN_NARROW __hmax_nan(CAIRN_N a, CAIRN_N b) {
  return cairn::emu::ordered(a, b) ? __hmax(a, b) : CAIRN_N::from_bits(0x7fff);
}
CAIRN_NARROW __hmin_nan(CAIRN_N a, CAIRN_N b) {
  return cairn::emu::ordered(a, b) ? __hmin(a, b) : CAIRN_N::from_bits(0x7fff);
}
CAIRN_PAIR __hmax2_nan(CAIRN_P a, CAIRN_P b) { return {__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)}; }
CAIRN_PAIR __hmin2_nan(CAIRN_P a, CAIRN_P b) { return {__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)}; }
CAIRN_PAIR __lowhigh2highlow(CAIRN_P a) { return {a.y, a.x}; }
CAIRN_PAIR __hisnan2(CAIRN_P a) { return {__hisnan(a.x) ? 1.0 : 0.0, __hisnan(a.y) ? 1.0 : 0.0}; }

// Comparisons. Of a NaN those with a u are true and the others false; those of pairs give 1 or 0 each, and with a b
// whether both hold.
#define CAIRN_COMPARE(op)                                                                                          \
  template <class S> bool __h##op##u(CAIRN_N a, CAIRN_N b) { return !cairn::emu::ordered(a, b) || __h##op(a, b); } \
  CAIRN_PAIR __h##op##2(CAIRN_P a, CAIRN_P b) {                                                                    \
    return {__h##op(a.x, b.x) ? 1.0 : 0.0, __h##op(a.y, b.y) ? 1.0 : 0.0};                                         \
  }                                                                                                                \
  CAIRN_PAIR __h##op##u2(CAIRN_P a, CAIRN_P b) {                                                                   \
    return {__h##op##u(a.x, b.x) ? 1.0 : 0.0, __h##op##u(a.y, b.y) ? 1.0 : 0.0};                                   \
  }                                                                                                                \
  template <class S> bool __hb##op##2(CAIRN_P a, CAIRN_P b) { return __h##op(a.x, b.x) && __h##op(a.y, b.y); }     \
  template <class S> bool __hb##op##u2(CAIRN_P a, CAIRN_P b) { return __h##op##u(a.x, b.x) && __h##op##u(a.y, b.y); }
CAIRN_COMPARE(eq)
CAIRN_COMPARE(ne)
CAIRN_COMPARE(lt)
CAIRN_COMPARE(le)
CAIRN_COMPARE(gt)
CAIRN_COMPARE(ge)
#undef CAIRN_COMPARE

namespace cairn::emu {

template <class S> bool operator==(NarrowPair<S> a, NarrowPair<S> b) { return a.x == b.x && a.y == b.y; }
template <class S> bool operator<(NarrowPair<S> a, NarrowPair<S> b) { return a.x < b.x && a.y < b.y; }
template <class S> bool operator>(NarrowPair<S> a, NarrowPair<S> b) { return a.x > b.x && a.y > b.y; }
template <class S> bool operator<=(NarrowPair<S> a, NarrowPair<S> b) { return a.x <= b.x && a.y <= b.y; }
template <class S> bool operator>=(NarrowPair<S> a, NarrowPair<S> b) { return a.x >= b.x && a.y >= b.y; }

}  // namespace cairn::emu

#undef CAIRN_NARROW
#undef CAIRN_PAIR
#undef CAIRN_N
#undef CAIRN_P

// Conversions of cuda_fp16.h (word half) and cuda_bf16.h (word bfloat16) with type T, CUDA's name of which is `kind`.
#define CAIRN_NARROW_INTEGER(T, kind, word, Number, suffix, mode)                                                    \
  inline T __##word##2##kind##_##suffix(Number x) { return cairn::emu::to_integer<T>(static_cast<float>(x), mode); } \
  inline Number __##kind##2##word##_##suffix(T x) {                                                                  \
    return cairn::emu::narrow<Number::Storage>(cairn::emu::odd_from_integer(x), mode);                               \
  }
#define CAIRN_NARROW_MODE(word, Number, suffix, mode)                       \
  CAIRN_NARROW_INTEGER(short, short, word, Number, suffix, mode)            \
  CAIRN_NARROW_INTEGER(unsigned short, ushort, word, Number, suffix, mode)  \
  CAIRN_NARROW_INTEGER(int, int, word, Number, suffix, mode)                \
  CAIRN_NARROW_INTEGER(unsigned, uint, word, Number, suffix, mode)          \
  CAIRN_NARROW_INTEGER(long long, ll, word, Number, suffix, mode)           \
  CAIRN_NARROW_INTEGER(unsigned long long, ull, word, Number, suffix, mode) \
  inline Number __float2##word##_##suffix(float x) { return cairn::emu::narrow<Number::Storage>(x, mode); }
#define CAIRN_NARROW_CONVERSIONS(word, Number)                    \
  CAIRN_NARROW_MODE(word, Number, rn, cairn::emu::Round::nearest) \
  CAIRN_NARROW_MODE(word, Number, rz, cairn::emu::Round::zero)    \
  CAIRN_NARROW_MODE(word, Number, rd, cairn::emu::Round::down)    \
  CAIRN_NARROW_MODE(word, Number, ru, cairn::emu::Round::up)
