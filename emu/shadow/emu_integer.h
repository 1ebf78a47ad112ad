// Integer intrinsics: bits, wide and narrow products, averages and dot products.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include "emu/shadow/emu_round.h"
#include "emu/shadow/vector_types.h"

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
// The upper or lower half of high:low after a shift, by `by` modulo 32; with _lc and _rc by at most 32.
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both << (by & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both >> (by & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by) {
  return by >= 32 ? low : __funnelshift_l(low, high, by);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by) {
  return by >= 32 ? high : __funnelshift_r(low, high, by);
}

inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned umax(unsigned a, unsigned b) { return a < b ? b : a; }
inline long long llmin(long long a, long long b) { return a < b ? a : b; }
inline long long llmax(long long a, long long b) { return a < b ? b : a; }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a < b ? b : a; }

inline int __mul24(int a, int b) {
  const auto low = [](int x) { return static_cast<unsigned>(static_cast<int>(static_cast<unsigned>(x) << 8) >> 8); };
  return static_cast<int>(low(a) * low(b));
}
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<unsigned long long>(static_cast<Wide>(a) * b >> 64);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<cairn::emu::Int128>(a) * b >> 64);
}

// |a - b| + c, and averages that do not overflow, rounded down or (__rhadd) up. __hadd is a template so that it is not
// chosen for half: its arguments must be int.
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
inline unsigned __sad(int a, int b, unsigned c) {
  const auto x = static_cast<unsigned>(a), y = static_cast<unsigned>(b);
  return (a > b ? x - y : y - x) + c;
}
template <std::same_as<int> T> T __hadd(T a, T b) { return static_cast<T>((static_cast<long long>(a) + b) >> 1); }
inline int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
inline unsigned __uhadd(unsigned a, unsigned b) { return static_cast<unsigned>((std::uint64_t{a} + b) >> 1); }
inline unsigned __urhadd(unsigned a, unsigned b) { return static_cast<unsigned>((std::uint64_t{a} + b + 1) >> 1); }

namespace cairn::emu {

// Byte or half-word `i` of a word, as a number of type T.
template <class T> int piece(unsigned word, int i) {
  return static_cast<T>(word >> (8 * static_cast<int>(sizeof(T)) * i));
}

// The sum over i of A's piece i times B's piece first + i, plus c, modulo 2^32.
template <class A, class B> unsigned dot(unsigned a, unsigned b, unsigned c, int count, int first) {
  for (int i = 0; i < count; ++i) c += static_cast<unsigned>(piece<A>(a, i) * piece<B>(b, first + i));
  return c;
}

inline unsigned bytes(unsigned x, unsigned y, unsigned z, unsigned w) {
  return (x & 0xff) | (y & 0xff) << 8 | (z & 0xff) << 16 | (w & 0xff) << 24;
}
inline unsigned word_of(char4 v) {
  return bytes(static_cast<unsigned>(v.x), static_cast<unsigned>(v.y), static_cast<unsigned>(v.z),
               static_cast<unsigned>(v.w));
}
inline unsigned word_of(uchar4 v) { return bytes(v.x, v.y, v.z, v.w); }
inline unsigned word_of(short2 v) {
  return static_cast<std::uint16_t>(v.x) | static_cast<unsigned>(static_cast<std::uint16_t>(v.y)) << 16;
}
inline unsigned word_of(ushort2 v) { return v.x | static_cast<unsigned>(v.y) << 16; }

}  // namespace cairn::emu

// Four products of bytes; two of half-words with the lower or the upper two bytes.
inline int __dp4a(int a, int b, int c) {
  return static_cast<int>(cairn::emu::dot<std::int8_t, std::int8_t>(
      static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(c), 4, 0));
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  return cairn::emu::dot<std::uint8_t, std::uint8_t>(a, b, c, 4, 0);
}
inline int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(static_cast<int>(cairn::emu::word_of(a)), static_cast<int>(cairn::emu::word_of(b)), c);
}
inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return __dp4a(cairn::emu::word_of(a), cairn::emu::word_of(b), c);
}
#define CAIRN_DP2A(name, first)                                                                         \
  inline int name(int a, int b, int c) {                                                                \
    return static_cast<int>(cairn::emu::dot<std::int16_t, std::int8_t>(                                 \
        static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(c), 2, first));       \
  }                                                                                                     \
  inline unsigned name(unsigned a, unsigned b, unsigned c) {                                            \
    return cairn::emu::dot<std::uint16_t, std::uint8_t>(a, b, c, 2, first);                             \
  }                                                                                                     \
  inline int name(short2 a, char4 b, int c) {                                                           \
    return name(static_cast<int>(cairn::emu::word_of(a)), static_cast<int>(cairn::emu::word_of(b)), c); \
  }                                                                                                     \
  inline unsigned name(ushort2 a, uchar4 b, unsigned c) {                                               \
    return name(cairn::emu::word_of(a), cairn::emu::word_of(b), c);                                     \
  }
CAIRN_DP2A(__dp2a_lo, 0)
CAIRN_DP2A(__dp2a_hi, 2)
#undef CAIRN_DP2A
