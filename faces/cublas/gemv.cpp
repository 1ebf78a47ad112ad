// Level 2: a matrix by a vector.
#include <algorithm>

#include "faces/cublas/vectors.hpp"

namespace cairn::cublas {
namespace {

template <class T> void store(T& y, Wide<T> sum, T alpha, T beta) {
  const Wide<T> product = widen(alpha) * sum;
  y = static_cast<T>(beta == 0 ? product : product + widen(beta) * widen(y));  // y is not read where beta is 0
}

// Column by column, for some rows at a time, so that A is read as it lies in memory.
template <class T>
void multiply_rows(std::int64_t m, std::int64_t n, T alpha, const T* A, std::int64_t lda, const Vector<const T>& x,
                   T beta, const Vector<T>& y) {
  constexpr std::int64_t kRows = 256;
  for (std::int64_t i0 = 0; i0 < m; i0 += kRows) {
    const std::int64_t rows = std::min(kRows, m - i0);
    Wide<T> sums[kRows] = {};
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < rows; ++i) sums[i] += widen(A[j * lda + i0 + i]) * widen(x[j]);
    for (std::int64_t i = 0; i < rows; ++i) store(y[i0 + i], sums[i], alpha, beta);
  }
}

template <class T>
void multiply_columns(std::int64_t m, std::int64_t n, T alpha, const T* A, std::int64_t lda, const Vector<const T>& x,
                      T beta, const Vector<T>& y) {
  for (std::int64_t j = 0; j < n; ++j) {
    Wide<T> sum = 0;
    for (std::int64_t i = 0; i < m; ++i) sum += widen(A[j * lda + i]) * widen(x[i]);
    store(y[j], sum, alpha, beta);
  }
}

template <class T>
cublasStatus_t gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T* alpha, const T* A, int lda,
                    const T* x, int incx, const T* beta, T* y, int incy) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool valid = is_operation(trans) && m >= 0 && n >= 0 && is_leading(lda, m) && incx != 0 && incy != 0 &&
                     alpha != nullptr && beta != nullptr;
  if (!valid) return CUBLAS_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const bool reads = *alpha != 0;
  if (y == nullptr || (reads && (A == nullptr || x == nullptr))) return CUBLAS_STATUS_INVALID_VALUE;
  const bool plain = trans == CUBLAS_OP_N;
  const Vector<const T> from(x, plain ? n : m, incx);
  const Vector<T> to(y, plain ? m : n, incy);
  if (!reads) {
    for (std::int64_t i = 0; i < to.n; ++i) store(to[i], Wide<T>{0}, *alpha, *beta);
  } else if (plain) {
    multiply_rows(m, n, *alpha, A, lda, from, *beta, to);
  } else {
    multiply_columns(m, n, *alpha, A, lda, from, *beta, to);
  }
  to.note_written();
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace
}  // namespace cairn::cublas

using namespace cairn::cublas;

cublasStatus_t cublasSgemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const float* alpha,
                              const float* A, int lda, const float* x, int incx, const float* beta, float* y,
                              int incy) {
  return gemv(handle, trans, m, n, alpha, A, lda, x, incx, beta, y, incy);
}
cublasStatus_t cublasDgemv_v2(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const double* alpha,
                              const double* A, int lda, const double* x, int incx, const double* beta, double* y,
                              int incy) {
  return gemv(handle, trans, m, n, alpha, A, lda, x, incx, beta, y, incy);
}
