// Atomic operations on memory that other blocks, on other OS threads, may touch at the same time. Each lets the other
// threads of the block run: a kernel that polls polls with one of these.
#pragma once

#include "emu/machine/builtins.hpp"

namespace cairn::emu {

// T is int, unsigned, unsigned long long, float or double for load, add and exchange; one of the integers otherwise.
// All give what was there before.
template <class T> T atomic_load(const T* address, const char* call, Site site);
template <class T> T atomic_add(T* address, T value, const char* call, Site site);
template <class T> T atomic_exchange(T* address, T value, const char* call, Site site);
template <class T> T atomic_cas(T* address, T expected, T value, const char* call, Site site);
template <class T> T atomic_min(T* address, T value, const char* call, Site site);
template <class T> T atomic_max(T* address, T value, const char* call, Site site);
template <class T> T atomic_and(T* address, T value, const char* call, Site site);
template <class T> T atomic_or(T* address, T value, const char* call, Site site);
template <class T> T atomic_xor(T* address, T value, const char* call, Site site);

// Up by one, but from `most` on to 0; down by one, but from 0 and from above `most` to `most`.
unsigned atomic_inc(unsigned* address, unsigned most, const char* call, Site site);
unsigned atomic_dec(unsigned* address, unsigned most, const char* call, Site site);

// Not to be seen half done, and without letting anyone run in between: the pieces of the above for narrower types.
unsigned short swap_if(unsigned short* address, unsigned short expected, unsigned short value);
unsigned swap_if(unsigned* address, unsigned expected, unsigned value);

}  // namespace cairn::emu
