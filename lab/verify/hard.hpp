// Finite numbers that are hard to multiply by anything but f32 multiply-adds, for Compute::split: whole rows of op(A) and
// columns of op(B) that are very small or large, elements of a row far apart, subnormals, products that cancel.
#pragma once

#include <cstdint>
#include <span>

#include "lab/random.hpp"
#include "lab/verify/case.hpp"

namespace cairn::lab::verify {

// Half of the seeds draw such numbers where data are not exact.
inline bool is_hard(const Case& test) {
  return test.problem.compute == Compute::split && test.mode != Mode::exact && (test.seed >> 5 & 1) == 0;
}

// What the lines of one case are like. A line is a row of op(A) or a column of op(B).
class Hard {
 public:
  explicit Hard(const Case& test);
  // All k elements of a line, which are f32.
  void draw(Random& random, bool of_b, std::span<double> line) const;

 private:
  int top_a_, top_b_;      // exponents of the largest elements there may be
  int percent_;            // of lines whose elements are not of one size
  std::int64_t distance_;  // along k, of two products that cancel; 0 if none do
};

}  // namespace cairn::lab::verify
