// What a problem asks for beyond alpha * op(A) * op(B) + beta * C: a bias, an activation, and the value before it stored
// beside C. Threads apply it to one element after the other, in loops that are not unrolled: the functions are long.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "cairn/types.hpp"
#include "device/scaled_sum.hpp"

namespace cairn {

// An argument of a kernel.
struct Epilogue {
  const void* bias;
  void* before;
  std::int64_t stride_bias;  // from a product of the batch to the next
  Bias side;
  bool wide_bias;  // of the accumulator's type, else of C's
  Activation activation;
  bool any;  // false: there is none
};

inline Epilogue epilogue_of(const Problem& p, const void* bias, void* before) {
  return {bias,
          p.before == Before::stored ? before : nullptr,
          p.stride_bias,
          p.bias,
          p.bias_type == accumulator(p.in),
          p.activation,
          p.has_epilogue()};
}

// NaN stays NaN, and at minus infinity each has its limit, 0.
template <class T> __device__ __forceinline__ T activated(Activation activation, T x) {
  if (activation == Activation::none) return x;
  if (activation == Activation::relu) return x < 0 ? T(0) : x;
  if (x < 0 && isinf(x)) return 0;
  if (activation == Activation::gelu) return T(0.5) * x * erfc(x * T(-0.70710678118654752440));
  // x (1 + tanh u) / 2 = x / (1 + exp(-2 u)), which keeps its digits where tanh u is close to -1.
  constexpr T twice = T(1.59576912160573071176);  // 2 sqrt(2 / pi)
  const T u = activation == Activation::silu ? x : twice * (x + T(0.044715) * x * x * x);
  return x / (1 + exp(-u));
}

// What is added to an element in `row` and `col` of product `batch`.
template <class Out, class T>
__device__ __forceinline__ T bias_at(const Epilogue& e, std::int64_t batch, std::int64_t row, std::int64_t col) {
  if (e.side == Bias::none) return 0;
  const std::int64_t i = batch * e.stride_bias + (e.side == Bias::rows ? row : col);
  return e.wide_bias ? static_cast<const T*>(e.bias)[i] : static_cast<T>(static_cast<const Out*>(e.bias)[i]);
}

// Finishes and stores the element of C at index `at`, which is in `row` and `col` of product `batch`. T accumulates.
template <class Out, class T>
__device__ __forceinline__ void finish(const Epilogue& e, void* C, std::int64_t at, std::int64_t batch,
                                       std::int64_t row, std::int64_t col, T sum, T alpha, T beta) {
  Out* const c = static_cast<Out*>(C) + at;
  T x = beta == 0 ? alpha * sum : scaled_sum(alpha, sum, beta, static_cast<T>(*c));
  x += bias_at<Out, T>(e, batch, row, col);
  if (e.before != nullptr) static_cast<Out*>(e.before)[at] = static_cast<Out>(x);
  *c = static_cast<Out>(activated(e.activation, x));
}

}  // namespace cairn
