// The errors of one way of multiplying, against products in double-double arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/contender.hpp"
#include "lab/experiments/precision_findings.hpp"
#include "lab/experiments/precision_numbers.hpp"
#include "lab/shapes.hpp"

namespace cairn::lab {

// What was drawn for one K, and those rows of its product that are compared, evenly spread.
struct Drawn {
  Factors factors;
  std::int64_t rows = 0;
  std::vector<double> exact, magnitude;  // A B and the sums of |a||b|
  double norm = 0;
};
Drawn draw_and_multiply(const Numbers& numbers, const Shape& shape, std::int64_t rows, std::uint64_t seed);

// Numbers as a problem stores them, and as it multiplies them, which are the same bytes where there is no second list.
struct Operand {
  std::vector<std::byte> stored, rounded;
  bool finite = true;  // f16 does not reach all that f32 does

  const std::byte* multiplied() const { return rounded.empty() ? stored.data() : rounded.data(); }
};

// A and B for the problems of one type, and the product of what they multiply.
struct Stored {
  Type in;
  bool tf32;
  Operand A, B;
  std::vector<double> product;  // where factors are rounded

  bool serves(const Problem& p) const { return p.in == in && (p.compute == Compute::tf32) == tf32; }
  bool finite() const { return A.finite && B.finite; }
};
Stored store(const Problem& p, const Drawn& drawn);

// Runs the contender. The result has no names yet.
Erring measure_errors(Contender& contender, const Problem& p, const Drawn& drawn, const Stored& stored);

}  // namespace cairn::lab
