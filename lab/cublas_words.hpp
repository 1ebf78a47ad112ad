// What a problem says, in cuBLAS's words.
#pragma once

#ifdef CAIRN_HAVE_CUBLAS
#include <cublasLt.h>
#include <cublas_v2.h>

#include "src/call.hpp"

namespace cairn::lab {

inline cudaDataType_t cuda(Type type) {
  switch (type) {
    case Type::f64: return CUDA_R_64F;
    case Type::f32: return CUDA_R_32F;
    case Type::f16: return CUDA_R_16F;
    case Type::bf16: return CUDA_R_16BF;
    case Type::e4m3: break;
  }
  return CUDA_R_8F_E4M3;
}

// CUBLAS_COMPUTE_32F multiplies f32 as f32: TF32 comes only with the compute type that names it, or with a math mode
// that we never set. Split products have no counterpart; f32 makes the same promise of accuracy.
inline cublasComputeType_t compute_type(const Problem& p) {
  if (p.in == Type::f64) return CUBLAS_COMPUTE_64F;
  return p.compute == Compute::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
}

inline cublasOperation_t cublas(Op op) { return op == Op::none ? CUBLAS_OP_N : CUBLAS_OP_T; }

// alpha and beta in the type cuBLAS reads them in, the accumulator's.
class Scalars {
 public:
  explicit Scalars(const Call& c)
      : wide_(accumulator(c.problem.in) == Type::f64),
        d_{c.alpha, c.beta},
        f_{static_cast<float>(c.alpha), static_cast<float>(c.beta)} {}
  const void* alpha() const { return at(0); }
  const void* beta() const { return at(1); }

 private:
  const void* at(int i) const { return wide_ ? static_cast<const void*>(&d_[i]) : &f_[i]; }
  bool wide_;
  double d_[2];
  float f_[2];
};

// Those of a tensor are cuBLASLt's default.
inline cublasLtMatmulMatrixScale_t scale_mode(Scale scale) {
  switch (scale) {
    case Scale::vector: return CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
    case Scale::vector_blocks: return CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F;
    case Scale::blocks: return CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
    case Scale::none:
    case Scale::tensor: break;
  }
  return CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
}

inline cublasLtEpilogue_t epilogue_of(const Problem& p) {
  const bool bias = p.bias != Bias::none;
  if (p.activation == Activation::none) return bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
  if (p.activation == Activation::relu) return bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
  if (p.before == Before::stored) return bias ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS : CUBLASLT_EPILOGUE_GELU_AUX;
  return bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
}

}  // namespace cairn::lab
#endif
