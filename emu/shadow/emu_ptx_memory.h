// PTX on memory: loads and stores, atomics, cp.async.
#pragma once

#include "emu/shadow/emu_atomic.h"
#include "emu/shadow/emu_memory.h"
#include "emu/shadow/emu_ptx_bits.h"
#include "emu/shadow/emu_sync.h"

namespace cairn::emu::ptx {

// What is loaded and stored in one access of so many bytes.
template <int bytes> struct Access;
template <> struct Access<1> { using type = std::uint8_t; };
template <> struct Access<2> { using type = std::uint16_t; };
template <> struct Access<4> { using type = std::uint32_t; };
template <> struct Access<8> { using type = uint2; };
template <> struct Access<16> { using type = uint4; };

// `strong` accesses may be part of a polling loop, so other threads run first.
template <class T, int count, bool strong, class Address>
Words<T, count> load(Address at, Site site = Site::current()) {
  using Word = typename Access<sizeof(T) * count>::type;
  const void* from = where(at, sizeof(Word), "ld", site);
  if constexpr (strong) spin("ld", false, site);
  Word word;
  if constexpr (strong && sizeof(Word) <= 4)
    word = *static_cast<const volatile Word*>(from);
  else
    word = *static_cast<const Word*>(from);
  return as<Words<T, count>>(word);
}

template <class T, int count, bool strong, class Address>
void store(Address at, const Words<T, count>& values, Site site = Site::current()) {
  using Word = typename Access<sizeof(T) * count>::type;
  void* to = where(at, sizeof(Word), "st", site);
  if constexpr (strong) spin("st", true, site);
  const auto word = as<Word>(values);
  if constexpr (strong && sizeof(Word) <= 4)
    *static_cast<volatile Word*>(to) = word;
  else
    *static_cast<Word*>(to) = word;
}

// CUDA's type for one of PTX.
template <class T>
using Atomic = std::conditional_t<std::is_same_v<T, std::uint64_t>, unsigned long long,
                                  std::conditional_t<std::is_same_v<T, std::int64_t>, long long,
                                                     std::conditional_t<std::is_same_v<T, std::int32_t>, int, T>>>;

#define CAIRN_PTX_ATOMIC(name, function)                                                                \
  template <class T, class Address> T atomic_##name(Address at, T value, Site site = Site::current()) { \
    using U = Atomic<T>;                                                                                \
    return static_cast<T>(                                                                              \
        function(static_cast<U*>(where(at, sizeof(T), "atom", site)), static_cast<U>(value), site));    \
  }
CAIRN_PTX_ATOMIC(add, ::atomicAdd)
CAIRN_PTX_ATOMIC(exch, ::atomicExch)
CAIRN_PTX_ATOMIC(min, ::atomicMin)
CAIRN_PTX_ATOMIC(max, ::atomicMax)
CAIRN_PTX_ATOMIC(and, ::atomicAnd)
CAIRN_PTX_ATOMIC(or, ::atomicOr)
CAIRN_PTX_ATOMIC(xor, ::atomicXor)
CAIRN_PTX_ATOMIC(inc, ::atomicInc)
CAIRN_PTX_ATOMIC(dec, ::atomicDec)
#undef CAIRN_PTX_ATOMIC

template <class T, class Address> T atomic_cas(Address at, T expected, T value, Site site = Site::current()) {
  using U = Atomic<T>;
  return static_cast<T>(::atomicCAS(static_cast<U*>(where(at, sizeof(T), "atom.cas", site)), static_cast<U>(expected),
                                    static_cast<U>(value), site));
}

// cp.async: `valid` bytes are read, the rest are zeros.
inline void copy(Shared to, Pointer from, int bytes, int valid, Site site = Site::current()) {
  copy_issue(shared_pointer(to, static_cast<std::size_t>(bytes), "cp.async", site), from.address, bytes, valid, site);
}
inline void commit(Site site = Site::current()) { copy_commit(site); }
inline void wait(int left, Site site = Site::current()) { copy_wait(left, site); }
inline void wait_all(Site site = Site::current()) { copy_wait_all(site); }

}  // namespace cairn::emu::ptx
