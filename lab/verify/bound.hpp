// How far a correct result may be from the exact one; docs/numerics.md has the derivations.
#pragma once

#include <string_view>

#include "cairn/types.hpp"

namespace cairn::lab::verify {

struct Bound {
  double expected = 0;  // grows with the square root of k, as rounding errors do in practice
  double rigorous = 0;  // grows with k; no order of summation can exceed it
};

// The bounds of one problem, for elements whose exact value is `exact` and whose terms add up to `magnitude` in
// absolute value.
//
//   |C - exact| <= 8 sqrt(k) u magnitude + u_out |exact| + eta        expected
//   |C - exact| <= gamma(k + 2) magnitude + u_out |exact| + eta       rigorous, gamma(n) = n u / (1 - n u)
//
// The 2 are alpha and beta; a bias adds 1 to them, and scales add 2.
//
// u is the accumulator's unit roundoff, u_out the output's, eta the error of underflow. For f16, bf16 and tf32, which
// run on tensor cores, the first has a further term (k / 8) 2u magnitude (k / 4 for tf32), and the second 2u for u.
// Split and e4m3 have the bounds of f32 and a further term that does not depend on k, except for e4m3 with
// Compute::fast, where it grows with k.
//
// When tensor cores align products, they treat a factor below smallest_factor() as if it were that large. `excess` is
// by how much this increases the sum of the terms; both bounds include what is truncated because of it.
class Bounds {
 public:
  Bounds(const Problem& problem, double alpha);  // times the largest scales, if there are any
  Bound at(double magnitude, double exact, double excess = 0) const;
  // After the problem's activation: `before` is the exact value that it is applied to, `after` what it makes of it.
  //
  //   slope * (error of the sum) + 12 u |before| + u_out |after| + eta
  //
  // slope is the largest of the function's derivative; relu computes nothing, and the 12 u are not for it.
  Bound activated(double magnitude, double before, double after, double excess = 0) const;

 private:
  Bound of_sums(double magnitude, double excess) const;  // before anything is rounded to C's type
  Activation activation_;
  double acc_unit_;
  double out_unit_, underflow_;
  double expected_, rigorous_;  // times the magnitude
  double products_ = 0;         // times the magnitude, but at most all of it: what truncated e4m3 products lose
  double inputs_ = 0;           // times the magnitude with the excess: rounding of the factors
  double all_cut_ = 0;          // times the excess: what all terms of an instruction lose
  double products_cut_ = 0;     // times the excess: what its products alone lose
};

// For one element alone.
Bound bound(const Problem& problem, double alpha, double magnitude, double exact, double excess = 0);

// The smallest factor that tensor cores align by its own exponent and, if they are given it rounded, that is rounded
// relative to its size. 0 where the bounds do not ask.
double smallest_factor(const Problem& problem);

// Whether a contender holds the bounds with no excess: rungs that scale rows and columns before they split them have no
// small factors.
bool scales_factors(std::string_view contender, const Problem& problem);

}  // namespace cairn::lab::verify
