// Products of types narrower than f32 by an f32 GEMM: a panel of A and one of B are converted to f32
// and multiplied, and the f32 results are scaled and rounded once into C. This file divides a problem
// into panels and converts them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/call.hpp"

namespace cairn::cpu {

// The f32 panels of one worker, and how many elements of m, n and k they hold.
struct Panels {
  // Each element of a panel pair is converted once for kSize multiply-adds. Larger panels gain little
  // and no longer fit a shared cache.
  static constexpr std::int64_t kSize = 1024;

  std::int64_t m, n, k;
  float* a = nullptr;  // (m, k), or (k, m) where op_a transposes
  float* b = nullptr;  // (k, n), or (n, k)
  float* c = nullptr;  // (m, n)

  explicit Panels(const Problem& p);
  std::size_t bytes() const;  // a multiple of 64
  void place(std::byte* memory);
};

// Reads lines x cols elements of `type`, ld apart, into dense f32 lines.
void widen(Type type, const void* from, std::int64_t ld, std::int64_t lines, std::int64_t cols, float* to);

// C = alpha * sums + beta * C over lines x cols, in f32, rounded once to `type`. beta = 0 does not
// read C.
void narrow(float alpha, const float* sums, float beta, Type type, void* C, std::int64_t ldc, std::int64_t lines,
            std::int64_t cols);

}  // namespace cairn::cpu
