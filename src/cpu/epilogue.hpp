// The epilogue of a product on the CPU, element by element: C = activation(x + bias), and the value before the
// activation where it is asked for.
#pragma once

#include <cstdint>

#include "cairn/numbers.hpp"
#include "src/call.hpp"

namespace cairn::cpu {

// Within a few units of the last place of a double. NaN stays NaN, and at minus infinity each has its limit, 0.
double activated(Activation activation, double x);

// What is added to row i and column j of a product of the batch; 0 without a bias. Exact in a double.
double bias_at(const Call& call, std::int64_t batch, std::int64_t i, std::int64_t j);

// Where the scale of a row of op(A) or column of op(B), and of a block of k, is among those of a product.
std::int64_t scale_index(const Problem& p, Scale scale, std::int64_t line, std::int64_t block);

// The scale of row i of op(A), and of column j of op(B), in a product of the batch; in blocks, for the 128 of k that
// `block` counts. 1 without one. Exact in a double.
double scale_a_at(const Call& call, std::int64_t batch, std::int64_t i, std::int64_t block = 0);
double scale_b_at(const Call& call, std::int64_t batch, std::int64_t j, std::int64_t block = 0);
bool in_blocks(Scale scale);
// What the sum of row i and column j is multiplied by besides alpha: 1 for scales in blocks, which are within the sum.
double scale_at(const Call& call, std::int64_t batch, std::int64_t i, std::int64_t j);

// Stores an element of C, and of `before`: x is alpha * scale * sum + beta * C. T is C's type; each is rounded once.
template <class T> void finish(const Call& call, std::int64_t batch, std::int64_t i, std::int64_t j, double x) {
  const Problem& p = call.problem;
  const std::int64_t at = batch * p.stride_c + i * p.ldc + j;
  x += bias_at(call, batch, i, j);
  if (p.before == Before::stored) static_cast<T*>(call.before)[at] = static_cast<T>(x);
  static_cast<T*>(call.C)[at] = static_cast<T>(activated(p.activation, x));
}

}  // namespace cairn::cpu
