// The judge: what C must be, how far a right answer may be from it, and the verdict on what was found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/types.hpp"
#include "lab/verify/case.hpp"
#include "lab/verify/data.hpp"
#include "src/call.hpp"
#include "src/cpu/wide.hpp"

namespace cairn::lab::verify {

enum class Outcome : std::uint8_t { passed, refused, failed };

struct Verdict {
  Outcome outcome = Outcome::passed;
  std::string what;     // of a failure: the first wrong element or the broken rule; of a refusal: the reason
  double ratio = 0;     // rounding mode: largest error / bound
  double rigorous = 0;  // and largest error / worst-case bound
};

// How far a right result may be from the exact one.
struct Bound {
  double expected = 0;  // grows with the square root of k, as rounding errors do in practice
  double rigorous = 0;  // grows with k, as no sum of roundings can exceed
};

// For an element whose exact value is `exact` and whose terms add up to `magnitude` in absolute value.
//
//   |C - exact| <= 8 sqrt(k) u magnitude + u_out |exact| + eta        expected
//   |C - exact| <= gamma(k + 2) magnitude + u_out |exact| + eta       rigorous, gamma(n) = n u / (1 - n u)
//
// u is the accumulator's unit roundoff, u_out the output's, eta what underflow may cost. For f16, bf16 and tf32,
// which tensor cores multiply, the first has (k / 8) 2u magnitude more (k / 4 for tf32), and the second 2u for u.
// Split products, and those of e4m3, have those of f32 and a constant more, whatever k is; of e4m3 that is fast it
// grows with k: docs/numerics.md.
Bound bound(const Problem& problem, double alpha, double magnitude, double exact);

// One element in rounding mode. Both directions must hold: NaN exactly where the exact result is NaN, infinity only
// where the exact result, or one within the bound of it, is past the output's largest value. `ratio` grows to the
// largest error / bound seen.
bool close_enough(double found, cpu::Wide exact, double bound, Type out, double& ratio);

// What the elements of C must be, one after the other, and what their terms add up to. Nothing until the first
// judgement works it out; those of other contenders on the same data take it as it is.
struct Truth {
  std::vector<double> hi, lo, magnitude;
};

// Judges every element of a row-major call that points into the data before the run; `found` is where the contender
// left its C.
Verdict judge_elements(const Case& test, const Call& row, const std::byte* found, Truth& truth);

// Judges a run: `before` is what the contender was given, `after` what it left.
Verdict judge(const Case& test, const Data& before, const Data& after, Truth& truth);

}  // namespace cairn::lab::verify
