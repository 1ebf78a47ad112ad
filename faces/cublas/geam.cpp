// cublasSgeam: sums and transposes of matrices.
#include <algorithm>

#include "faces/cublas/vectors.hpp"

namespace cairn::cublas {
namespace {

template <class T> struct Term {
  T factor;
  const T* matrix;
  std::int64_t row_step, col_step;

  Term(T scalar, const T* data, cublasOperation_t op, std::int64_t ld)
      : factor(scalar), matrix(data), row_step(op == CUBLAS_OP_N ? 1 : ld), col_step(op == CUBLAS_OP_N ? ld : 1) {}
  // Where the factor is 0, the matrix is not read.
  Wide<T> at(std::int64_t i, std::int64_t j) const {
    return factor == 0 ? Wide<T>{0} : widen(factor) * widen(matrix[i * row_step + j * col_step]);
  }
};

// C may be A or B if that one is not transposed and has the same leading dimension: then every element is read before
// it is written.
template <class T> bool in_place(const T* matrix, cublasOperation_t op, int ld, const T* C, int ldc) {
  return matrix != C || (op == CUBLAS_OP_N && ld == ldc);
}

template <class T>
cublasStatus_t geam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                    const T* alpha, const T* A, int lda, const T* beta, const T* B, int ldb, T* C, int ldc) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool valid = is_operation(transa) && is_operation(transb) && m >= 0 && n >= 0 &&
                     is_leading(lda, transa == CUBLAS_OP_N ? m : n) &&
                     is_leading(ldb, transb == CUBLAS_OP_N ? m : n) && is_leading(ldc, m) && alpha != nullptr &&
                     beta != nullptr;
  if (!valid) return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  if (C == nullptr || (*alpha != 0 && A == nullptr) || (*beta != 0 && B == nullptr))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (!in_place(A, transa, lda, C, ldc) || !in_place(B, transb, ldb, C, ldc)) return CUBLAS_STATUS_INVALID_VALUE;

  const Term<T> first(*alpha, A, transa, lda), second(*beta, B, transb, ldb);
  // Square tiles, so that a transposed matrix is not read a line of the cache for every element.
  constexpr std::int64_t kTile = 32;
  for (std::int64_t j0 = 0; j0 < n; j0 += kTile)
    for (std::int64_t i0 = 0; i0 < m; i0 += kTile)
      for (std::int64_t j = j0; j < std::min<std::int64_t>(j0 + kTile, n); ++j)
        for (std::int64_t i = i0; i < std::min<std::int64_t>(i0 + kTile, m); ++i)
          C[j * ldc + i] = static_cast<T>(first.at(i, j) + second.at(i, j));
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(T));
  written(C, static_cast<std::size_t>(m * kBytes), n, ldc * kBytes);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace
}  // namespace cairn::cublas

using namespace cairn::cublas;

cublasStatus_t cublasSgeam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                           const float* alpha, const float* A, int lda, const float* beta, const float* B, int ldb,
                           float* C, int ldc) {
  return geam(handle, transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc);
}
cublasStatus_t cublasDgeam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                           const double* alpha, const double* A, int lda, const double* beta, const double* B,
                           int ldb, double* C, int ldc) {
  return geam(handle, transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc);
}
