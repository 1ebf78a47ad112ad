#include "emu/machine/atomics.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "emu/machine/launch.hpp"
#include "emu/machine/trace_hooks.hpp"

namespace cairn::emu {

namespace {

template <std::size_t bytes> struct Bits;
template <> struct Bits<2> { using type [[gnu::may_alias]] = std::uint16_t; };
template <> struct Bits<4> { using type [[gnu::may_alias]] = std::uint32_t; };
template <> struct Bits<8> { using type [[gnu::may_alias]] = std::uint64_t; };

// Atomically replaces *address by change(*address) and returns the old value. Compares
// bits, so that a NaN equals itself.
template <class T, class F> T replace(T* address, F change) {
  using Word = typename Bits<sizeof(T)>::type;
  auto* word = reinterpret_cast<Word*>(address);
  Word old = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (true) {
    T before;
    std::memcpy(&before, &old, sizeof before);
    const T after = change(before);
    Word next;
    std::memcpy(&next, &after, sizeof next);
    if (__atomic_compare_exchange_n(word, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) return before;
  }
}

// The same, and then lets other threads run.
template <class T, class F> T step(T* address, const char* call, const Site& site, F change) {
  if (trace_hooks != nullptr && inside_kernel()) trace_hooks->atomic(address, sizeof(T), call, site);
  const T before = replace(address, change);
  const T after = change(before);
  spin(call, std::memcmp(&before, &after, sizeof before) != 0, site);
  return before;
}

}  // namespace

template <class T> T atomic_load(const T* address, const char* call, Site site) {
  if (trace_hooks != nullptr && inside_kernel()) trace_hooks->relaxed(address, sizeof(T), false, site);
  using Word = typename Bits<sizeof(T)>::type;
  const Word word = __atomic_load_n(reinterpret_cast<const Word*>(address), __ATOMIC_SEQ_CST);
  spin(call, false, site);
  T value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

template <class T> void atomic_store(T* address, T value, const char* call, Site site) {
  if (trace_hooks != nullptr && inside_kernel()) trace_hooks->relaxed(address, sizeof(T), true, site);
  const T before = replace(address, [=](T) { return value; });
  spin(call, std::memcmp(&before, &value, sizeof before) != 0, site);
}

template <class T> T atomic_add(T* address, T value, const char* call, Site site) {
  return step(address, call, site, [=](T old) {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(old) + static_cast<U>(value));  // wraps around
    } else {
      return old + value;
    }
  });
}

template <class T> T atomic_exchange(T* address, T value, const char* call, Site site) {
  return step(address, call, site, [=](T) { return value; });
}

template <class T> T atomic_cas(T* address, T expected, T value, const char* call, Site site) {
  return step(address, call, site, [=](T old) { return old == expected ? value : old; });
}

template <class T> T atomic_min(T* address, T value, const char* call, Site site) {
  return step(address, call, site, [=](T old) { return std::min(old, value); });
}

template <class T> T atomic_max(T* address, T value, const char* call, Site site) {
  return step(address, call, site, [=](T old) { return std::max(old, value); });
}

template <class T> T atomic_and(T* address, T value, const char* call, Site site) {
  return step(address, call, site, [=](T old) { return old & value; });
}

template <class T> T atomic_or(T* address, T value, const char* call, Site site) {
  return step(address, call, site, [=](T old) { return old | value; });
}

template <class T> T atomic_xor(T* address, T value, const char* call, Site site) {
  return step(address, call, site, [=](T old) { return old ^ value; });
}

unsigned atomic_inc(unsigned* address, unsigned most, const char* call, Site site) {
  return step(address, call, site, [=](unsigned old) { return old >= most ? 0 : old + 1; });
}

unsigned atomic_dec(unsigned* address, unsigned most, const char* call, Site site) {
  return step(address, call, site, [=](unsigned old) { return old == 0 || old > most ? most : old - 1; });
}

unsigned short compare_and_swap(unsigned short* address, unsigned short expected, unsigned short value) {
  __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

unsigned compare_and_swap(unsigned* address, unsigned expected, unsigned value) {
  __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

template int atomic_load(const int*, const char*, Site);
template void atomic_store(int*, int, const char*, Site);
template unsigned atomic_load(const unsigned*, const char*, Site);
template void atomic_store(unsigned*, unsigned, const char*, Site);
template unsigned long long atomic_load(const unsigned long long*, const char*, Site);
template void atomic_store(unsigned long long*, unsigned long long, const char*, Site);
template float atomic_load(const float*, const char*, Site);
template void atomic_store(float*, float, const char*, Site);
template double atomic_load(const double*, const char*, Site);
template void atomic_store(double*, double, const char*, Site);

template float atomic_add(float*, float, const char*, Site);
template double atomic_add(double*, double, const char*, Site);
template float atomic_exchange(float*, float, const char*, Site);
template double atomic_exchange(double*, double, const char*, Site);

template int atomic_add(int*, int, const char*, Site);
template int atomic_exchange(int*, int, const char*, Site);
template int atomic_cas(int*, int, int, const char*, Site);
template int atomic_min(int*, int, const char*, Site);
template int atomic_max(int*, int, const char*, Site);
template int atomic_and(int*, int, const char*, Site);
template int atomic_or(int*, int, const char*, Site);
template int atomic_xor(int*, int, const char*, Site);

template unsigned short atomic_cas(unsigned short*, unsigned short, unsigned short, const char*, Site);

using U = unsigned;
template U atomic_add(U*, U, const char*, Site);
template U atomic_exchange(U*, U, const char*, Site);
template U atomic_cas(U*, U, U, const char*, Site);
template U atomic_min(U*, U, const char*, Site);
template U atomic_max(U*, U, const char*, Site);
template U atomic_and(U*, U, const char*, Site);
template U atomic_or(U*, U, const char*, Site);
template U atomic_xor(U*, U, const char*, Site);

using Signed = long long;
template Signed atomic_load(const Signed*, const char*, Site);
template void atomic_store(Signed*, Signed, const char*, Site);
template Signed atomic_add(Signed*, Signed, const char*, Site);
template Signed atomic_exchange(Signed*, Signed, const char*, Site);
template Signed atomic_min(Signed*, Signed, const char*, Site);
template Signed atomic_max(Signed*, Signed, const char*, Site);
template Signed atomic_and(Signed*, Signed, const char*, Site);
template Signed atomic_or(Signed*, Signed, const char*, Site);
template Signed atomic_xor(Signed*, Signed, const char*, Site);

using Long = unsigned long long;
template Long atomic_add(Long*, Long, const char*, Site);
template Long atomic_exchange(Long*, Long, const char*, Site);
template Long atomic_cas(Long*, Long, Long, const char*, Site);
template Long atomic_min(Long*, Long, const char*, Site);
template Long atomic_max(Long*, Long, const char*, Site);
template Long atomic_and(Long*, Long, const char*, Site);
template Long atomic_or(Long*, Long, const char*, Site);
template Long atomic_xor(Long*, Long, const char*, Site);

}  // namespace cairn::emu
