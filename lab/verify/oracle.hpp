// What C must be, and what its terms add up to: the oracle that the judge holds results against.
#pragma once

#include <vector>

#include "lab/verify/case.hpp"
#include "src/call.hpp"

namespace cairn::lab::verify {

// One number for each element of C, in dense rows, one product of a batch after the other.
struct Oracle {
  std::vector<double> hi, lo;     // alpha * op(A) * op(B) + beta * C, as their sum
  std::vector<double> magnitude;  // |alpha| * |op(A)| * |op(B)| + |beta| * |C|; not of exact data
  std::vector<double> excess;     // how much more Bounds count for small factors; nothing where there are none
  double unit = 0;                // what the oracle itself may be off, as a share of the magnitude
};

// For a row-major call that points into the data before the run.
//
// f64 takes sums of twice double's precision (cpu::exact). All else is narrower: its products are exact in a double,
// and a sum of k of them is off by (k + 4) 2^-53 of the magnitude at the most, a share of the bounds of 2^-32 sqrt(k)
// or less, which the judge takes off them. Exact data are small integers, and their sums have no error in a double.
Oracle oracle_of(const Case& test, const Call& row);

}  // namespace cairn::lab::verify
