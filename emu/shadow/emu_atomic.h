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
