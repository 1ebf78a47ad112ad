// Level 1: vectors.
#include "faces/cublas/vectors.hpp"

#include <cmath>

namespace cairn::cublas {
namespace {

template <class T> cublasStatus_t answer(T* result, T value) {
  *result = value;
  written(result, sizeof(T));
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t axpy(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y, int incy) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (n <= 0 || *alpha == 0) return CUBLAS_STATUS_SUCCESS;
  if (x == nullptr || y == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const Vector<const T> from(x, n, incx);
  const Vector<T> to(y, n, incy);
  for (std::int64_t i = 0; i < n; ++i)
    to[i] = static_cast<T>(widen(*alpha) * widen(from[i]) + widen(static_cast<T>(to[i])));
  to.note_written();
  return CUBLAS_STATUS_SUCCESS;
}

template <class T> cublasStatus_t copy(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (n <= 0) return CUBLAS_STATUS_SUCCESS;
  if (x == nullptr || y == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const Vector<const T> from(x, n, incx);
  const Vector<T> to(y, n, incy);
  for (std::int64_t i = 0; i < n; ++i) to[i] = from[i];
  to.note_written();
  return CUBLAS_STATUS_SUCCESS;
}

template <class T> cublasStatus_t scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (n <= 0 || incx <= 0) return CUBLAS_STATUS_SUCCESS;
  if (x == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const Vector<T> all(x, n, incx);
  for (std::int64_t i = 0; i < n; ++i) all[i] *= *alpha;
  all.note_written();
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t dot(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy, T* result) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (n <= 0) return answer(result, T{0});
  if (x == nullptr || y == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const Vector<const T> a(x, n, incx), b(y, n, incy);
  Wide<T> sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += widen(a[i]) * widen(b[i]);
  return answer(result, static_cast<T>(sum));
}

// reduce(vector) gives the result for a vector that has elements; one without any, or with a step that is not positive,
// gives 0.
template <class T, class R, class F>
cublasStatus_t reduce(cublasHandle_t handle, int n, const T* x, int incx, R* result, const F& f) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (n <= 0 || incx <= 0) return answer(result, R{0});
  if (x == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  return answer(result, f(Vector<const T>(x, n, incx)));
}

// Wide sums of squares neither overflow nor underflow, so nothing has to be scaled.
template <class T> T norm(const Vector<const T>& x) {
  Wide<T> sum = 0;
  for (std::int64_t i = 0; i < x.n; ++i) sum += widen(x[i]) * widen(x[i]);
  return static_cast<T>(std::sqrt(sum));
}

template <class T> T absolute_sum(const Vector<const T>& x) {
  Wide<T> sum = 0;
  for (std::int64_t i = 0; i < x.n; ++i) sum += std::fabs(widen(x[i]));
  return static_cast<T>(sum);
}

// From 1, as in Fortran. A NaN counts as the largest, so that who looks for the largest error finds it.
template <class T> int largest(const Vector<const T>& x) {
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < x.n && !std::isnan(x[found]); ++i)
    if (std::isnan(x[i]) || std::fabs(x[i]) > std::fabs(x[found])) found = i;
  return static_cast<int>(found + 1);
}

}  // namespace
}  // namespace cairn::cublas

using namespace cairn::cublas;

cublasStatus_t cublasSaxpy_v2(cublasHandle_t handle, int n, const float* alpha, const float* x, int incx, float* y,
                              int incy) {
  return axpy(handle, n, alpha, x, incx, y, incy);
}
cublasStatus_t cublasDaxpy_v2(cublasHandle_t handle, int n, const double* alpha, const double* x, int incx, double* y,
                              int incy) {
  return axpy(handle, n, alpha, x, incx, y, incy);
}
cublasStatus_t cublasScopy_v2(cublasHandle_t handle, int n, const float* x, int incx, float* y, int incy) {
  return copy(handle, n, x, incx, y, incy);
}
cublasStatus_t cublasDcopy_v2(cublasHandle_t handle, int n, const double* x, int incx, double* y, int incy) {
  return copy(handle, n, x, incx, y, incy);
}
cublasStatus_t cublasSscal_v2(cublasHandle_t handle, int n, const float* alpha, float* x, int incx) {
  return scal(handle, n, alpha, x, incx);
}
cublasStatus_t cublasDscal_v2(cublasHandle_t handle, int n, const double* alpha, double* x, int incx) {
  return scal(handle, n, alpha, x, incx);
}
cublasStatus_t cublasSdot_v2(cublasHandle_t handle, int n, const float* x, int incx, const float* y, int incy,
                             float* result) {
  return dot(handle, n, x, incx, y, incy, result);
}
cublasStatus_t cublasDdot_v2(cublasHandle_t handle, int n, const double* x, int incx, const double* y, int incy,
                             double* result) {
  return dot(handle, n, x, incx, y, incy, result);
}
cublasStatus_t cublasSnrm2_v2(cublasHandle_t handle, int n, const float* x, int incx, float* result) {
  return reduce(handle, n, x, incx, result, norm<float>);
}
cublasStatus_t cublasDnrm2_v2(cublasHandle_t handle, int n, const double* x, int incx, double* result) {
  return reduce(handle, n, x, incx, result, norm<double>);
}
cublasStatus_t cublasSasum_v2(cublasHandle_t handle, int n, const float* x, int incx, float* result) {
  return reduce(handle, n, x, incx, result, absolute_sum<float>);
}
cublasStatus_t cublasDasum_v2(cublasHandle_t handle, int n, const double* x, int incx, double* result) {
  return reduce(handle, n, x, incx, result, absolute_sum<double>);
}
cublasStatus_t cublasIsamax_v2(cublasHandle_t handle, int n, const float* x, int incx, int* result) {
  return reduce(handle, n, x, incx, result, largest<float>);
}
cublasStatus_t cublasIdamax_v2(cublasHandle_t handle, int n, const double* x, int incx, int* result) {
  return reduce(handle, n, x, incx, result, largest<double>);
}
