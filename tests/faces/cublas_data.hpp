// Matrices for the tests of the cuBLAS-shaped face, and products of them by plain loops in double.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#undef assert  // GoogleTest's; the header below brings that of kernels
#include "emu/shadow/cublas_v2.h"

namespace cublas_test {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class T> double wide(T x) { return static_cast<double>(x); }
inline double wide(__half x) { return static_cast<double>(static_cast<float>(x)); }
inline double wide(__nv_bfloat16 x) { return static_cast<double>(static_cast<float>(x)); }

// Half the distance from 1 to the next number.
inline double unit(double) { return std::ldexp(1, -53); }
inline double unit(float) { return std::ldexp(1, -24); }
inline double unit(__half) { return std::ldexp(1, -11); }
inline double unit(__nv_bfloat16) { return std::ldexp(1, -8); }
// What sums of T are kept in.
inline double sum_unit(double x) { return unit(x); }
template <class T> double sum_unit(T) { return unit(1.0F); }

// In column order; what lies between the end of a column and the next one is not part of it.
template <class T> struct Matrix {
  int rows, cols, ld;
  std::vector<T> data;

  Matrix(int m, int n, int leading, std::uint32_t seed)
      : rows(m), cols(n), ld(leading), data(static_cast<std::size_t>(leading) * static_cast<std::size_t>(n)) {
    std::mt19937 random(seed);
    for (T& x : data) x = T(static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 700.0F);
  }
  T& at(int i, int j) {
    return data[static_cast<std::size_t>(j) * static_cast<std::size_t>(ld) + static_cast<std::size_t>(i)];
  }
  double get(int i, int j) const { return wide(const_cast<Matrix*>(this)->at(i, j)); }
  double get(cublasOperation_t op, int i, int j) const { return op == CUBLAS_OP_N ? get(i, j) : get(j, i); }
  T* begin() { return data.data(); }
  const T* begin() const { return data.data(); }
};

struct Handle {
  cublasHandle_t raw = nullptr;
  Handle() { EXPECT_EQ(cublasCreate(&raw), CUBLAS_STATUS_SUCCESS); }
  ~Handle() { EXPECT_EQ(cublasDestroy(raw), CUBLAS_STATUS_SUCCESS); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator cublasHandle_t() const { return raw; }
};

// That |got - want| <= bound; a NaN never is.
#define EXPECT_WITHIN(got, want, bound, where)      \
  EXPECT_TRUE(std::fabs((got) - (want)) <= (bound)) \
      << (got) << " for " << (want) << ", allowed " << (bound) << ", at " << (where)

// Whether `got` is alpha * op(A) * op(B) + beta * before, but for rounding: k additions and multiplications of sums, and one
// of the result. Outside of the matrix nothing may have changed.
template <class In, class Out>
void expect_product(const Matrix<Out>& got, const Matrix<Out>& before, double alpha, cublasOperation_t op_a,
                    const Matrix<In>& A, cublasOperation_t op_b, const Matrix<In>& B, double beta, int k) {
  for (int j = 0; j < got.cols; ++j) {
    for (int i = 0; i < got.rows; ++i) {
      double sum = 0, size = 0;
      for (int l = 0; l < k; ++l) {
        const double product = A.get(op_a, i, l) * B.get(op_b, l, j);
        sum += product, size += std::fabs(product);
      }
      double want = alpha * sum;
      size *= std::fabs(alpha);
      if (beta != 0) want += beta * before.get(i, j), size += std::fabs(beta * before.get(i, j));
      const double bound = (k + 4) * sum_unit(In()) * size + 2 * unit(Out()) * std::fabs(want) + 1e-37;
      EXPECT_WITHIN(got.get(i, j), want, bound, ::testing::PrintToString(std::pair(i, j)));
      if (::testing::Test::HasFailure()) return;
    }
    for (int i = got.rows; i < got.ld; ++i) EXPECT_EQ(got.get(i, j), before.get(i, j)) << "below column " << j;
  }
}

}  // namespace cublas_test
