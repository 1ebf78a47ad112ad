// The judge: the verdict on what a contender left in memory, from the oracle's C and the error bound.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/types.hpp"
#include "lab/verify/bound.hpp"
#include "lab/verify/case.hpp"
#include "lab/verify/data.hpp"
#include "lab/verify/oracle.hpp"
#include "src/call.hpp"
#include "src/cpu/double_double.hpp"

namespace cairn::lab::verify {

enum class Outcome : std::uint8_t { passed, refused, failed };

struct Verdict {
  Outcome outcome = Outcome::passed;
  std::string what;     // of a failure: the first wrong element or the broken rule; of a refusal: the reason
  double ratio = 0;     // rounding mode: largest error / bound
  double rigorous = 0;  // and largest error / worst-case bound
};

// Of two that passed: the larger errors.
Verdict worse(const Verdict& a, const Verdict& b);

// One element in rounding mode. Both directions must hold: NaN exactly where the exact result is NaN, infinity only
// where the exact result, or one within the bound of it, is past the output's largest value. `ratio` grows to the
// largest error / bound seen.
bool close_enough(double found, cpu::DoubleDouble exact, double bound, Type out, double& ratio);

// Where a contender left its C and, if the problem asks for them, the values before the activation.
struct Found {
  const std::byte* C;
  const std::byte* before = nullptr;
};

// Judges every element of a row-major call that points into the data before the run. An empty oracle is computed first,
// and can be used again for other contenders on the same data.
Verdict judge_elements(const Case& test, const Call& row, const Found& found, Oracle& oracle);

// Judges a run: `before` is what the contender was given, `after` what it left.
Verdict judge(const Case& test, const Data& before, const Data& after, Oracle& oracle);

}  // namespace cairn::lab::verify
