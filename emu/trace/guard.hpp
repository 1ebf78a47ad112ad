// In a whole program a word of known value, the guard, lies above the local arrays of every function (local_arrays.cpp).
#pragma once

#include <cstdint>

namespace cairn::emu {

constexpr std::uint64_t kGuard = 0x5ca1ab1e0ddba115;

[[gnu::always_inline]] inline bool touches_guard(std::uintptr_t address, unsigned bytes) {
  const auto* word = reinterpret_cast<const std::uint64_t*>(address & ~std::uintptr_t{7});
  return word[0] == kGuard || (bytes > 8 && word[1] == kGuard);
}

}  // namespace cairn::emu
