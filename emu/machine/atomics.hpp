// Atomic operations on memory that other blocks, on other OS threads, may access at the same time. Each lets the
// other threads of the block run, because a kernel may poll with it.
#pragma once

#include "emu/machine/builtins.hpp"

namespace cairn::emu {

// T is int, unsigned, long long, unsigned long long, float or double for load, store, add and exchange; one of the integers
// otherwise, and for compare-and-swap unsigned short too, and not long long.
// All but the store return the old value.
template <class T> T atomic_load(const T* address, const char* call, Site site);
template <class T> void atomic_store(T* address, T value, const char* call, Site site);
template <class T> T atomic_add(T* address, T value, const char* call, Site site);
template <class T> T atomic_exchange(T* address, T value, const char* call, Site site);
template <class T> T atomic_cas(T* address, T expected, T value, const char* call, Site site);
template <class T> T atomic_min(T* address, T value, const char* call, Site site);
template <class T> T atomic_max(T* address, T value, const char* call, Site site);
template <class T> T atomic_and(T* address, T value, const char* call, Site site);
template <class T> T atomic_or(T* address, T value, const char* call, Site site);
template <class T> T atomic_xor(T* address, T value, const char* call, Site site);

// atomicInc: (old >= most) ? 0 : old + 1. atomicDec: (old == 0 || old > most) ? most : old - 1.
unsigned atomic_inc(unsigned* address, unsigned most, const char* call, Site site);
unsigned atomic_dec(unsigned* address, unsigned most, const char* call, Site site);

// Compare-and-swap that does not let other threads run: shadow/emu_atomic.h builds atomics of narrower types from it.
unsigned short compare_and_swap(unsigned short* address, unsigned short expected, unsigned short value);
unsigned compare_and_swap(unsigned* address, unsigned expected, unsigned value);

}  // namespace cairn::emu
