// Converts between row-major and column-major calls, without moving data. No other file does.
//
// Take a row-major X with r rows and c columns: element (i, j) is at X[i * ld + j]. If the same memory is read as
// column-major, element (i, j) is at X[j * ld + i]. The two agree if i and j are exchanged, so
//
//     the memory of a row-major X, read as column-major with the same ld, is X transposed.
//
// Now transpose both sides of the product:
//
//     C = op(A) · op(B)    ⇔    Cᵀ = op(B)ᵀ · op(A)ᵀ
//
// To a column-major GEMM, a row-major caller's memory holds Aᵀ, Bᵀ and Cᵀ. Called with Bᵀ and Aᵀ, in that order, it
// writes Cᵀ, which is the caller's row-major C. Each op stays with its matrix, since (op(B))ᵀ = op(Bᵀ); each ld,
// stride and pointer stays with its matrix too. Only the order of the factors changes, and m and n are exchanged.
// The same exchange turns a column-major call into a row-major one, so one function serves both directions.
//
// What ld means. It is the distance, in elements, from one line (row or column) to the next *in memory*, whatever
// op is. It belongs to the allocation, not to the product: for the 2 x 3 sub-matrix that
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

// The strides of what the problem does not have, which may be anything, become 0.
Problem with_used_strides(Problem problem);

Problem to_row(const Problem& problem);
Call to_row(const Call& call);
Call to_column(const Call& call);

}  // namespace cairn::dispatch
