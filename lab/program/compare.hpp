// `cairn run --compare A,B`: what was asked for, and whether the two kernels agree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emu/program/wire.hpp"
#include "lab/program/run.hpp"

namespace cairn::lab::program {

// "tile<float, 32>,reference": two kernels; a comma between <> is part of a name. `type` is that of elements, or bytes,
// or empty. Throws Error (kUsage).
Compare parse_compare(const std::string& kernels, const std::string& type);

// How far apart two right results may be, as a part of the largest magnitude of what the first kernel wrote. Reals: two
// results that are each rounded once to a narrow type are next to each other, one unit in the last place apart; and sums
// of up to 2^20 products in different orders are apart by the square root of their number times the rounding of an
// accumulator. Whole numbers must be equal.
double default_tolerance(emu::program::Element type);

// The largest error as a part of the largest magnitude; infinite if there is an error and the first kernel wrote zeros.
double relative(const emu::program::Difference& found);

// What was seen, judged by a tolerance.
struct Judged {
  emu::program::Comparison seen;
  double tolerance = 0;

  bool agree(const emu::program::Difference& found) const;
  bool agree(const emu::program::Pair& pair) const;  // false too if nothing was compared
  bool agree() const;
};

// Throws Error (kUsage) if one of the names is no kernel's that was launched, or that of several; or if no launch of the
// second kernel came after one of the first. `launched` is the names of all kernels that were.
Judged judge(const Compare& asked, const emu::program::Comparison& seen, std::optional<double> tolerance,
             const std::vector<std::string>& launched);

}  // namespace cairn::lab::program
