// A matrix product in cuBLAS's terms, the form that all entry points for products share.
#pragma once

#include <cstdint>

#include "faces/cublas/context.hpp"

namespace cairn::cublas {

struct Product {
  cairn_type in, out;
  cairn_compute compute;
  cublasOperation_t op_a, op_b;
  std::int64_t m, n, k;
  std::int64_t lda, ldb, ldc;
};

// alpha and beta as the caller passed them, of one of the types f16, f32 and f64.
struct Scalars {
  const void* alpha;
  const void* beta;
  cairn_type type;
};

// Elements between the products of a batch.
struct Batch {
  std::int64_t count = 1;
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
};

cublasStatus_t multiply(cublasHandle_t handle, const Product& product, const Scalars& scalars, const void* A,
                        const void* B, void* C, const Batch& batch = {});

// The same with arrays of pointers, one for each product.
cublasStatus_t multiply_each(cublasHandle_t handle, const Product& product, const Scalars& scalars,
                             const void* const* A, const void* const* B, void* const* C, std::int64_t count);

// f32 products are computed in TF32 if the handle's math mode asks for it.
cairn_compute compute_of(cublasHandle_t handle);

}  // namespace cairn::cublas
