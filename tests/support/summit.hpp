// The rungs that the library has for tensor cores on an H200, asked as dispatch asks them.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "kernels/ladder.hpp"

namespace cairn::test {

inline constexpr Device kH200 = {90, 132, 1980};

inline const Rung& rung_of(std::string_view id) {
  for (const Rung* rung : emulated_ladder())
    if (rung->id == id) return *rung;
  throw std::runtime_error("the ladder has no " + std::string(id));
}
inline const Rung& summit() { return rung_of("hopper/59_summit"); }
inline const Rung& small_products() { return rung_of("tensor/41_mma_small"); }

inline Choice choose(const Problem& row, int tile = kAnyTile, bool aligned = true) {
  return summit().choose({row, kH200, tile, aligned});
}

}  // namespace cairn::test
