// Products by the cuBLAS-shaped face, against loops in double.
#include <array>

#include "tests/faces/cublas_data.hpp"

namespace {

using namespace cublas_test;

constexpr cublasOperation_t kOps[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

// What a test multiplies: op(A) is m x k, op(B) k x n, every leading dimension larger than needed by `pad`.
template <class In, class Out = In> struct Case {
  cublasOperation_t op_a, op_b;
  int m, n, k;
  Matrix<In> A, B;
  Matrix<Out> C, before;

  Case(cublasOperation_t a, cublasOperation_t b, int m_, int n_, int k_, int pad, std::uint32_t seed = 1)
      : op_a(a),
        op_b(b),
        m(m_),
        n(n_),
        k(k_),
        A(stored(a, m_, k_, pad, seed)),
        B(stored(b, k_, n_, pad, seed + 1)),
        C(m_, n_, m_ + pad, seed + 2),
        before(C) {}
  static Matrix<In> stored(cublasOperation_t op, int rows, int cols, int pad, std::uint32_t seed) {
    return op == CUBLAS_OP_N ? Matrix<In>(rows, cols, rows + pad, seed) : Matrix<In>(cols, rows, cols + pad, seed);
  }
  void expect(double alpha, double beta) const { expect_product(C, before, alpha, op_a, A, op_b, B, beta, k); }
};

template <class F> void each_pair_of_ops(const F& f) {
  for (const cublasOperation_t a : kOps)
    for (const cublasOperation_t b : kOps) {
      SCOPED_TRACE(::testing::Message() << "ops " << a << " " << b);
      f(a, b);
    }
}

TEST(CublasGemm, F32OfAllOps) {
  const Handle handle;
  each_pair_of_ops([&](cublasOperation_t a, cublasOperation_t b) {
    for (const int pad : {0, 5}) {
      Case<float> c(a, b, 37, 29, 53, pad);
      const float alpha = 1.5F, beta = -0.75F;
      EXPECT_EQ(cublasSgemm(handle, a, b, c.m, c.n, c.k, &alpha, c.A.begin(), c.A.ld, c.B.begin(), c.B.ld, &beta,
                            c.C.begin(), c.C.ld),
                CUBLAS_STATUS_SUCCESS);
      c.expect(alpha, beta);
    }
  });
}

TEST(CublasGemm, F64OfAllOps) {
  const Handle handle;
  each_pair_of_ops([&](cublasOperation_t a, cublasOperation_t b) {
    Case<double> c(a, b, 37, 29, 53, 3);
    const double alpha = 1.5, beta = -0.75;
    EXPECT_EQ(cublasDgemm(handle, a, b, c.m, c.n, c.k, &alpha, c.A.begin(), c.A.ld, c.B.begin(), c.B.ld, &beta,
                          c.C.begin(), c.C.ld),
              CUBLAS_STATUS_SUCCESS);
    c.expect(alpha, beta);
  });
}

TEST(CublasGemm, F16OfAllOps) {
  const Handle handle;
  each_pair_of_ops([&](cublasOperation_t a, cublasOperation_t b) {
    Case<__half> c(a, b, 17, 29, 33, 3);
    const __half alpha = 0.5F, beta = 2.0F;
    EXPECT_EQ(cublasHgemm(handle, a, b, c.m, c.n, c.k, &alpha, c.A.begin(), c.A.ld, c.B.begin(), c.B.ld, &beta,
                          c.C.begin(), c.C.ld),
              CUBLAS_STATUS_SUCCESS);
    c.expect(0.5, 2);
  });
}

TEST(CublasGemm, BetaZeroDoesNotReadC) {
  const Handle handle;
  Case<float> c(CUBLAS_OP_N, CUBLAS_OP_N, 31, 18, 40, 2);
  for (int j = 0; j < c.n; ++j)
    for (int i = 0; i < c.m; ++i) c.C.at(i, j) = static_cast<float>(kNaN);
  const float alpha = 2, beta = 0;
  EXPECT_EQ(cublasSgemm(handle, c.op_a, c.op_b, c.m, c.n, c.k, &alpha, c.A.begin(), c.A.ld, c.B.begin(), c.B.ld,
                        &beta, c.C.begin(), c.C.ld),
            CUBLAS_STATUS_SUCCESS);
  c.expect(alpha, beta);
}

TEST(CublasGemm, NoDepthScalesC) {
  const Handle handle;
  Case<float> c(CUBLAS_OP_N, CUBLAS_OP_N, 7, 5, 0, 1);
  const float alpha = 2, beta = 0.5F;
  EXPECT_EQ(
      cublasSgemm(handle, c.op_a, c.op_b, c.m, c.n, 0, &alpha, nullptr, c.m, nullptr, 1, &beta, c.C.begin(), c.C.ld),
      CUBLAS_STATUS_SUCCESS);
  c.expect(alpha, beta);
}

TEST(CublasGemm, NoElementsIsNothingToDo) {
  const Handle handle;
  const float one = 1;
  EXPECT_EQ(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 0, 5, 3, &one, nullptr, 1, nullptr, 3, &one, nullptr, 1),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 5, 0, 3, &one, nullptr, 5, nullptr, 3, &one, nullptr, 5),
            CUBLAS_STATUS_SUCCESS);
}

// The scalars of a product in f32 are read as floats and those of one in f16 as halves: a mistake gives other numbers.
template <class In, class Out, class Scalar>
void expect_ex(cudaDataType in, cudaDataType out, cublasComputeType_t compute) {
  const Handle handle;
  SCOPED_TRACE(::testing::Message() << "types " << in << " " << out << " compute " << compute);
  each_pair_of_ops([&](cublasOperation_t a, cublasOperation_t b) {
    Case<In, Out> c(a, b, 21, 19, 35, 3);
    const Scalar alpha = 1.25F, beta = -0.5F;
    EXPECT_EQ(cublasGemmEx(handle, a, b, c.m, c.n, c.k, &alpha, c.A.begin(), in, c.A.ld, c.B.begin(), in, c.B.ld,
                           &beta, c.C.begin(), out, c.C.ld, compute, CUBLAS_GEMM_DEFAULT_TENSOR_OP),
              CUBLAS_STATUS_SUCCESS);
    c.expect(1.25, -0.5);
  });
}

TEST(CublasGemm, ExOfEveryPairOfTypes) {
  for (const auto compute : {CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_PEDANTIC}) {
    expect_ex<float, float, float>(CUDA_R_32F, CUDA_R_32F, compute);
    expect_ex<__half, __half, float>(CUDA_R_16F, CUDA_R_16F, compute);
    expect_ex<__half, float, float>(CUDA_R_16F, CUDA_R_32F, compute);
    expect_ex<__nv_bfloat16, __nv_bfloat16, float>(CUDA_R_16BF, CUDA_R_16BF, compute);
    expect_ex<__nv_bfloat16, float, float>(CUDA_R_16BF, CUDA_R_32F, compute);
  }
  for (const auto compute : {CUBLAS_COMPUTE_32F_FAST_16F, CUBLAS_COMPUTE_32F_FAST_16BF, CUBLAS_COMPUTE_32F_FAST_TF32})
    expect_ex<float, float, float>(CUDA_R_32F, CUDA_R_32F, compute);
  expect_ex<__half, __half, __half>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F);
  expect_ex<double, double, double>(CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F);
}

TEST(CublasGemm, ExByTheTypeOfOlderPrograms) {
  const Handle handle;
  Case<__half> c(CUBLAS_OP_T, CUBLAS_OP_N, 21, 19, 35, 3);
  const float alpha = 1, beta = 1;
  EXPECT_EQ(cublasGemmEx(handle, c.op_a, c.op_b, c.m, c.n, c.k, &alpha, c.A.begin(), CUDA_R_16F, c.A.ld, c.B.begin(),
                         CUDA_R_16F, c.B.ld, &beta, c.C.begin(), CUDA_R_16F, c.C.ld, CUDA_R_32F, CUBLAS_GEMM_ALGO3),
            CUBLAS_STATUS_SUCCESS);
  c.expect(1, 1);
}

// 2^24 + 16 x 1 is rounded once, 2^24 + 1 sixteen times to 2^24.
TEST(CublasGemm, SixteenProductsOfHalvesAreAddedAtOnce) {
  const Handle handle;
  constexpr int kDepth = 34;
  std::array<__half, kDepth> a, b;
  a.fill(1.0F), b.fill(1.0F);
  a[0] = 4096.0F, b[0] = 4096.0F;
  const float one = 1, zero = 0;
  float c = 0;
  EXPECT_EQ(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, kDepth, &one, a.data(), CUDA_R_16F, 1, b.data(),
                         CUDA_R_16F, kDepth, &zero, &c, CUDA_R_32F, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_SUCCESS);
  // 2^24 + 15 is a tie and goes to 2^24 + 16; 16 more, then 2.
  EXPECT_EQ(c, 16777216.0F + 16 + 16 + 2);
}

TEST(CublasGemm, SgemmExOfHalves) {
  const Handle handle;
  Case<__half, float> c(CUBLAS_OP_N, CUBLAS_OP_T, 21, 19, 35, 3);
  const float alpha = 1, beta = 1;
  EXPECT_EQ(cublasSgemmEx(handle, c.op_a, c.op_b, c.m, c.n, c.k, &alpha, c.A.begin(), CUDA_R_16F, c.A.ld, c.B.begin(),
                          CUDA_R_16F, c.B.ld, &beta, c.C.begin(), CUDA_R_32F, c.C.ld),
            CUBLAS_STATUS_SUCCESS);
  c.expect(1, 1);
}

TEST(CublasGemm, ExRefusesTypesThatItHasNot) {
  const Handle handle;
  const float one = 1;
  std::array<float, 64> x{}, y{}, z{};
  z.fill(3);
  const auto call = [&](cudaDataType a, cudaDataType b, cudaDataType c, cublasComputeType_t compute) {
    return cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, x.data(), a, 4, y.data(), b, 4, &one,
                        z.data(), c, 4, compute, CUBLAS_GEMM_DEFAULT);
  };
  EXPECT_EQ(call(CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(call(CUDA_R_8I, CUDA_R_8I, CUDA_R_32F, CUBLAS_COMPUTE_32F), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(call(CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(call(CUDA_R_16F, CUDA_R_16F, CUDA_R_16BF, CUBLAS_COMPUTE_32F), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(call(CUDA_R_32F, CUDA_R_32F, CUDA_R_16F, CUBLAS_COMPUTE_32F), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(call(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_16F), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(call(CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_64F), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(call(CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F), CUBLAS_STATUS_NOT_SUPPORTED);
  for (const float kept : z) EXPECT_EQ(kept, 3);
}

TEST(CublasGemm, AlphaAndBetaByEitherPointerMode) {
  const Handle handle;
  for (const auto mode : {CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE}) {
    Case<float> c(CUBLAS_OP_N, CUBLAS_OP_T, 9, 8, 7, 1);
    const float scalars[] = {-2, 3};
    EXPECT_EQ(cublasSetPointerMode(handle, mode), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cublasSgemm(handle, c.op_a, c.op_b, c.m, c.n, c.k, &scalars[0], c.A.begin(), c.A.ld, c.B.begin(),
                          c.B.ld, &scalars[1], c.C.begin(), c.C.ld),
              CUBLAS_STATUS_SUCCESS);
    c.expect(-2, 3);
  }
}

TEST(CublasGemm, WrongArgumentsAreRefusedAndNothingIsWritten) {
  const Handle handle;
  const float one = 1;
  std::array<float, 64> x{}, y{}, z{};
  x.fill(1), y.fill(1), z.fill(3);
  const auto call = [&](cublasHandle_t h, int op_a, int op_b, int m, int n, int k, int lda, int ldb, int ldc,
                        const float* alpha, const float* beta) {
    return cublasSgemm(h, static_cast<cublasOperation_t>(op_a), static_cast<cublasOperation_t>(op_b), m, n, k, alpha,
                       x.data(), lda, y.data(), ldb, beta, z.data(), ldc);
  };
  EXPECT_EQ(call(nullptr, 0, 0, 4, 3, 5, 4, 5, 4, &one, &one), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(call(handle, 3, 0, 4, 3, 5, 4, 5, 4, &one, &one), CUBLAS_STATUS_INVALID_VALUE) << "conjugate";
  EXPECT_EQ(call(handle, 0, 7, 4, 3, 5, 4, 5, 4, &one, &one), CUBLAS_STATUS_INVALID_VALUE) << "no op";
  EXPECT_EQ(call(handle, 0, 0, -1, 3, 5, 4, 5, 4, &one, &one), CUBLAS_STATUS_INVALID_VALUE) << "m";
  EXPECT_EQ(call(handle, 0, 0, 4, -1, 5, 4, 5, 4, &one, &one), CUBLAS_STATUS_INVALID_VALUE) << "n";
  EXPECT_EQ(call(handle, 0, 0, 4, 3, -1, 4, 5, 4, &one, &one), CUBLAS_STATUS_INVALID_VALUE) << "k";
  EXPECT_EQ(call(handle, 0, 0, 4, 3, 5, 3, 5, 4, &one, &one), CUBLAS_STATUS_INVALID_VALUE) << "lda of n";
  EXPECT_EQ(call(handle, 1, 0, 4, 3, 5, 4, 5, 4, &one, &one), CUBLAS_STATUS_INVALID_VALUE) << "lda of t";
  EXPECT_EQ(call(handle, 0, 0, 4, 3, 5, 4, 4, 4, &one, &one), CUBLAS_STATUS_INVALID_VALUE) << "ldb of n";
  EXPECT_EQ(call(handle, 0, 1, 4, 3, 5, 4, 2, 4, &one, &one), CUBLAS_STATUS_INVALID_VALUE) << "ldb of t";
  EXPECT_EQ(call(handle, 0, 0, 4, 3, 5, 4, 5, 3, &one, &one), CUBLAS_STATUS_INVALID_VALUE) << "ldc";
  EXPECT_EQ(call(handle, 0, 0, 0, 3, 5, 0, 5, 1, &one, &one), CUBLAS_STATUS_INVALID_VALUE) << "lda 0";
  EXPECT_EQ(call(handle, 0, 0, 0, 3, 5, 1, 5, 0, &one, &one), CUBLAS_STATUS_INVALID_VALUE) << "ldc 0";
  EXPECT_EQ(call(handle, 0, 0, 4, 3, 5, 4, 5, 4, nullptr, &one), CUBLAS_STATUS_INVALID_VALUE) << "alpha";
  EXPECT_EQ(call(handle, 0, 0, 4, 3, 5, 4, 5, 4, &one, nullptr), CUBLAS_STATUS_INVALID_VALUE) << "beta";
  for (const float kept : z) EXPECT_EQ(kept, 3);
  EXPECT_EQ(call(handle, 0, 0, 4, 3, 5, 4, 5, 4, &one, &one), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(z[0], 8) << "the right call was not made";
}

}  // namespace
