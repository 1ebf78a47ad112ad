// How far a right result may be from the exact one: docs/numerics.md has the derivations.
#pragma once

#include "cairn/types.hpp"

namespace cairn::lab::verify {

struct Bound {
  double expected = 0;  // grows with the square root of k, as rounding errors do in practice
  double rigorous = 0;  // grows with k, as no sum of roundings can exceed
};

// The bounds of one problem, for elements whose exact value is `exact` and whose terms add up to `magnitude` in
// absolute value.
//
//   |C - exact| <= 8 sqrt(k) u magnitude + u_out |exact| + eta        expected
//   |C - exact| <= gamma(k + 2) magnitude + u_out |exact| + eta       rigorous, gamma(n) = n u / (1 - n u)
//
// u is the accumulator's unit roundoff, u_out the output's, eta what underflow may cost. For f16, bf16 and tf32,
// which tensor cores multiply, the first has (k / 8) 2u magnitude more (k / 4 for tf32), and the second 2u for u.
// Split products, and those of e4m3, have those of f32 and a constant more, whatever k is; of e4m3 that is fast it
// grows with k.
//
// Tensor cores take a factor below smallest_factor() for as large as that when they align products. `excess` is by
// how much the terms' sum is larger then, and what is cut off because of it is in both bounds.
class Bounds {
 public:
  Bounds(const Problem& problem, double alpha);
  Bound at(double magnitude, double exact, double excess = 0) const;

 private:
  double out_unit_, underflow_;
  double expected_, rigorous_;  // of the magnitude
  double products_ = 0;         // of the magnitude too, and at most all of it
  double inputs_ = 0;           // of the magnitude with the excess
  double all_cut_ = 0;          // of the excess: what all terms of an instruction lose
  double products_cut_ = 0;     // and its products alone
};

// For one element alone.
Bound bound(const Problem& problem, double alpha, double magnitude, double exact, double excess = 0);

// The smallest factor that tensor cores align by its own exponent and, if they are given it rounded, that is rounded
// relative to its size. 0 where the bounds do not ask.
double smallest_factor(const Problem& problem);

}  // namespace cairn::lab::verify
