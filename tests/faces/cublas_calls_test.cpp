// The cuBLAS-shaped face but for products: handles, copies, vectors, and what is told to the emulator.
#include <array>
#include <string>
#include <utility>

#include "tests/faces/cublas_data.hpp"

namespace {
std::vector<std::pair<const void*, std::size_t>> told;  // what was written, as the emulator is told
}
extern "C" void cairn_device_written(const void* start, std::size_t bytes);
extern "C" void cairn_device_written(const void* start, std::size_t bytes) { told.emplace_back(start, bytes); }

namespace {

using namespace cublas_test;
using Told = std::vector<std::pair<const void*, std::size_t>>;

constexpr auto kOk = CUBLAS_STATUS_SUCCESS;
constexpr auto kInvalid = CUBLAS_STATUS_INVALID_VALUE;
constexpr auto kNone = CUBLAS_STATUS_NOT_INITIALIZED;

TEST(CublasHandle, KeepsItsSettings) {
  const Handle handle;
  cudaStream_t stream = nullptr;
  auto* const other = reinterpret_cast<cudaStream_t>(&stream);
  EXPECT_EQ(cublasSetStream(handle, other), kOk);
  EXPECT_EQ(cublasGetStream(handle, &stream), kOk);
  EXPECT_EQ(stream, other);
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  EXPECT_EQ(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH), kOk);
  EXPECT_EQ(cublasGetMathMode(handle, &math), kOk);
  EXPECT_EQ(math, CUBLAS_TF32_TENSOR_OP_MATH);
  cublasPointerMode_t mode = CUBLAS_POINTER_MODE_DEVICE;
  EXPECT_EQ(cublasGetPointerMode(handle, &mode), kOk);
  EXPECT_EQ(mode, CUBLAS_POINTER_MODE_HOST);
  EXPECT_EQ(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), kOk);
  EXPECT_EQ(cublasGetPointerMode(handle, &mode), kOk);
  EXPECT_EQ(mode, CUBLAS_POINTER_MODE_DEVICE);
  EXPECT_EQ(cublasSetPointerMode(handle, static_cast<cublasPointerMode_t>(5)), kInvalid);
  alignas(256) std::array<char, 512> memory;
  EXPECT_EQ(cublasSetWorkspace(handle, memory.data(), 512), kOk);
  EXPECT_EQ(cublasSetWorkspace(handle, memory.data() + 8, 256), kInvalid);
  int version = 0;
  EXPECT_EQ(cublasGetVersion(handle, &version), kOk);
  EXPECT_EQ(version, CUBLAS_VERSION);
}

TEST(CublasHandle, NoHandleIsSaid) {
  cudaStream_t stream = nullptr;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  EXPECT_EQ(cublasCreate(nullptr), kInvalid);
  EXPECT_EQ(cublasDestroy(nullptr), kNone);
  EXPECT_EQ(cublasSetStream(nullptr, nullptr), kNone);
  EXPECT_EQ(cublasGetStream(nullptr, &stream), kNone);
  EXPECT_EQ(cublasGetMathMode(nullptr, &math), kNone);
  EXPECT_EQ(cublasSetWorkspace(nullptr, nullptr, 0), kNone);
}

TEST(CublasHandle, NamesOfStates) {
  EXPECT_EQ(std::string(cublasGetStatusName(kOk)), "CUBLAS_STATUS_SUCCESS");
  EXPECT_EQ(std::string(cublasGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED)), "CUBLAS_STATUS_NOT_SUPPORTED");
  EXPECT_EQ(std::string(cublasGetStatusString(CUBLAS_STATUS_NOT_SUPPORTED)), "not supported");
  EXPECT_NE(std::string(cublasGetStatusString(static_cast<cublasStatus_t>(99))), "");
}

TEST(CublasCopy, MatricesWithLeadingDimensions) {
  const Matrix<float> from(3, 4, 5, 1);
  Matrix<float> device(3, 4, 7, 2), back(3, 4, 3, 3);
  const Matrix<float> before = device;
  EXPECT_EQ(cublasSetMatrix(3, 4, sizeof(float), from.begin(), 5, device.begin(), 7), kOk);
  EXPECT_EQ(cublasGetMatrix(3, 4, sizeof(float), device.begin(), 7, back.begin(), 3), kOk);
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(back.get(i, j), from.get(i, j));
    for (int i = 3; i < 7; ++i) EXPECT_EQ(device.get(i, j), before.get(i, j)) << "below the matrix";
  }
  EXPECT_EQ(cublasSetMatrix(3, 4, sizeof(float), from.begin(), 2, device.begin(), 7), kInvalid);
  EXPECT_EQ(cublasSetMatrix(3, 4, sizeof(float), from.begin(), 5, device.begin(), 2), kInvalid);
  EXPECT_EQ(cublasGetMatrix(-1, 4, sizeof(float), device.begin(), 7, back.begin(), 3), kInvalid);
  EXPECT_EQ(cublasGetMatrix(3, 4, 0, device.begin(), 7, back.begin(), 3), kInvalid);
}

TEST(CublasCopy, VectorsWithIncrements) {
  const std::array<double, 6> from = {1, 2, 3, 4, 5, 6};
  std::array<double, 9> device{};
  std::array<double, 3> back{};
  EXPECT_EQ(cublasSetVector(3, sizeof(double), from.data(), 2, device.data(), 4), kOk);
  EXPECT_EQ(device, (std::array<double, 9>{1, 0, 0, 0, 3, 0, 0, 0, 5}));
  EXPECT_EQ(cublasGetVector(3, sizeof(double), device.data(), 4, back.data(), 1), kOk);
  EXPECT_EQ(back, (std::array<double, 3>{1, 3, 5}));
  EXPECT_EQ(cublasSetVector(3, sizeof(double), from.data(), 0, device.data(), 4), kInvalid);
  EXPECT_EQ(cublasSetVector(-3, sizeof(double), from.data(), 1, device.data(), 4), kInvalid);
}

// Small whole numbers, so that every result is exact.
TEST(CublasVectors, GiveExactResults) {
  const Handle handle;
  const float two = 2;
  const std::array<float, 6> x = {1, 9, -2, 9, 3, 9};
  std::array<float, 3> y = {10, 20, 30};
  EXPECT_EQ(cublasSaxpy(handle, 3, &two, x.data(), 2, y.data(), -1), kOk);  // y from its end
  EXPECT_EQ(y, (std::array<float, 3>{16, 16, 32}));
  EXPECT_EQ(cublasSscal(handle, 2, &two, y.data(), 2), kOk);
  EXPECT_EQ(y, (std::array<float, 3>{32, 16, 64}));
  float result = 0;
  EXPECT_EQ(cublasSdot(handle, 3, x.data(), 2, y.data(), 1, &result), kOk);
  EXPECT_EQ(result, 32 - 32 + 192);
  EXPECT_EQ(cublasSasum(handle, 3, x.data(), 2, &result), kOk);
  EXPECT_EQ(result, 6);
  const std::array<float, 2> legs = {-3, 4};
  EXPECT_EQ(cublasSnrm2(handle, 2, legs.data(), 1, &result), kOk);
  EXPECT_EQ(result, 5);
  int index = 0;
  EXPECT_EQ(cublasIsamax(handle, 3, x.data(), 2, &index), kOk);
  EXPECT_EQ(index, 3);
  std::array<float, 3> copied{};
  EXPECT_EQ(cublasScopy(handle, 3, x.data(), 2, copied.data(), 1), kOk);
  EXPECT_EQ(copied, (std::array<float, 3>{1, -2, 3}));
}

TEST(CublasVectors, NormsNeitherOverflowNorLoseSmallNumbers) {
  const Handle handle;
  const std::array<float, 2> large = {3e38F, 0}, small = {3e-40F, 4e-40F};
  float result = 0;
  EXPECT_EQ(cublasSnrm2(handle, 2, large.data(), 1, &result), kOk);
  EXPECT_EQ(result, 3e38F);
  EXPECT_EQ(cublasSnrm2(handle, 2, small.data(), 1, &result), kOk);
  EXPECT_NEAR(result, 5e-40, 1e-44);
  const std::array<double, 2> wider = {3e300, 4e300};
  double result64 = 0;
  EXPECT_EQ(cublasDnrm2(handle, 2, wider.data(), 1, &result64), kOk);
  EXPECT_NEAR(result64, 5e300, 1e285);
}

TEST(CublasVectors, NaNIsSeen) {
  const Handle handle;
  const std::array<float, 4> x = {1, 5, static_cast<float>(kNaN), 7};
  float result = 0;
  int index = 0;
  EXPECT_EQ(cublasSnrm2(handle, 4, x.data(), 1, &result), kOk);
  EXPECT_TRUE(std::isnan(result));
  EXPECT_EQ(cublasSdot(handle, 4, x.data(), 1, x.data(), 1, &result), kOk);
  EXPECT_TRUE(std::isnan(result));
  EXPECT_EQ(cublasIsamax(handle, 4, x.data(), 1, &index), kOk);
  EXPECT_EQ(index, 3);
}

TEST(CublasVectors, NoElementsAndWrongArguments) {
  const Handle handle;
  const float one = 1;
  std::array<float, 2> x = {1, 2};
  float result = 7;
  EXPECT_EQ(cublasSdot(handle, 0, nullptr, 1, nullptr, 1, &result), kOk);
  EXPECT_EQ(result, 0);
  EXPECT_EQ(cublasSdot(handle, 2, x.data(), 1, x.data(), 1, nullptr), kInvalid);
  EXPECT_EQ(cublasSaxpy(handle, 2, nullptr, x.data(), 1, x.data(), 1), kInvalid);
  EXPECT_EQ(cublasSaxpy(nullptr, 2, &one, x.data(), 1, x.data(), 1), kNone);
  EXPECT_EQ(cublasSnrm2(nullptr, 2, x.data(), 1, &result), kNone);
  EXPECT_EQ(x, (std::array<float, 2>{1, 2}));
}

TEST(CublasMatrixVector, OfBothOpsAndIncrements) {
  const Handle handle;
  const int m = 301, n = 45;  // more rows than are summed at a time
  const Matrix<float> A(m, n, m + 3, 1);
  const float alpha = 1.5F, beta = -2;
  for (const auto op : {CUBLAS_OP_N, CUBLAS_OP_T}) {
    const int in = op == CUBLAS_OP_N ? n : m, out = op == CUBLAS_OP_N ? m : n;
    const Matrix<float> x(1, in, 2, 2);
    Matrix<float> y(1, out, 3, 3);
    const Matrix<float> before = y;
    EXPECT_EQ(cublasSgemv(handle, op, m, n, &alpha, A.begin(), A.ld, x.begin(), 2, &beta, y.begin(), -3), kOk);
    for (int i = 0; i < out; ++i) {
      double want = 0;
      for (int j = 0; j < in; ++j) want += alpha * A.get(op, i, j) * x.get(0, j);
      const int at = out - 1 - i;  // y begins at its end
      want += beta * before.get(0, at);
      EXPECT_WITHIN(y.get(0, at), want, 1e-12 + 2 * unit(1.0F) * std::fabs(want), i);
    }
    for (int i = 0; i < out; ++i)
      for (int gap = 1; gap < 3; ++gap) EXPECT_EQ(y.get(gap, i), before.get(gap, i));
  }
}

TEST(CublasMatrixVector, BetaZeroDoesNotReadYAndWrongArguments) {
  const Handle handle;
  const double two = 2, zero = 0;
  const std::array<double, 4> A = {1, 2, 3, 4};
  const std::array<double, 2> x = {1, 10};
  std::array<double, 2> y = {kNaN, kNaN};
  const auto call = [&](int m, int n, int lda, int incx, const double* alpha) {
    return cublasDgemv(handle, CUBLAS_OP_N, m, n, alpha, A.data(), lda, x.data(), incx, &zero, y.data(), 1);
  };
  EXPECT_EQ(call(2, 2, 1, 1, &two), kInvalid);
  EXPECT_EQ(call(-1, 2, 2, 1, &two), kInvalid);
  EXPECT_EQ(call(2, 2, 2, 0, &two), kInvalid);
  EXPECT_EQ(call(2, 2, 2, 1, nullptr), kInvalid);
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(call(2, 2, 2, 1, &two), kOk);
  EXPECT_EQ(y, (std::array<double, 2>{62, 84}));
  EXPECT_EQ(call(2, 2, 2, 1, &zero), kOk);
  EXPECT_EQ(y, (std::array<double, 2>{0, 0}));
}

TEST(CublasGeam, AddsAndTransposes) {
  const Handle handle;
  const int m = 45, n = 37;
  const float alpha = 2, beta = -1, zero = 0;
  for (const auto op_a : {CUBLAS_OP_N, CUBLAS_OP_T})
    for (const auto op_b : {CUBLAS_OP_N, CUBLAS_OP_T}) {
      const Matrix<float> A(op_a == CUBLAS_OP_N ? m : n, op_a == CUBLAS_OP_N ? n : m, 50, 1);
      const Matrix<float> B(op_b == CUBLAS_OP_N ? m : n, op_b == CUBLAS_OP_N ? n : m, 51, 2);
      Matrix<float> C(m, n, m + 1, 3);
      EXPECT_EQ(cublasSgeam(handle, op_a, op_b, m, n, &alpha, A.begin(), 50, &beta, B.begin(), 51, C.begin(), m + 1),
                kOk);
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i)
          EXPECT_EQ(C.get(i, j), static_cast<float>(2 * A.get(op_a, i, j) - B.get(op_b, i, j)));
      // A transpose, as programs use it: B is not read.
      EXPECT_EQ(cublasSgeam(handle, op_a, op_b, m, n, &alpha, A.begin(), 50, &zero, nullptr, 51, C.begin(), m + 1),
                kOk);
      EXPECT_EQ(C.get(3, 5), 2 * A.get(op_a, 3, 5));
    }
}

TEST(CublasGeam, InPlaceOnlyWhereNothingMoves) {
  const Handle handle;
  const float one = 1;
  std::array<float, 4> A = {1, 2, 3, 4};
  const std::array<float, 4> B = {10, 20, 30, 40};
  const auto call = [&](cublasOperation_t op, int ldb) {
    return cublasSgeam(handle, op, CUBLAS_OP_N, 2, 2, &one, A.data(), 2, &one, B.data(), ldb, A.data(), 2);
  };
  EXPECT_EQ(call(CUBLAS_OP_T, 2), kInvalid);
  EXPECT_EQ(call(CUBLAS_OP_N, 1), kInvalid);
  EXPECT_EQ(A, (std::array<float, 4>{1, 2, 3, 4}));
  EXPECT_EQ(call(CUBLAS_OP_N, 2), kOk);
  EXPECT_EQ(A, (std::array<float, 4>{11, 22, 33, 44}));
}

// A kernel that is traced may read what was written, and no byte more.
TEST(CublasWritten, IsToldToTheEmulator) {
  const Handle handle;
  const float one = 1;
  const std::array<float, 9> A{}, B{};
  std::array<float, 9> C{};
  told.clear();
  EXPECT_EQ(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 3, 3, &one, A.data(), 2, B.data(), 3, &one, C.data(), 3),
            kOk);
  EXPECT_EQ(told, (Told{{&C[0], 8}, {&C[3], 8}, {&C[6], 8}}));
  told.clear();
  EXPECT_EQ(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 3, 3, &one, A.data(), 3, B.data(), 3, &one, C.data(), 3),
            kOk);
  EXPECT_EQ(told, (Told{{&C[0], 36}}));
  told.clear();
  EXPECT_EQ(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 3, 3, &one, A.data(), 2, B.data(), 3, &one, C.data(), 3),
            kInvalid);
  EXPECT_EQ(told, Told{}) << "a refused call";
  EXPECT_EQ(cublasSscal(handle, 2, &one, C.data(), 2), kOk);
  EXPECT_EQ(told, (Told{{&C[0], 4}, {&C[2], 4}}));
  told.clear();
  EXPECT_EQ(cublasSaxpy(handle, 3, &one, A.data(), 1, C.data(), -1), kOk);
  EXPECT_EQ(told, (Told{{&C[0], 12}})) << "from the lowest address on";
  told.clear();
  EXPECT_EQ(cublasSetMatrix(1, 2, 4, A.data(), 1, C.data(), 2), kOk);
  EXPECT_EQ(told, (Told{{&C[0], 4}, {&C[2], 4}}));
}

}  // namespace
