// half and bfloat16 as CUDA has them: arithmetic on single numbers and on pairs. Every operation is worked out in
// double and rounded once, to nearest even, which is what the hardware does; a NaN comes out as 0x7fff.
//
// What a compiler may fuse is another matter: nvcc may turn __hmul and __hadd into one fused operation (__hmul_rn
// forbids it), and here they stay two.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "cairn/numbers.hpp"
#include "emu/machine/atomics.hpp"
#include "emu/shadow/emu_round.h"
#include "emu/shadow/vector_types.h"

namespace cairn::emu {

// CUDA's __half_raw and the like: bits, and nothing that can be done with them.
template <class S> struct NarrowRaw { unsigned short x; };
template <class S> struct NarrowPairRaw { unsigned short x, y; };

// S is cairn::f16 or cairn::bf16, which know how to round. Without a default value, as a register has none.
template <class S> struct Narrow {
  using Storage = S;
  std::uint16_t bits;

  Narrow() = default;
  constexpr Narrow(float x) : bits(S(x).bits) {}
  constexpr Narrow(double x) : bits(S(x).bits) {}
  template <class T>
  requires std::is_integral_v<T>
  constexpr Narrow(T x) : bits(sizeof(T) < 8 ? S(static_cast<double>(x)).bits : S(odd_from_integer(x)).bits) {}
  constexpr Narrow(NarrowRaw<S> raw) : bits(raw.x) {}
  constexpr operator NarrowRaw<S>() const { return {bits}; }
  static constexpr Narrow from_bits(std::uint16_t raw) {
    Narrow x;
    x.bits = raw;
    return x;
  }
  constexpr operator float() const { return static_cast<float>(S::from_bits(bits)); }
  constexpr double wide() const { return static_cast<double>(S::from_bits(bits)); }
};

// A product of two narrow numbers is exact in double.
template <class S> Narrow<S> fused(Narrow<S> a, Narrow<S> b, Narrow<S> c) {
  return Narrow<S>(add_to_odd(a.wide() * b.wide(), c.wide()));
}

template <class S> struct alignas(4) NarrowPair {
  Narrow<S> x, y;

  NarrowPair() = default;
  constexpr NarrowPair(Narrow<S> x_, Narrow<S> y_) : x(x_), y(y_) {}
  constexpr NarrowPair(NarrowPairRaw<S> raw) : x(Narrow<S>::from_bits(raw.x)), y(Narrow<S>::from_bits(raw.y)) {}
  constexpr operator NarrowPairRaw<S>() const { return {x.bits, y.bits}; }
  constexpr NarrowPair(const NarrowPair& other) { *this = other; }
  constexpr NarrowPair& operator=(const NarrowPair& other) {
    if (!std::is_constant_evaluated()) {
      copy_whole(*this, other);
    } else {
      x = other.x;
      y = other.y;
    }
    return *this;
  }
};

}  // namespace cairn::emu

#define CAIRN_NARROW template <class S> inline cairn::emu::Narrow<S>
#define CAIRN_PAIR template <class S> inline cairn::emu::NarrowPair<S>
#define CAIRN_TRUTH template <class S> inline bool

// One number.
CAIRN_NARROW __hadd(cairn::emu::Narrow<S> a, cairn::emu::Narrow<S> b) { return {a.wide() + b.wide()}; }
CAIRN_NARROW __hsub(cairn::emu::Narrow<S> a, cairn::emu::Narrow<S> b) { return {a.wide() - b.wide()}; }
CAIRN_NARROW __hmul(cairn::emu::Narrow<S> a, cairn::emu::Narrow<S> b) { return {a.wide() * b.wide()}; }
CAIRN_NARROW __hdiv(cairn::emu::Narrow<S> a, cairn::emu::Narrow<S> b) { return {a.wide() / b.wide()}; }
CAIRN_NARROW __hadd_rn(cairn::emu::Narrow<S> a, cairn::emu::Narrow<S> b) { return __hadd(a, b); }
CAIRN_NARROW __hsub_rn(cairn::emu::Narrow<S> a, cairn::emu::Narrow<S> b) { return __hsub(a, b); }
CAIRN_NARROW __hmul_rn(cairn::emu::Narrow<S> a, cairn::emu::Narrow<S> b) { return __hmul(a, b); }
CAIRN_NARROW __hfma(cairn::emu::Narrow<S> a, cairn::emu::Narrow<S> b, cairn::emu::Narrow<S> c) {
  return cairn::emu::fused(a, b, c);
}
CAIRN_NARROW __hneg(cairn::emu::Narrow<S> a) {
  return cairn::emu::Narrow<S>::from_bits(static_cast<std::uint16_t>(a.bits ^ 0x8000u));
}
CAIRN_NARROW __habs(cairn::emu::Narrow<S> a) {
  return cairn::emu::Narrow<S>::from_bits(static_cast<std::uint16_t>(a.bits & 0x7fffu));
}
CAIRN_TRUTH __hisnan(cairn::emu::Narrow<S> a) { return std::isnan(static_cast<float>(a)); }
CAIRN_TRUTH __heq(cairn::emu::Narrow<S> a, cairn::emu::Narrow<S> b) { return a.wide() == b.wide(); }
CAIRN_TRUTH __hne(cairn::emu::Narrow<S> a, cairn::emu::Narrow<S> b) {  // false if either is a NaN
  return a.wide() < b.wide() || a.wide() > b.wide();
}
CAIRN_TRUTH __hlt(cairn::emu::Narrow<S> a, cairn::emu::Narrow<S> b) { return a.wide() < b.wide(); }
CAIRN_TRUTH __hle(cairn::emu::Narrow<S> a, cairn::emu::Narrow<S> b) { return a.wide() <= b.wide(); }
CAIRN_TRUTH __hgt(cairn::emu::Narrow<S> a, cairn::emu::Narrow<S> b) { return a.wide() > b.wide(); }
CAIRN_TRUTH __hge(cairn::emu::Narrow<S> a, cairn::emu::Narrow<S> b) { return a.wide() >= b.wide(); }
// Of a NaN and a number the number; +0 is above -0.
CAIRN_NARROW __hmax(cairn::emu::Narrow<S> a, cairn::emu::Narrow<S> b) {
  if (__hisnan(a)) return __hisnan(b) ? cairn::emu::Narrow<S>::from_bits(0x7fff) : b;
  if (__hisnan(b)) return a;
  return a.wide() > b.wide() || (a.wide() == b.wide() && !std::signbit(a.wide())) ? a : b;
}
CAIRN_NARROW __hmin(cairn::emu::Narrow<S> a, cairn::emu::Narrow<S> b) {
  if (__hisnan(a)) return __hisnan(b) ? cairn::emu::Narrow<S>::from_bits(0x7fff) : b;
  if (__hisnan(b)) return a;
  return a.wide() < b.wide() || (a.wide() == b.wide() && std::signbit(a.wide())) ? a : b;
}

namespace cairn::emu {

template <class S> Narrow<S> operator+(Narrow<S> a, Narrow<S> b) { return __hadd(a, b); }
template <class S> Narrow<S> operator-(Narrow<S> a, Narrow<S> b) { return __hsub(a, b); }
template <class S> Narrow<S> operator*(Narrow<S> a, Narrow<S> b) { return __hmul(a, b); }
template <class S> Narrow<S> operator/(Narrow<S> a, Narrow<S> b) { return __hdiv(a, b); }
template <class S> Narrow<S> operator-(Narrow<S> a) { return __hneg(a); }
template <class S> Narrow<S>& operator+=(Narrow<S>& a, Narrow<S> b) { return a = a + b; }
template <class S> Narrow<S>& operator-=(Narrow<S>& a, Narrow<S> b) { return a = a - b; }
template <class S> Narrow<S>& operator*=(Narrow<S>& a, Narrow<S> b) { return a = a * b; }
template <class S> bool operator==(Narrow<S> a, Narrow<S> b) { return a.wide() == b.wide(); }
template <class S> bool operator<(Narrow<S> a, Narrow<S> b) { return a.wide() < b.wide(); }
template <class S> bool operator>(Narrow<S> a, Narrow<S> b) { return a.wide() > b.wide(); }
template <class S> bool operator<=(Narrow<S> a, Narrow<S> b) { return a.wide() <= b.wide(); }
template <class S> bool operator>=(Narrow<S> a, Narrow<S> b) { return a.wide() >= b.wide(); }

}  // namespace cairn::emu

// Pairs.
CAIRN_PAIR __hadd2(cairn::emu::NarrowPair<S> a, cairn::emu::NarrowPair<S> b) {
  return {__hadd(a.x, b.x), __hadd(a.y, b.y)};
}
CAIRN_PAIR __hsub2(cairn::emu::NarrowPair<S> a, cairn::emu::NarrowPair<S> b) {
  return {__hsub(a.x, b.x), __hsub(a.y, b.y)};
}
CAIRN_PAIR __hmul2(cairn::emu::NarrowPair<S> a, cairn::emu::NarrowPair<S> b) {
  return {__hmul(a.x, b.x), __hmul(a.y, b.y)};
}
CAIRN_PAIR __hfma2(cairn::emu::NarrowPair<S> a, cairn::emu::NarrowPair<S> b, cairn::emu::NarrowPair<S> c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
template <class S> float __low2float(cairn::emu::NarrowPair<S> a) { return a.x; }
template <class S> float __high2float(cairn::emu::NarrowPair<S> a) { return a.y; }

// Atomic sums, one number or a pair at a time: a pair's two sums are not one operation on the hardware either.
CAIRN_NARROW atomicAdd(cairn::emu::Narrow<S>* address, cairn::emu::Narrow<S> value,
                       cairn::emu::Site site = cairn::emu::Site::current()) {
  auto* word = reinterpret_cast<unsigned short*>(address);
  unsigned short old = cairn::emu::compare_and_swap(word, 0, 0);
  while (true) {
    const auto before = cairn::emu::Narrow<S>::from_bits(old);
    const unsigned short seen = cairn::emu::compare_and_swap(word, old, __hadd(before, value).bits);
    if (seen == old) {
      cairn::emu::spin("atomicAdd", value.wide() != 0, site);
      return before;
    }
    old = seen;
  }
}
CAIRN_PAIR atomicAdd(cairn::emu::NarrowPair<S>* address, cairn::emu::NarrowPair<S> value,
                     cairn::emu::Site site = cairn::emu::Site::current()) {
  const auto x = atomicAdd(&address->x, value.x, site);
  return {x, atomicAdd(&address->y, value.y, site)};
}

#undef CAIRN_NARROW
#undef CAIRN_PAIR
#undef CAIRN_TRUTH
