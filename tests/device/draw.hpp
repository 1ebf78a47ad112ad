// Numbers for the operations to work on.
#pragma once

#include <cstdint>

#include "tests/device/reference.hpp"

namespace cairn::device_ops {

// What the tiles hold.
enum class Data {
  bits,      // any, to be moved
  integers,  // small ones, whose sums are exact
  near_one,  // within a few powers of two
  finite,    // any numbers
  special,   // zeros, infinities, NaNs and the ends of the range among them
  subnormal  // three factors of four subnormal, of all sizes, or zero; sums as large as single products
};
const char* name(Data data);

Bytes draw_tiles(const Op& op, int tiles, Data data, std::uint64_t seed);

}  // namespace cairn::device_ops
