// Verification where the oracle would take minutes: products above 2^31 multiply-adds.
//
// Exact data: Freivalds' check. For a vector x, C x must equal alpha op(A) (op(B) x) + beta C0 x, which costs three
// matrix-vector products instead of a matrix product, and every element of C has its part in it. All numbers are
// integers (or halves) that doubles hold exactly, so the two sides are equal or C is wrong. A row with one wrong
// element is always seen; a row with several escapes one random x with a chance of 2^-12, and two are drawn.
//
// Real data, and epilogues: every element of some rows, drawn from the seed, against its bound.
#pragma once

#include <cstddef>

#include "lab/verify/judge.hpp"

namespace cairn::lab::verify {

// Of all products of a batch.
double multiply_adds(const Problem& problem);
bool is_large(const Problem& problem);

// As judge_elements(), for a large problem.
Verdict judge_large(const Case& test, const Call& row, const Found& found);

// The first row of C whose checksum is wrong, or -1: one product, exact data, x drawn from `seed`. For any size; the
// judge uses it for large ones.
std::int64_t first_wrong_row(const Call& one, const std::byte* found, std::uint64_t seed);

}  // namespace cairn::lab::verify
