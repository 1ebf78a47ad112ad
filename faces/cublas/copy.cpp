// cublasSetVector and the like: copies between host and device. Both are memory of the process, so the two directions and
// the two kinds of waiting are one.
#include <cstring>

#include "faces/cublas/context.hpp"

namespace cairn::cublas {
namespace {

cublasStatus_t copy_lines(std::int64_t lines, std::int64_t bytes, const void* from, std::int64_t from_step, void* to,
                          std::int64_t to_step) {
  if (lines == 0 || bytes == 0) return CUBLAS_STATUS_SUCCESS;
  if (from == nullptr || to == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const auto length = static_cast<std::size_t>(bytes);
  for (std::int64_t i = 0; i < lines; ++i)
    std::memcpy(static_cast<std::byte*>(to) + i * to_step, static_cast<const std::byte*>(from) + i * from_step,
                length);
  written(to, length, lines, to_step);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t copy_vector(std::int64_t n, std::int64_t bytes, const void* x, int incx, void* y, int incy) {
  if (n < 0 || bytes <= 0 || incx <= 0 || incy <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  return copy_lines(n, bytes, x, incx * bytes, y, incy * bytes);
}

cublasStatus_t copy_matrix(std::int64_t rows, std::int64_t cols, std::int64_t bytes, const void* A, int lda, void* B,
                           int ldb) {
  if (rows < 0 || cols < 0 || bytes <= 0 || !is_leading(lda, rows) || !is_leading(ldb, rows))
    return CUBLAS_STATUS_INVALID_VALUE;
  return copy_lines(cols, rows * bytes, A, lda * bytes, B, ldb * bytes);
}

}  // namespace
}  // namespace cairn::cublas

using namespace cairn::cublas;

cublasStatus_t cublasSetVector(int n, int element_bytes, const void* host_x, int incx, void* device_y, int incy) {
  return copy_vector(n, element_bytes, host_x, incx, device_y, incy);
}
cublasStatus_t cublasGetVector(int n, int element_bytes, const void* device_x, int incx, void* host_y, int incy) {
  return copy_vector(n, element_bytes, device_x, incx, host_y, incy);
}
cublasStatus_t cublasSetMatrix(int rows, int cols, int element_bytes, const void* host_A, int lda, void* device_B,
                               int ldb) {
  return copy_matrix(rows, cols, element_bytes, host_A, lda, device_B, ldb);
}
cublasStatus_t cublasGetMatrix(int rows, int cols, int element_bytes, const void* device_A, int lda, void* host_B,
                               int ldb) {
  return copy_matrix(rows, cols, element_bytes, device_A, lda, host_B, ldb);
}
cublasStatus_t cublasSetVectorAsync(int n, int element_bytes, const void* host_x, int incx, void* device_y, int incy,
                                    cudaStream_t) {
  return copy_vector(n, element_bytes, host_x, incx, device_y, incy);
}
cublasStatus_t cublasGetVectorAsync(int n, int element_bytes, const void* device_x, int incx, void* host_y, int incy,
                                    cudaStream_t) {
  return copy_vector(n, element_bytes, device_x, incx, host_y, incy);
}
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int element_bytes, const void* host_A, int lda,
                                    void* device_B, int ldb, cudaStream_t) {
  return copy_matrix(rows, cols, element_bytes, host_A, lda, device_B, ldb);
}
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int element_bytes, const void* device_A, int lda,
                                    void* host_B, int ldb, cudaStream_t) {
  return copy_matrix(rows, cols, element_bytes, device_A, lda, host_B, ldb);
}
