// How many neighbours of a matrix can be accessed at once.
#pragma once

#include <cstdint>

namespace cairn {

// Elements of `size` bytes that can be accessed at once, in every line of every product: those of 16 bytes, of 8, or one.
inline int copy_unit(std::int64_t size, const void* matrix, std::int64_t ld, std::int64_t stride) {
  for (const std::int64_t bytes : {16, 8}) {
    const bool begins = reinterpret_cast<std::uintptr_t>(matrix) % static_cast<std::uintptr_t>(bytes) == 0;
    const std::int64_t unit = bytes / size;
    if (begins && ld % unit == 0 && stride % unit == 0) return static_cast<int>(unit);
  }
  return 1;
}

}  // namespace cairn
