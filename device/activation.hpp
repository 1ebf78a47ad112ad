// Activations. Those that are smooth have one form, x / (1 + 2^-u) with u = x P(x²): for SiLU P is a constant, for GELU
// by tanh it is linear, and for GELU a polynomial by which 1 / (1 + 2^-u) is the normal distribution.
#pragma once

#include <cuda_runtime.h>

#include "cairn/types.hpp"

namespace cairn {

// 2^x and 1 / x within 2^-22, subnormal results and divisors taken as 0.
__device__ __forceinline__ float fast_exp2(float x) {
#ifdef CAIRN_EMULATED
  return exp2f(x);
#else
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#endif
}
__device__ __forceinline__ float fast_reciprocal(float x) {
#ifdef CAIRN_EMULATED
  return 1 / x;
#else
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#endif
}

namespace detail {
// At minus infinity x / (1 + 2^-u) has the limit 0, as it has in f32 from -100 on. NaN stays NaN. The gate is computed
// for every x: the compiler would put a branch around assembly that one side alone needs.
__device__ __forceinline__ float gated(float x, float u) {
  const float gate = fast_reciprocal(1 + fast_exp2(-u));
  return x < -100 ? 0.0f : x * gate;
}
__device__ __forceinline__ float silu(float x) { return gated(x, 1.44269504f * x); }
__device__ __forceinline__ float gelu_tanh(float x) { return gated(x, x * fmaf(0.102943240f, x * x, 2.30220820f)); }
// The polynomial was fitted over [-6, 6], where it is within 3e-8 of the distribution.
__device__ __forceinline__ float gelu(float x) {
  const float s = x * x;
  float p = 5.0672384e-09f;
  p = fmaf(p, s, -3.81631353e-07f);
  p = fmaf(p, s, 1.14398345e-05f);
  p = fmaf(p, s, -0.000159579944f);
  p = fmaf(p, s, -9.40492162e-05f);
  p = fmaf(p, s, 0.104835122f);
  p = fmaf(p, s, 2.3022093f);
  return gated(x, x * p);
}
}  // namespace detail

// Applies it to n values, f32.
template <int n> __device__ __forceinline__ void activate(Activation activation, float (&x)[n]) {
  const auto each = [&](auto&& f) {
#pragma unroll
    for (int i = 0; i < n; ++i) x[i] = f(x[i]);
  };
  if (activation == Activation::none) return;
  if (activation == Activation::relu) return each([](float v) { return v < 0 ? 0.0f : v; });
  if (activation == Activation::silu) return each([](float v) { return detail::silu(v); });
  if (activation == Activation::gelu_tanh) return each([](float v) { return detail::gelu_tanh(v); });
  each([](float v) { return detail::gelu(v); });
}

// In f64, where a product is slow enough for functions that are right to the last digits.
template <int n> __device__ __forceinline__ void activate(Activation activation, double (&x)[n]) {
#pragma unroll 1
  for (double& v : x) {
    if (activation == Activation::none) break;
    if (activation == Activation::relu || (v < 0 && isinf(v))) {
      v = v < 0 ? 0 : v;
    } else if (activation == Activation::gelu) {
      v = 0.5 * v * erfc(v * -0.70710678118654752440);
    } else {
      constexpr double twice = 1.59576912160573071176;  // 2 sqrt(2 / pi)
      v /= 1 + exp(-(activation == Activation::silu ? v : twice * (v + 0.044715 * v * v * v)));
    }
  }
}

}  // namespace cairn
