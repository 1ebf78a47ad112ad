// The oracle: what C must be, and the magnitudes that error bounds are relative to.
#pragma once

#include <vector>

#include "lab/verify/case.hpp"
#include "src/call.hpp"

namespace cairn::lab::verify {

// One number for each element of C, in dense rows, one product of a batch after the other.
struct Oracle {
  std::vector<double> hi, lo;     // alpha * op(A) * op(B) + beta * C + bias, before any activation, as their sum
  std::vector<double> magnitude;  // |alpha| * |op(A)| * |op(B)| + |beta| * |C| + |bias|; not of exact data
  std::vector<double> excess;     // D of docs/numerics.md: what Bounds add for subnormal factors; empty without any
  double unit = 0;                // the oracle's own error, at most this much of the magnitude
};

// For a row-major call that points into the data before the run.
//
// f64 uses double-double sums (cpu::exact). Products of narrower types are exact in a double, and the error of a sum
// of k of them is at most (k + 5) 2^-53 of the magnitude: at most 2^-32 sqrt(k) of the bounds, by which the judge
// reduces them. Exact data are small integers, whose sums have no error in a double.
Oracle oracle_of(const Case& test, const Call& row);

}  // namespace cairn::lab::verify
