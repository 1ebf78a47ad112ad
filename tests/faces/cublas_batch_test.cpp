// Batches by the cuBLAS-shaped face: strided ones, and arrays of pointers.
#include <algorithm>

#include "tests/faces/cublas_data.hpp"

namespace {

using namespace cublas_test;

constexpr int kM = 13, kN = 11, kK = 17, kBatch = 5, kPad = 2;
constexpr auto kOpA = CUBLAS_OP_T, kOpB = CUBLAS_OP_N;

// A is stored as k x m. Products follow each other with a gap of 3 columns.
template <class In, class Out = In> struct Batch {
  Matrix<In> A{kK, (kM + 3) * kBatch, kK + kPad, 1}, B{kK, (kN + 3) * kBatch, kK + kPad, 2};
  Matrix<Out> C{kM, (kN + 3) * kBatch, kM + kPad, 3}, before = C;
  long long stride_a = (kM + 3) * (kK + kPad), stride_b = (kN + 3) * (kK + kPad), stride_c = (kN + 3) * (kM + kPad);

  template <class T> static Matrix<T> part(const Matrix<T>& all, int cols, long long first) {
    Matrix<T> one(all.rows, cols, all.ld, 0);
    std::copy_n(all.begin() + first, one.data.size(), one.begin());
    return one;
  }
  // Product i is of the A at i * used_a elements.
  void expect(double alpha, double beta, long long used_a) const {
    for (int i = 0; i < kBatch; ++i) {
      SCOPED_TRACE(i);
      expect_product(part(C, kN, i * stride_c), part(before, kN, i * stride_c), alpha, kOpA, part(A, kM, i * used_a),
                     kOpB, part(B, kN, i * stride_b), beta, kK);
      for (int j = kN; j < kN + 3; ++j)  // the gap
        for (int row = 0; row < kM; ++row) {
          const int col = i * (kN + 3) + j;
          EXPECT_EQ(C.get(row, col), before.get(row, col)) << "between products";
        }
    }
  }
  // Pointers to the products in the order of the batch.
  template <class T> static std::vector<T*> pointers(T* first, long long stride) {
    std::vector<T*> all;
    for (int i = 0; i < kBatch; ++i) all.push_back(first + i * stride);
    return all;
  }
};

TEST(CublasBatch, StridedOfF32AndF64) {
  const Handle handle;
  Batch<float> s;
  const float alpha = 1.5F, beta = 0.5F;
  EXPECT_EQ(
      cublasSgemmStridedBatched(handle, kOpA, kOpB, kM, kN, kK, &alpha, s.A.begin(), s.A.ld, s.stride_a, s.B.begin(),
                                s.B.ld, s.stride_b, &beta, s.C.begin(), s.C.ld, s.stride_c, kBatch),
      CUBLAS_STATUS_SUCCESS);
  s.expect(alpha, beta, s.stride_a);
  Batch<double> d;
  const double alpha64 = 1.5, beta64 = 0.5;
  EXPECT_EQ(
      cublasDgemmStridedBatched(handle, kOpA, kOpB, kM, kN, kK, &alpha64, d.A.begin(), d.A.ld, d.stride_a,
                                d.B.begin(), d.B.ld, d.stride_b, &beta64, d.C.begin(), d.C.ld, d.stride_c, kBatch),
      CUBLAS_STATUS_SUCCESS);
  d.expect(alpha64, beta64, d.stride_a);
}

TEST(CublasBatch, StrideZeroSharesA) {
  const Handle handle;
  Batch<__half> s;
  const __half alpha = 1.5F, beta = 0.5F;
  EXPECT_EQ(cublasHgemmStridedBatched(handle, kOpA, kOpB, kM, kN, kK, &alpha, s.A.begin(), s.A.ld, 0, s.B.begin(),
                                      s.B.ld, s.stride_b, &beta, s.C.begin(), s.C.ld, s.stride_c, kBatch),
            CUBLAS_STATUS_SUCCESS);
  s.expect(1.5, 0.5, 0);
}

TEST(CublasBatch, StridesMayBeNegative) {
  const Handle handle;
  Batch<float> s;
  const float alpha = 1, beta = 1;
  const auto last = kBatch - 1;
  EXPECT_EQ(cublasSgemmStridedBatched(handle, kOpA, kOpB, kM, kN, kK, &alpha, s.A.begin() + last * s.stride_a, s.A.ld,
                                      -s.stride_a, s.B.begin() + last * s.stride_b, s.B.ld, -s.stride_b, &beta,
                                      s.C.begin() + last * s.stride_c, s.C.ld, -s.stride_c, kBatch),
            CUBLAS_STATUS_SUCCESS);
  s.expect(alpha, beta, s.stride_a);
}

TEST(CublasBatch, StridedExOfBfloat16) {
  const Handle handle;
  Batch<__nv_bfloat16, float> s;
  const float alpha = 2, beta = -1;
  EXPECT_EQ(
      cublasGemmStridedBatchedEx(handle, kOpA, kOpB, kM, kN, kK, &alpha, s.A.begin(), CUDA_R_16BF, s.A.ld, s.stride_a,
                                 s.B.begin(), CUDA_R_16BF, s.B.ld, s.stride_b, &beta, s.C.begin(), CUDA_R_32F, s.C.ld,
                                 s.stride_c, kBatch, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
      CUBLAS_STATUS_SUCCESS);
  s.expect(alpha, beta, s.stride_a);
}

TEST(CublasBatch, Pointers) {
  const Handle handle;
  Batch<float> s;
  const auto A = s.pointers<const float>(s.A.begin(), s.stride_a);
  const auto B = s.pointers<const float>(s.B.begin(), s.stride_b);
  const auto C = s.pointers<float>(s.C.begin(), s.stride_c);
  const float alpha = 1.5F, beta = 0;
  for (float* product : C) *product = static_cast<float>(kNaN);
  EXPECT_EQ(cublasSgemmBatched(handle, kOpA, kOpB, kM, kN, kK, &alpha, A.data(), s.A.ld, B.data(), s.B.ld, &beta,
                               C.data(), s.C.ld, kBatch),
            CUBLAS_STATUS_SUCCESS);
  s.expect(alpha, beta, s.stride_a);
}

TEST(CublasBatch, PointersOfOtherTypes) {
  const Handle handle;
  Batch<__half, float> s;
  std::vector<const void*> a, b;
  std::vector<void*> c;
  for (int i = 0; i < kBatch; ++i) {
    a.push_back(s.A.begin() + i * s.stride_a);
    b.push_back(s.B.begin() + i * s.stride_b);
    c.push_back(s.C.begin() + i * s.stride_c);
  }
  const float alpha = 1.5F, beta = 2;
  EXPECT_EQ(cublasGemmBatchedEx(handle, kOpA, kOpB, kM, kN, kK, &alpha, a.data(), CUDA_R_16F, s.A.ld, b.data(),
                                CUDA_R_16F, s.B.ld, &beta, c.data(), CUDA_R_32F, s.C.ld, kBatch, CUBLAS_COMPUTE_32F,
                                CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_SUCCESS);
  s.expect(alpha, beta, s.stride_a);
}

TEST(CublasBatch, WrongArgumentsAreRefused) {
  const Handle handle;
  const float one = 1;
  float x = 1, y = 1, z = 3;
  const float* const A[] = {&x};
  const float* const B[] = {&y};
  float* const C[] = {&z};
  const auto strided = [&](cublasHandle_t h, int batch) {
    return cublasSgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &x, 1, 0, &y, 1, 0, &one, &z, 1, 0,
                                     batch);
  };
  EXPECT_EQ(strided(nullptr, 1), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(strided(handle, -1), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(strided(handle, 2), CUBLAS_STATUS_INVALID_VALUE) << "two products with one C";
  EXPECT_EQ(strided(handle, 0), CUBLAS_STATUS_SUCCESS);
  const auto each = [&](const float* const* a, const float* const* b, float* const* c, int batch) {
    return cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a, 1, b, 1, &one, c, 1, batch);
  };
  EXPECT_EQ(each(nullptr, B, C, 1), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(each(A, nullptr, C, 1), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(each(A, B, nullptr, 1), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(each(A, B, C, -1), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(z, 3);
  EXPECT_EQ(each(A, B, C, 1), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(z, 4);
}

}  // namespace
