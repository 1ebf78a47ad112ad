// Registers of PTX: bits, which each instruction reads as its own type.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "emu/machine/builtins.hpp"
#include "emu/shadow/emu_narrow.h"

namespace cairn::emu::ptx {

using f16 = Narrow<cairn::f16>;
using bf16 = Narrow<cairn::bf16>;
using f16x2 = NarrowPair<cairn::f16>;
using bf16x2 = NarrowPair<cairn::bf16>;

template <class T> inline constexpr bool is_integer = std::is_integral_v<T>;

// The same bits as another type. Integers of other widths are cut off or extended by what they are.
template <class To, class From> To as(From value) {
  if constexpr (is_integer<To> && is_integer<From>) {
    return static_cast<To>(value);
  } else if constexpr (sizeof(To) == sizeof(From)) {
    To to;
    __builtin_memcpy(static_cast<void*>(&to), &value, sizeof to);
    return to;
  } else {
    // A narrower number in a wider register, or the other way: the low bits.
    std::uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    To to;
    __builtin_memcpy(static_cast<void*>(&to), &bits, sizeof to);
    return to;
  }
}

template <class Register, class T> void put(Register& to, T value) { to = as<Register>(value); }

// A number of the text, for an instruction that takes a T.
template <class T, class N> constexpr T constant(N value) { return static_cast<T>(value); }

// An operand of the statement on its way in and out.
template <class Register, class T> Register in(const T& value) {
  if constexpr (std::is_pointer_v<std::decay_t<T>>) {
    const std::decay_t<const T&> address = value;
    return static_cast<Register>(reinterpret_cast<std::uintptr_t>(address));
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<Register>(value);
  } else {
    return as<Register>(value);
  }
}
template <class T, class Register> void out(T& to, Register value) {
  if constexpr (std::is_pointer_v<T>) {
    to = reinterpret_cast<T>(static_cast<std::uintptr_t>(value));
  } else if constexpr (std::is_enum_v<T>) {
    to = static_cast<T>(value);
  } else {
    to = as<std::remove_volatile_t<T>>(value);
  }
}

// Several registers of one instruction.
template <class T, int count> struct Words { T of[count]; };

template <class T> T part(auto whole, int i) {
  return static_cast<T>(as<std::uint64_t>(whole) >> (8 * static_cast<int>(sizeof(T)) * i));
}
template <class To, class T, int count> To packed(const Words<T, count>& parts) {
  std::uint64_t bits = 0;
  for (int i = 0; i < count; ++i)
    bits |= static_cast<std::uint64_t>(parts.of[i]) << (8 * static_cast<int>(sizeof(T)) * i);
  return as<To>(bits);
}

// Addresses: an offset in the running block's shared window, or any other.
struct Shared {
  std::uint64_t offset;
};
struct Pointer {
  void* address;
};
inline Shared shared_at(std::uint64_t offset) { return {offset}; }
inline Pointer pointer(std::uint64_t address) { return {reinterpret_cast<void*>(address)}; }

// Where `bytes` bytes at this offset are. Fails if they are in no shared array; find() gives null then.
void* shared_pointer(Shared at, std::size_t bytes, const char* call, Site site);
void* find(Shared at, std::size_t bytes);
inline void* where(Shared at, std::size_t bytes, const char* call, Site site) {
  return shared_pointer(at, bytes, call, site);
}
inline void* where(Pointer at, std::size_t, const char*, Site) { return at.address; }

std::uint64_t offset_of(std::uint64_t generic);
std::uint64_t generic(std::uint64_t offset);

// Ends the launch with this sentence.
[[noreturn]] void refuse(const char* call, const char* why, Site site);

// Special registers.
inline uint3 thread() { return thread_index(); }
inline dim3 threads() { return block_extent(); }
inline uint3 block() { return block_index(); }
inline dim3 blocks() { return grid_extent(); }
inline std::uint64_t ticks() { return emu::ticks(); }
inline unsigned lane() { return lane_index(); }
inline unsigned lanes_equal() { return 1u << lane(); }
inline unsigned lanes_below() { return lanes_equal() - 1; }
inline unsigned lanes_up_to() { return lanes_below() | lanes_equal(); }
inline unsigned lanes_above() { return ~lanes_up_to(); }
inline unsigned lanes_from() { return ~lanes_below(); }
inline unsigned warp() {
  const uint3 at = thread_index();
  const dim3 size = block_extent();
  return (at.x + size.x * (at.y + size.y * at.z)) / 32;
}
inline unsigned warps() {
  const dim3 size = block_extent();
  return (size.x * size.y * size.z + 31) / 32;
}
// A block is on the multiprocessor that its number modulo theirs says.
unsigned multiprocessors();
inline unsigned multiprocessor() {
  const uint3 at = block_index();
  const dim3 size = grid_extent();
  return (at.x + size.x * (at.y + size.y * at.z)) % multiprocessors();
}

}  // namespace cairn::emu::ptx
