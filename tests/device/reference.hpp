// What the operations must give, worked out without the emulator and without device/fragment.hpp: the maps are
// written down once more, from the PTX manual and (those of wmma) from the machine code that nvcc 13.0 makes for
// sm_90.
#pragma once

#include <vector>

#include "tests/device/ops.hpp"

namespace cairn::device_ops {

using Bytes = std::vector<unsigned char>;

fragment::Place manual_place(const Kind& kind, Operand operand, int lane, int i);

enum class Rounding {
  wide,      // in double, in the order of k, and rounded once
  faithful,  // as Hopper, by whole numbers: a subnormal has the exponent of the smallest normal number
  // The same, but for
  normalised,  // subnormals, which have the exponent of their leading bit
  zeros        // zeros, which have that of the smallest normal number too, and none in the others
};

Bytes expected(const Op& op, int tiles, const Bytes& in, Rounding rounding);

// For the sums of What::mma, What::wmma and What::wgmma, in the order of the output: how far two ways to add up may
// be apart that both align all terms to the largest, keep at least 24 bits behind its point (of e4m3 13), and round
// at most twice to the type of the result, in any direction.
std::vector<double> slack(const Op& op, int tiles, const Bytes& in);

}  // namespace cairn::device_ops
