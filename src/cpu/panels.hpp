// Narrow types on a machine that multiplies f32: a panel of A and one of B are widened to f32,
// multiplied there, and the f32 sums are scaled and rounded once into C. This file says how a
// problem is cut and converts the panels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "src/call.hpp"

namespace cairn::cpu {

// The f32 panels of one worker, and how many elements of m, n and k they hold.
struct Panels {
  // Widening a panel pair takes 2 conversions per kSize multiply-adds. Larger gains little and no
  // longer fits a shared cache.
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
