// The emulator's version of device/ldmatrix.hpp.
#pragma once

#include "emu/machine/builtins.hpp"

namespace cairn {

template <int count>
inline void load_matrices(std::uint32_t (&to)[count], const void* row, emu::Site site = emu::Site::current()) {
  static_assert(count == 1 || count == 2 || count == 4, "ldmatrix loads 1, 2 or 4 matrices");
  emu::warp_ldmatrix(to, row, count, false, "load_matrices", site);
}

template <int count>
inline void load_transposed(std::uint32_t (&to)[count], const void* row, emu::Site site = emu::Site::current()) {
  static_assert(count == 1 || count == 2 || count == 4, "ldmatrix loads 1, 2 or 4 matrices");
  emu::warp_ldmatrix(to, row, count, true, "load_transposed", site);
}

}  // namespace cairn
