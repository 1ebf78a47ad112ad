// The one place where row-major and column-major meet.
//
// A matrix in memory is a run of numbers and a promise about how to walk it. Take X with r rows and c columns,
// row-major: element (i, j) stands at X[i * ld + j]. Read the same memory as column-major: element (i, j) of
// what one sees stands at X[j * ld + i]. The two walks agree if i and j change places, so
//
//     the memory of a row-major X, read as column-major with the same ld, is X transposed.
//
// Nothing moves; only the reading changes. Now transpose both sides of the product:
//
//     C = op(A) · op(B)    ⇔    Cᵀ = op(B)ᵀ · op(A)ᵀ
//
// A row-major caller's memory, seen by a column-major multiplier, holds Aᵀ, Bᵀ and Cᵀ. Ask that multiplier for
// the product of Bᵀ and Aᵀ, in that order, and it writes Cᵀ, which is the caller's row-major C. Each op stays
// with its matrix, since (op(B))ᵀ = op(Bᵀ); each ld, stride and pointer stays with its matrix too. What changes
// is the order of the factors, and m and n. Reading it the other way turns a column-major call into a
// row-major one by the very same exchange, so one function serves both directions.
//
// What ld means. It is the distance, in elements, from one line (row or column) to the next *in memory*, and
// memory knows nothing of op. It belongs to the allocation, not to the product: for the 2 x 3 sub-matrix that
// starts at (1, 2) of a row-major 10 x 20 matrix, ld is 20 and the pointer is X + 1 * 20 + 2. For C = A · Bᵀ,
// row-major, with B stored n x k, the smallest legal ldb is k, the length of a stored row; n is a bug that
// square matrices hide.
//
// Everything below this file (backends, kernels) is row-major only. The baselines that call a column-major BLAS
// use to_column().
#pragma once

#include "src/call.hpp"

namespace cairn::dispatch {

// The same product seen in the other order: A and B, m and n change places; memory is untouched.
// An involution: flipped(flipped(x)) is x.
Problem flipped(const Problem& problem);
Call flipped(const Call& call);

// Kernels take alpha and beta in the type they accumulate in. Rounding them here, once, makes every backend see the
// same numbers, and makes "beta = 0" one decision: a beta that rounds to 0 does not read C.
inline double rounded_scalar(double scalar, Type in) {
  return accumulator(in) == Type::f64 ? scalar : static_cast<double>(static_cast<float>(scalar));
}
Call with_rounded_scalars(const Call& call);

Problem to_row(const Problem& problem);
Call to_row(const Call& call);
Call to_column(const Call& call);

}  // namespace cairn::dispatch
