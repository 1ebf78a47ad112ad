// Intrinsics on the two half-words or the four bytes of a word, such as __vadd4.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "emu/shadow/emu_integer.h"

namespace cairn::emu {

// f of each pair of pieces, of which the low bits are kept.
template <class T, class F> unsigned each(unsigned a, unsigned b, F f) {
  constexpr int bits = 8 * sizeof(T);
  unsigned result = 0;
  for (int i = 0; i < 32 / bits; ++i) {
    const auto value = static_cast<unsigned>(f(piece<T>(a, i), piece<T>(b, i)));
    result |= (value & ((1u << bits) - 1)) << (bits * i);
  }
  return result;
}

template <class T> int saturate(int x) {
  return std::clamp<int>(x, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}

template <class T> unsigned sum_of_differences(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (int i = 0; i < static_cast<int>(4 / sizeof(T)); ++i) {
    const int difference = piece<T>(a, i) - piece<T>(b, i);
    sum += static_cast<unsigned>(difference < 0 ? -difference : difference);
  }
  return sum;
}

}  // namespace cairn::emu

#define CAIRN_LANES(name, T, value)                                              \
  inline unsigned name(unsigned a, unsigned b) {                                 \
    return cairn::emu::each<T>(a, b, [](int x, int y) -> int { return value; }); \
  }
#define CAIRN_COMPARE(name, count, T, op)              \
  CAIRN_LANES(__vcmp##name##count, T, x op y ? -1 : 0) \
  CAIRN_LANES(__vset##name##count, T, x op y ? 1 : 0)
#define CAIRN_ALL_LANES(count, S, U)                                                                         \
  CAIRN_LANES(__vadd##count, U, x + y)                                                                       \
  CAIRN_LANES(__vsub##count, U, x - y)                                                                       \
  CAIRN_LANES(__vaddss##count, S, cairn::emu::saturate<S>(x + y))                                            \
  CAIRN_LANES(__vaddus##count, U, cairn::emu::saturate<U>(x + y))                                            \
  CAIRN_LANES(__vsubss##count, S, cairn::emu::saturate<S>(x - y))                                            \
  CAIRN_LANES(__vsubus##count, U, cairn::emu::saturate<U>(x - y))                                            \
  CAIRN_LANES(__vabsdiffs##count, S, x > y ? x - y : y - x)                                                  \
  CAIRN_LANES(__vabsdiffu##count, U, x > y ? x - y : y - x)                                                  \
  CAIRN_LANES(__vmaxs##count, S, x > y ? x : y)                                                              \
  CAIRN_LANES(__vmaxu##count, U, x > y ? x : y)                                                              \
  CAIRN_LANES(__vmins##count, S, x < y ? x : y)                                                              \
  CAIRN_LANES(__vminu##count, U, x < y ? x : y)                                                              \
  CAIRN_LANES(__vavgu##count, U, (x + y + 1) >> 1)                                                           \
  CAIRN_LANES(__vhaddu##count, U, (x + y) >> 1)                                                              \
  CAIRN_COMPARE(eq, count, U, ==)                                                                            \
  CAIRN_COMPARE(ne, count, U, !=)                                                                            \
  CAIRN_COMPARE(gts, count, S, >)                                                                            \
  CAIRN_COMPARE(gtu, count, U, >)                                                                            \
  CAIRN_COMPARE(ges, count, S, >=)                                                                           \
  CAIRN_COMPARE(geu, count, U, >=)                                                                           \
  CAIRN_COMPARE(lts, count, S, <)                                                                            \
  CAIRN_COMPARE(ltu, count, U, <)                                                                            \
  CAIRN_COMPARE(les, count, S, <=)                                                                           \
  CAIRN_COMPARE(leu, count, U, <=)                                                                           \
  inline unsigned __vneg##count(unsigned a) { return __vsub##count(0, a); }                                  \
  inline unsigned __vabs##count(unsigned a) { return __vabsdiffs##count(a, 0); }                             \
  inline unsigned __vsads##count(unsigned a, unsigned b) { return cairn::emu::sum_of_differences<S>(a, b); } \
  inline unsigned __vsadu##count(unsigned a, unsigned b) { return cairn::emu::sum_of_differences<U>(a, b); }

CAIRN_ALL_LANES(2, std::int16_t, std::uint16_t)
CAIRN_ALL_LANES(4, std::int8_t, std::uint8_t)
#undef CAIRN_ALL_LANES
#undef CAIRN_COMPARE
#undef CAIRN_LANES
