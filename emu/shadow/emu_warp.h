// Warp collectives, which synchronize the lanes named in the mask (emu/machine/warp_collectives.cpp).
#pragma once

#include <cstring>
#include <type_traits>

#include "emu/machine/builtins.hpp"

namespace cairn::emu {

template <class T> std::uint64_t to_word(T value) {
  static_assert(sizeof(T) <= 8, "a warp exchanges values of up to 8 bytes");
  std::uint64_t word = 0;
  __builtin_memcpy(&word, &value, sizeof value);
  return word;
}

template <class T> T from_word(std::uint64_t word) {
  T value;
  __builtin_memcpy(static_cast<void*>(&value), &word, sizeof value);
  return value;
}

// The source lane of a shuffle, as PTX defines it: the warp is divided into segments of `width`, and a lane whose
// source would be outside of its segment reads its own value.
enum class Toward { index, up, down, other };
inline unsigned source_lane(Toward toward, unsigned by, int width) {
  const unsigned lane = lane_index(), size = static_cast<unsigned>(width);
  const unsigned low = lane & ~(size - 1), high = low + size - 1;
  switch (toward) {
    case Toward::index: return low | (by & (size - 1));
    case Toward::up: return lane < low + by ? lane : lane - by;
    case Toward::down: return lane + by > high ? lane : lane + by;
    case Toward::other: return (lane ^ by) > high ? lane : lane ^ by;
  }
  return lane;
}

template <class T>
T shuffle(const char* call, unsigned mask, T value, Toward toward, unsigned by, int width, Site site) {
  return from_word<T>(
      warp_exchange(WarpOp::shuffle, call, mask, to_word(value), source_lane(toward, by & 31, width), site));
}

inline unsigned ballot(const char* call, unsigned mask, int predicate, Site site) {
  return static_cast<unsigned>(warp_exchange(WarpOp::ballot, call, mask, predicate != 0 ? 1 : 0, 0, site));
}

template <class T> T reduce(WarpOp op, const char* call, unsigned mask, T value, Site site) {
  static_assert(sizeof(T) == 4);
  return from_word<T>(warp_exchange(op, call, mask, to_word(value), 0, site));
}

}  // namespace cairn::emu

inline void __syncwarp(unsigned mask = 0xffffffffu, cairn::emu::Site site = cairn::emu::Site::current()) {
  cairn::emu::warp_exchange(cairn::emu::WarpOp::sync, "__syncwarp", mask, 0, 0, site);
}

template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::shuffle("__shfl_sync", mask, value, cairn::emu::Toward::index, static_cast<unsigned>(lane),
                             width, site);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32,
                 cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::shuffle("__shfl_up_sync", mask, value, cairn::emu::Toward::up, by, width, site);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32,
                   cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::shuffle("__shfl_down_sync", mask, value, cairn::emu::Toward::down, by, width, site);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int by, int width = 32,
                  cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::shuffle("__shfl_xor_sync", mask, value, cairn::emu::Toward::other, static_cast<unsigned>(by),
                             width, site);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::ballot("__ballot_sync", mask, predicate, site);
}
inline int __any_sync(unsigned mask, int predicate, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::ballot("__any_sync", mask, predicate, site) != 0 ? 1 : 0;
}
inline int __all_sync(unsigned mask, int predicate, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::ballot("__all_sync", mask, predicate == 0 ? 1 : 0, site) == 0 ? 1 : 0;
}

// __activemask. CUDA promises only that the caller is in it, and here a lane always runs alone: code that is correct
// for every mask is correct for this one.
inline unsigned __activemask() { return 1u << cairn::emu::lane_index(); }

template <class T>
unsigned __match_any_sync(unsigned mask, T value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return static_cast<unsigned>(cairn::emu::warp_exchange(cairn::emu::WarpOp::match_any, "__match_any_sync", mask,
                                                         cairn::emu::to_word(value), 0, site));
}
template <class T>
unsigned __match_all_sync(unsigned mask, T value, int* predicate,
                          cairn::emu::Site site = cairn::emu::Site::current()) {
  const auto equal = static_cast<unsigned>(cairn::emu::warp_exchange(
      cairn::emu::WarpOp::match_all, "__match_all_sync", mask, cairn::emu::to_word(value), 0, site));
  *predicate = equal != 0 ? 1 : 0;
  return equal;
}

template <class T> T __reduce_add_sync(unsigned mask, T value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::reduce(cairn::emu::WarpOp::add, "__reduce_add_sync", mask, value, site);
}
template <class T> T __reduce_min_sync(unsigned mask, T value, cairn::emu::Site site = cairn::emu::Site::current()) {
  using cairn::emu::WarpOp;
  constexpr WarpOp op = std::is_signed_v<T> ? WarpOp::min_signed : WarpOp::min_unsigned;
  return cairn::emu::reduce(op, "__reduce_min_sync", mask, value, site);
}
template <class T> T __reduce_max_sync(unsigned mask, T value, cairn::emu::Site site = cairn::emu::Site::current()) {
  using cairn::emu::WarpOp;
  constexpr WarpOp op = std::is_signed_v<T> ? WarpOp::max_signed : WarpOp::max_unsigned;
  return cairn::emu::reduce(op, "__reduce_max_sync", mask, value, site);
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value,
                                  cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::reduce(cairn::emu::WarpOp::bit_and, "__reduce_and_sync", mask, value, site);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::reduce(cairn::emu::WarpOp::bit_or, "__reduce_or_sync", mask, value, site);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value,
                                  cairn::emu::Site site = cairn::emu::Site::current()) {
  return cairn::emu::reduce(cairn::emu::WarpOp::bit_xor, "__reduce_xor_sync", mask, value, site);
}
