#include "src/cpu/panels.hpp"

#include <algorithm>

#include "cairn/numbers.hpp"

namespace cairn::cpu {
namespace {

std::size_t padded(std::int64_t floats) { return (static_cast<std::size_t>(floats) * sizeof(float) + 63) / 64 * 64; }

}  // namespace

Panels::Panels(const Problem& p) : m(std::min(p.m, kSize)), n(std::min(p.n, kSize)), k(std::min(p.k, kSize)) {}

std::size_t Panels::bytes() const { return padded(m * k) + padded(k * n) + padded(m * n); }

void Panels::place(std::byte* memory) {
  a = reinterpret_cast<float*>(memory);
  b = reinterpret_cast<float*>(memory + padded(m * k));
  c = reinterpret_cast<float*>(memory + padded(m * k) + padded(k * n));
}

void widen(Type type, const void* from, std::int64_t ld, std::int64_t lines, std::int64_t cols, float* to) {
  with_type(type, [&]<class T>() {
    for (std::int64_t i = 0; i < lines; ++i) {
      const T* __restrict line = static_cast<const T*>(from) + i * ld;
      float* __restrict out = to + i * cols;
      for (std::int64_t j = 0; j < cols; ++j) out[j] = static_cast<float>(line[j]);
    }
  });
}

void narrow(float alpha, const float* sums, float beta, Type type, void* C, std::int64_t ldc, std::int64_t lines,
            std::int64_t cols) {
  with_type(type, [&]<class T>() {
    for (std::int64_t i = 0; i < lines; ++i) {
      const float* __restrict sum = sums + i * cols;
      T* __restrict c = static_cast<T*>(C) + i * ldc;
      if (beta == 0) {
        for (std::int64_t j = 0; j < cols; ++j) c[j] = static_cast<T>(alpha * sum[j]);
      } else {
        for (std::int64_t j = 0; j < cols; ++j) {
          c[j] = static_cast<T>(alpha * sum[j] + beta * static_cast<float>(c[j]));
        }
      }
    }
  });
}

}  // namespace cairn::cpu
