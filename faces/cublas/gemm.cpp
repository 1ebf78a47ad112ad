// Checks a product by cuBLAS's rules and hands it to the C API, which takes column order as it is.
#include "faces/cublas/gemm.hpp"

#include <cstddef>
#include <cstdint>

#include "faces/cublas/tensor_order.hpp"

namespace cairn::cublas {
namespace {

double read(const void* scalar, cairn_type type) {
  switch (type) {
    case CAIRN_F64: return *static_cast<const double*>(scalar);
    case CAIRN_F16: return static_cast<double>(static_cast<float>(*static_cast<const __half*>(scalar)));
    default: return static_cast<double>(*static_cast<const float*>(scalar));
  }
}

std::int64_t bytes_of(cairn_type type) {
  switch (type) {
    case CAIRN_F64: return 8;
    case CAIRN_F32: return 4;
    default: return 2;
  }
}

cairn_op op_of(cublasOperation_t op) { return op == CUBLAS_OP_N ? CAIRN_OP_N : CAIRN_OP_T; }

// Cairn refuses these too, but not in the order of cuBLAS, and where a size is 0 it has nothing to say of the scalars.
cublasStatus_t check(cublasHandle_t handle, const Product& p, const Scalars& scalars, std::int64_t count) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool valid = is_operation(p.op_a) && is_operation(p.op_b) && p.m >= 0 && p.n >= 0 && p.k >= 0 && count >= 0 &&
                     is_leading(p.lda, p.op_a == CUBLAS_OP_N ? p.m : p.k) &&
                     is_leading(p.ldb, p.op_b == CUBLAS_OP_N ? p.k : p.n) && is_leading(p.ldc, p.m) &&
                     scalars.alpha != nullptr && scalars.beta != nullptr;
  return valid ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cairn_problem problem_of(const Product& p, const Batch& batch) {
  cairn_problem problem = CAIRN_PROBLEM_INIT;
  problem.in = p.in, problem.out = p.out, problem.compute = p.compute;
  problem.order = CAIRN_COLUMN;
  problem.op_a = op_of(p.op_a), problem.op_b = op_of(p.op_b);
  problem.m = p.m, problem.n = p.n, problem.k = p.k;
  problem.lda = p.lda, problem.ldb = p.ldb, problem.ldc = p.ldc;
  problem.batch = batch.count;
  problem.stride_a = batch.stride_a, problem.stride_b = batch.stride_b, problem.stride_c = batch.stride_c;
  return problem;
}

const void* at(const void* matrix, std::int64_t elements, cairn_type type) {
  return matrix == nullptr ? nullptr : static_cast<const std::byte*>(matrix) + elements * bytes_of(type);
}

// A call that has been checked and has something to do.
cublasStatus_t run(cublasContext& context, const Product& p, double alpha, double beta, const void* A, const void* B,
                   void* C, const Batch& batch) {
  if (bytes_of(p.in) == 2 && A != nullptr && B != nullptr && alpha != 0 && p.k > 0) {
    for (std::int64_t i = 0; i < batch.count; ++i)
      multiply_in_tensor_order(p, static_cast<float>(alpha), static_cast<float>(beta),
                               at(A, i * batch.stride_a, p.in), at(B, i * batch.stride_b, p.in),
                               const_cast<void*>(at(C, i * batch.stride_c, p.out)));
  } else {
    const cairn_problem problem = problem_of(p, batch);
    const cublasStatus_t status = status_of(cairn_gemm(context.cpu, &problem, alpha, A, B, beta, C));
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
  const std::int64_t bytes = bytes_of(p.out);
  for (std::int64_t i = 0; i < batch.count; ++i)
    written(static_cast<std::byte*>(C) + i * batch.stride_c * bytes, static_cast<std::size_t>(p.m * bytes), p.n,
            p.ldc * bytes);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

cairn_compute compute_of(cublasHandle_t handle) {
  return handle != nullptr && handle->math == CUBLAS_TF32_TENSOR_OP_MATH ? CAIRN_TF32 : CAIRN_NATIVE;
}

cublasStatus_t multiply(cublasHandle_t handle, const Product& p, const Scalars& scalars, const void* A, const void* B,
                        void* C, const Batch& batch) {
  if (auto status = check(handle, p, scalars, batch.count); status != CUBLAS_STATUS_SUCCESS) return status;
  if (p.m == 0 || p.n == 0 || batch.count == 0) return CUBLAS_STATUS_SUCCESS;
  const double alpha = read(scalars.alpha, scalars.type), beta = read(scalars.beta, scalars.type);
  const std::lock_guard lock(handle->in_use);
  if (batch.stride_a >= 0 && batch.stride_b >= 0 && batch.stride_c >= 0)
    return run(*handle, p, alpha, beta, A, B, C, batch);
  // cuBLAS takes matrices one before the other; Cairn's strides are not negative.
  for (std::int64_t i = 0; i < batch.count; ++i) {
    const auto status = run(*handle, p, alpha, beta, at(A, i * batch.stride_a, p.in), at(B, i * batch.stride_b, p.in),
                            const_cast<void*>(at(C, i * batch.stride_c, p.out)), {});
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t multiply_each(cublasHandle_t handle, const Product& p, const Scalars& scalars, const void* const* A,
                             const void* const* B, void* const* C, std::int64_t count) {
  if (auto status = check(handle, p, scalars, count); status != CUBLAS_STATUS_SUCCESS) return status;
  if (p.m == 0 || p.n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
  const double alpha = read(scalars.alpha, scalars.type), beta = read(scalars.beta, scalars.type);
  const bool reads = p.k > 0 && alpha != 0;
  if (C == nullptr || (reads && (A == nullptr || B == nullptr))) return CUBLAS_STATUS_INVALID_VALUE;
  const std::lock_guard lock(handle->in_use);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto status = run(*handle, p, alpha, beta, reads ? A[i] : nullptr, reads ? B[i] : nullptr, C[i], {});
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace cairn::cublas
