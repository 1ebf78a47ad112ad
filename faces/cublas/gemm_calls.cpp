// The products whose type is in their name: cublasSgemm, cublasDgemmStridedBatched, cublasHgemmBatched and the like.
#include <concepts>

#include "faces/cublas/gemm.hpp"

namespace cairn::cublas {
namespace {

template <class T> constexpr cairn_type type_of() {
  if constexpr (std::same_as<T, double>) return CAIRN_F64;
  if constexpr (std::same_as<T, float>) return CAIRN_F32;
  return CAIRN_F16;
}

// Sums of f16 are kept in f32, as tensor cores do; cublasHgemm may round them to f16 on the way.
template <class T>
Product product(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, int lda,
                int ldb, int ldc) {
  constexpr cairn_type type = type_of<T>();
  return {type, type, type == CAIRN_F32 ? compute_of(handle) : CAIRN_NATIVE, op_a, op_b, m, n, k, lda, ldb, ldc};
}

template <class T>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                    const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C, int ldc,
                    const Batch& batch = {}) {
  return multiply(handle, product<T>(handle, op_a, op_b, m, n, k, lda, ldb, ldc), {alpha, beta, type_of<T>()}, A, B,
                  C, batch);
}

template <class T>
cublasStatus_t gemm_each(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                         const T* alpha, const T* const A[], int lda, const T* const B[], int ldb, const T* beta,
                         T* const C[], int ldc, int count) {
  // An array of pointers to T is read as one of pointers to void, as cublasGemmBatchedEx asks its callers to.
  return multiply_each(handle, product<T>(handle, op_a, op_b, m, n, k, lda, ldb, ldc), {alpha, beta, type_of<T>()},
                       reinterpret_cast<const void* const*>(A), reinterpret_cast<const void* const*>(B),
                       reinterpret_cast<void* const*>(C), count);
}

}  // namespace
}  // namespace cairn::cublas

using namespace cairn::cublas;

cublasStatus_t cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                              int k, const float* alpha, const float* A, int lda, const float* B, int ldb,
                              const float* beta, float* C, int ldc) {
  return gemm(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
cublasStatus_t cublasDgemm_v2(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                              int k, const double* alpha, const double* A, int lda, const double* B, int ldb,
                              const double* beta, double* C, int ldc) {
  return gemm(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                           int k, const __half* alpha, const __half* A, int lda, const __half* B, int ldb,
                           const __half* beta, __half* C, int ldc) {
  return gemm(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                         int m, int n, int k, const float* alpha, const float* A, int lda,
                                         long long stride_a, const float* B, int ldb, long long stride_b,
                                         const float* beta, float* C, int ldc, long long stride_c, int batch) {
  return gemm(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc,
              {batch, stride_a, stride_b, stride_c});
}
cublasStatus_t cublasDgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                         int m, int n, int k, const double* alpha, const double* A, int lda,
                                         long long stride_a, const double* B, int ldb, long long stride_b,
                                         const double* beta, double* C, int ldc, long long stride_c, int batch) {
  return gemm(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc,
              {batch, stride_a, stride_b, stride_c});
}
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                         int m, int n, int k, const __half* alpha, const __half* A, int lda,
                                         long long stride_a, const __half* B, int ldb, long long stride_b,
                                         const __half* beta, __half* C, int ldc, long long stride_c, int batch) {
  return gemm(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc,
              {batch, stride_a, stride_b, stride_c});
}

cublasStatus_t cublasSgemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                  int n, int k, const float* alpha, const float* const A[], int lda,
                                  const float* const B[], int ldb, const float* beta, float* const C[], int ldc,
                                  int batch) {
  return gemm_each(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, batch);
}
cublasStatus_t cublasDgemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                  int n, int k, const double* alpha, const double* const A[], int lda,
                                  const double* const B[], int ldb, const double* beta, double* const C[], int ldc,
                                  int batch) {
  return gemm_each(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, batch);
}
cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                  int n, int k, const __half* alpha, const __half* const A[], int lda,
                                  const __half* const B[], int ldb, const __half* beta, __half* const C[], int ldc,
                                  int batch) {
  return gemm_each(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, batch);
}
