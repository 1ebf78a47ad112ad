// The products whose types are arguments: cublasGemmEx and its batches, cublasSgemmEx.
#include "faces/cublas/gemm.hpp"

namespace cairn::cublas {
namespace {

bool is_f32(cublasComputeType_t compute) {
  return compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_PEDANTIC;
}

// What has the speed of tensor cores in cuBLAS and the accuracy of f32 or less.
bool is_faster_f32(cublasComputeType_t compute) {
  return compute == CUBLAS_COMPUTE_32F_FAST_16F || compute == CUBLAS_COMPUTE_32F_FAST_16BF ||
         compute == CUBLAS_COMPUTE_32F_FAST_TF32 || compute == CUBLAS_COMPUTE_32F_EMULATED_16BFX9;
}

// The rows of cuBLAS's table of types that Cairn has; whole numbers and complex ones are not among them.
struct Types {
  cudaDataType in, out;
  cairn_type cairn_in, cairn_out;
};
constexpr Types kSums32[] = {{CUDA_R_32F, CUDA_R_32F, CAIRN_F32, CAIRN_F32},
                             {CUDA_R_16F, CUDA_R_16F, CAIRN_F16, CAIRN_F16},
                             {CUDA_R_16F, CUDA_R_32F, CAIRN_F16, CAIRN_F32},
                             {CUDA_R_16BF, CUDA_R_16BF, CAIRN_BF16, CAIRN_BF16},
                             {CUDA_R_16BF, CUDA_R_32F, CAIRN_BF16, CAIRN_F32}};
constexpr Types kSums16 = {CUDA_R_16F, CUDA_R_16F, CAIRN_F16, CAIRN_F16};
constexpr Types kSums64 = {CUDA_R_64F, CUDA_R_64F, CAIRN_F64, CAIRN_F64};

// A product's types and those of its scalars; false where there is no such product.
struct Chosen {
  cairn_type in, out, scalars;
  cairn_compute compute;
};
bool choose(cublasHandle_t handle, cudaDataType a, cudaDataType b, cudaDataType c, cublasComputeType_t compute,
            Chosen& out) {
  const auto is = [&](const Types& types) { return a == types.in && b == types.in && c == types.out; };
  if (compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC) {
    out = {CAIRN_F64, CAIRN_F64, CAIRN_F64, CAIRN_NATIVE};
    return is(kSums64);
  }
  if (compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC) {
    out = {CAIRN_F16, CAIRN_F16, CAIRN_F16, CAIRN_NATIVE};
    return is(kSums16);
  }
  if (is_faster_f32(compute)) {
    const bool tf32 = compute == CUBLAS_COMPUTE_32F_FAST_TF32;
    out = {CAIRN_F32, CAIRN_F32, CAIRN_F32, tf32 ? CAIRN_TF32 : CAIRN_NATIVE};
    return is(kSums32[0]);
  }
  if (!is_f32(compute)) return false;
  for (const Types& types : kSums32) {
    if (!is(types)) continue;
    const bool plain_f32 = types.cairn_in == CAIRN_F32 && compute != CUBLAS_COMPUTE_32F_PEDANTIC;
    out = {types.cairn_in, types.cairn_out, CAIRN_F32, plain_f32 ? compute_of(handle) : CAIRN_NATIVE};
    return true;
  }
  return false;
}

// Calls f with the types of a product that there is.
template <class F>
cublasStatus_t with_types(cublasHandle_t handle, cudaDataType a, cudaDataType b, cudaDataType c,
                          cublasComputeType_t compute, const F& f) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  Chosen types;
  return choose(handle, a, b, c, compute, types) ? f(types) : CUBLAS_STATUS_NOT_SUPPORTED;
}

}  // namespace
}  // namespace cairn::cublas

using namespace cairn::cublas;

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                          int m, int n, int k, const void* alpha, const void* A, cudaDataType type_a,
                                          int lda, long long stride_a, const void* B, cudaDataType type_b, int ldb,
                                          long long stride_b, const void* beta, void* C, cudaDataType type_c, int ldc,
                                          long long stride_c, int batch, cublasComputeType_t compute,
                                          cublasGemmAlgo_t) {
  return with_types(handle, type_a, type_b, type_c, compute, [&](const Chosen& t) {
    return multiply(handle, {t.in, t.out, t.compute, transa, transb, m, n, k, lda, ldb, ldc},
                    {alpha, beta, t.scalars}, A, B, C, {batch, stride_a, stride_b, stride_c});
  });
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                            int k, const void* alpha, const void* A, cudaDataType type_a, int lda, const void* B,
                            cudaDataType type_b, int ldb, const void* beta, void* C, cudaDataType type_c, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, A, type_a, lda, 0, B, type_b, ldb, 0,
                                    beta, C, type_c, ldc, 0, 1, compute, algorithm);
}

cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                   int n, int k, const void* alpha, const void* const A[], cudaDataType type_a,
                                   int lda, const void* const B[], cudaDataType type_b, int ldb, const void* beta,
                                   void* const C[], cudaDataType type_c, int ldc, int batch,
                                   cublasComputeType_t compute, cublasGemmAlgo_t) {
  return with_types(handle, type_a, type_b, type_c, compute, [&](const Chosen& t) {
    return multiply_each(handle, {t.in, t.out, t.compute, transa, transb, m, n, k, lda, ldb, ldc},
                         {alpha, beta, t.scalars}, A, B, C, batch);
  });
}

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                             int k, const float* alpha, const void* A, cudaDataType type_a, int lda, const void* B,
                             cudaDataType type_b, int ldb, const float* beta, void* C, cudaDataType type_c, int ldc) {
  return cublasGemmEx(handle, transa, transb, m, n, k, alpha, A, type_a, lda, B, type_b, ldb, beta, C, type_c, ldc,
                      CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}
