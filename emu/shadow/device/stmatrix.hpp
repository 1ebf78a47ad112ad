// The emulator's version of device/stmatrix.hpp.
#pragma once

#include "emu/machine/builtins.hpp"

namespace cairn {

template <int count>
inline void store_matrices(void* row, const std::uint32_t (&from)[count], emu::Site site = emu::Site::current()) {
  static_assert(count == 1 || count == 2 || count == 4, "stmatrix stores 1, 2 or 4 matrices");
  emu::warp_stmatrix(row, from, count, false, "store_matrices", site);
}

template <int count>
inline void store_transposed(void* row, const std::uint32_t (&from)[count], emu::Site site = emu::Site::current()) {
  static_assert(count == 1 || count == 2 || count == 4, "stmatrix stores 1, 2 or 4 matrices");
  emu::warp_stmatrix(row, from, count, true, "store_transposed", site);
}

}  // namespace cairn
