#include "faces/cublas/tensor_order.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

namespace cairn::cublas {
namespace {

constexpr std::int64_t kRows = 128;  // of C that are worked on at once
constexpr std::int64_t kStep = 16;   // of k that one instruction multiplies

float number(const void* matrix, cairn_type type, std::int64_t at) {
  const std::uint16_t bits = static_cast<const std::uint16_t*>(matrix)[at];
  return type == CAIRN_F16 ? __half2float(__ushort_as_half(bits)) : __bfloat162float(__ushort_as_bfloat16(bits));
}

// op(matrix)(row, col) of a matrix in column order.
std::int64_t place(cublasOperation_t op, std::int64_t ld, std::int64_t row, std::int64_t col) {
  return op == CUBLAS_OP_N ? row + col * ld : col + row * ld;
}

class Stripe {
 public:
  Stripe(const Product& p, const void* A, const std::vector<float>& b) : p_(p), a_(A), b_(b) {}

  // Rows first … first + count of op(A) op(B), one after the other for each column.
  const std::vector<float>& sums(std::int64_t first, std::int64_t count) {
    sums_.assign(static_cast<std::size_t>(kRows * p_.n), 0.0f);
    for (std::int64_t k = 0; k < p_.k; k += kStep) {
      const std::int64_t depth = std::min(kStep, p_.k - k);
      for (std::int64_t l = 0; l < depth; ++l)
        for (std::int64_t i = 0; i < kRows; ++i)
          step_[static_cast<std::size_t>(l * kRows + i)] =
              i < count ? static_cast<double>(number(a_, p_.in, place(p_.op_a, p_.lda, first + i, k + l))) : 0.0;
      for (std::int64_t j = 0; j < p_.n; ++j) add(j, k, depth);
    }
    return sums_;
  }

 private:
  // The exact sum of the products and of what there was, rounded once.
  void add(std::int64_t j, std::int64_t k, std::int64_t depth) {
    float* sums = &sums_[static_cast<std::size_t>(j * kRows)];
    std::array<double, kRows> wide;
    for (std::size_t i = 0; i < kRows; ++i) wide[i] = static_cast<double>(sums[i]);
    for (std::int64_t l = 0; l < depth; ++l) {
      const auto factor = static_cast<double>(b_[static_cast<std::size_t>(j * p_.k + k + l)]);
      const double* column = &step_[static_cast<std::size_t>(l * kRows)];
      for (std::size_t i = 0; i < kRows; ++i) wide[i] += column[i] * factor;
    }
    for (std::size_t i = 0; i < kRows; ++i) sums[i] = static_cast<float>(wide[i]);
  }

  const Product& p_;
  const void* a_;
  const std::vector<float>& b_;
  std::vector<float> sums_;
  std::array<double, kRows * kStep> step_;
};

void store(const Product& p, float value, float beta, void* C, std::int64_t at) {
  const auto with = [&](float old) { return beta == 0 ? value : value + beta * old; };
  if (p.out == CAIRN_F32) {
    float& to = static_cast<float*>(C)[at];
    to = with(to);
    return;
  }
  auto& to = static_cast<std::uint16_t*>(C)[at];
  const float sum = with(beta == 0 ? 0.0f : number(C, p.out, at));
  to = p.out == CAIRN_F16 ? __half_as_ushort(__float2half(sum)) : __bfloat16_as_ushort(__float2bfloat16(sum));
}

}  // namespace

void multiply_in_tensor_order(const Product& p, float alpha, float beta, const void* A, const void* B, void* C) {
  std::vector<float> b(static_cast<std::size_t>(p.n * p.k));  // op(B), columns one after the other
  for (std::int64_t j = 0; j < p.n; ++j)
    for (std::int64_t l = 0; l < p.k; ++l)
      b[static_cast<std::size_t>(j * p.k + l)] = number(B, p.in, place(p.op_b, p.ldb, l, j));
  const auto work = [&](std::int64_t begin, std::int64_t step) {
    Stripe stripe(p, A, b);
    for (std::int64_t first = begin * kRows; first < p.m; first += step * kRows) {
      const std::int64_t count = std::min(kRows, p.m - first);
      const std::vector<float>& sums = stripe.sums(first, count);
      for (std::int64_t j = 0; j < p.n; ++j)
        for (std::int64_t i = 0; i < count; ++i)
          store(p, alpha * sums[static_cast<std::size_t>(j * kRows + i)], beta, C, first + i + j * p.ldc);
    }
  };
  const std::int64_t stripes = (p.m + kRows - 1) / kRows;
  const std::int64_t most = p.m * p.n * p.k < (1 << 20) ? 1 : std::max(1u, std::thread::hardware_concurrency());
  const std::int64_t count = std::min(stripes, most);
  std::vector<std::jthread> threads;
  for (std::int64_t i = 1; i < count; ++i) threads.emplace_back(work, i, count);
  work(0, count);
}

}  // namespace cairn::cublas
