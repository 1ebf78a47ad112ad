// CUDA's atomics, as calls: the bodies are in emu/machine/atomics.cpp.
#pragma once

#include "emu/machine/atomics.hpp"

inline int atomicAdd(int* address, int value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_add(address, value, "atomicAdd", site);
}
inline unsigned atomicAdd(unsigned* address, unsigned value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_add(address, value, "atomicAdd", site);
}
inline unsigned long long atomicAdd(unsigned long long* address, unsigned long long value,
                                    cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_add(address, value, "atomicAdd", site);
}
inline float atomicAdd(float* address, float value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_add(address, value, "atomicAdd", site);
}
inline double atomicAdd(double* address, double value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_add(address, value, "atomicAdd", site);
}

inline int atomicExch(int* address, int value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_exchange(address, value, "atomicExch", site);
}
inline unsigned atomicExch(unsigned* address, unsigned value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_exchange(address, value, "atomicExch", site);
}
inline unsigned long long atomicExch(unsigned long long* address, unsigned long long value,
                                     cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_exchange(address, value, "atomicExch", site);
}
inline float atomicExch(float* address, float value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_exchange(address, value, "atomicExch", site);
}

inline int atomicMin(int* address, int value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_min(address, value, "atomicMin", site);
}
inline unsigned atomicMin(unsigned* address, unsigned value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_min(address, value, "atomicMin", site);
}
inline unsigned long long atomicMin(unsigned long long* address, unsigned long long value,
                                    cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_min(address, value, "atomicMin", site);
}

inline int atomicMax(int* address, int value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_max(address, value, "atomicMax", site);
}
inline unsigned atomicMax(unsigned* address, unsigned value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_max(address, value, "atomicMax", site);
}
inline unsigned long long atomicMax(unsigned long long* address, unsigned long long value,
                                    cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_max(address, value, "atomicMax", site);
}
inline long long atomicMin(long long* address, long long value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_min(address, value, "atomicMin", site);
}
inline long long atomicMax(long long* address, long long value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_max(address, value, "atomicMax", site);
}

inline int atomicAnd(int* address, int value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_and(address, value, "atomicAnd", site);
}
inline unsigned atomicAnd(unsigned* address, unsigned value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_and(address, value, "atomicAnd", site);
}
inline unsigned long long atomicAnd(unsigned long long* address, unsigned long long value,
                                    cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_and(address, value, "atomicAnd", site);
}

inline int atomicOr(int* address, int value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_or(address, value, "atomicOr", site);
}
inline unsigned atomicOr(unsigned* address, unsigned value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_or(address, value, "atomicOr", site);
}
inline unsigned long long atomicOr(unsigned long long* address, unsigned long long value,
                                   cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_or(address, value, "atomicOr", site);
}

inline int atomicXor(int* address, int value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_xor(address, value, "atomicXor", site);
}
inline unsigned atomicXor(unsigned* address, unsigned value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_xor(address, value, "atomicXor", site);
}
inline unsigned long long atomicXor(unsigned long long* address, unsigned long long value,
                                    cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_xor(address, value, "atomicXor", site);
}

inline int atomicSub(int* address, int value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_add(address, static_cast<int>(0u - static_cast<unsigned>(value)), "atomicSub", site);
}
inline unsigned atomicSub(unsigned* address, unsigned value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_add(address, static_cast<unsigned>(0u - static_cast<unsigned>(value)), "atomicSub", site);
}

inline unsigned atomicInc(unsigned* address, unsigned most, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_inc(address, most, "atomicInc", site);
}
inline unsigned atomicDec(unsigned* address, unsigned most, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_dec(address, most, "atomicDec", site);
}

inline int atomicCAS(int* address, int expected, int value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_cas(address, expected, value, "atomicCAS", site);
}
inline unsigned atomicCAS(unsigned* address, unsigned expected, unsigned value,
                          cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_cas(address, expected, value, "atomicCAS", site);
}
inline unsigned long long atomicCAS(unsigned long long* address, unsigned long long expected,
                                    unsigned long long value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_cas(address, expected, value, "atomicCAS", site);
}
inline unsigned short atomicCAS(unsigned short* address, unsigned short expected, unsigned short value,
                                cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::atomic_cas(address, expected, value, "atomicCAS", site);
}

// Vectors are added member by member, and each sum is an atomic of its own: so PTX defines it too.
inline float2 atomicAdd(float2* address, float2 value, cairn::emu::Site site = cairn::emu::Site::current()) {
  const float x = atomicAdd(&address->x, value.x, site);
  return {x, atomicAdd(&address->y, value.y, site)};
}
inline float4 atomicAdd(float4* address, float4 value, cairn::emu::Site site = cairn::emu::Site::current()) {
  const float x = atomicAdd(&address->x, value.x, site), y = atomicAdd(&address->y, value.y, site);
  const float z = atomicAdd(&address->z, value.z, site);
  return {x, y, z, atomicAdd(&address->w, value.w, site)};
}

// Of the scope of a block or of the system: all are atomic for everyone here.
#define CAIRN_SCOPED(name, scope)                                                            \
  template <class T, class V>                                                                \
  auto name##scope(T* address, V value, cairn::emu::Site site = cairn::emu::Site::current()) \
      ->decltype(name(address, value, site)) {                                               \
    return name(address, value, site);                                                       \
  }
#define CAIRN_SCOPED_ALL(scope)                                                                               \
  CAIRN_SCOPED(atomicAdd, scope)                                                                              \
  CAIRN_SCOPED(atomicSub, scope)                                                                              \
  CAIRN_SCOPED(atomicExch, scope)                                                                             \
  CAIRN_SCOPED(atomicMin, scope)                                                                              \
  CAIRN_SCOPED(atomicMax, scope)                                                                              \
  CAIRN_SCOPED(atomicAnd, scope)                                                                              \
  CAIRN_SCOPED(atomicOr, scope)                                                                               \
  CAIRN_SCOPED(atomicXor, scope)                                                                              \
  CAIRN_SCOPED(atomicInc, scope)                                                                              \
  CAIRN_SCOPED(atomicDec, scope)                                                                              \
  template <class T, class V, class W>                                                                        \
  auto atomicCAS##scope(T* address, V expected, W value, cairn::emu::Site site = cairn::emu::Site::current()) \
      ->decltype(atomicCAS(address, expected, value, site)) {                                                 \
    return atomicCAS(address, expected, value, site);                                                         \
  }
CAIRN_SCOPED_ALL(_block)
CAIRN_SCOPED_ALL(_system)
#undef CAIRN_SCOPED_ALL
#undef CAIRN_SCOPED
