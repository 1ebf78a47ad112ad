// What a problem asks for beyond alpha * op(A) * op(B) + beta * C: a bias, an activation, and the value before it stored
// beside C. Threads apply it to neighbours in a row of C, in loops that are not unrolled: the functions are long.
#pragma once

#include <cstdint>
#include <type_traits>

#include <cuda_runtime.h>

#include "cairn/types.hpp"
#include "device/activation.hpp"
#include "device/scaled_sum.hpp"
#include "device/vec.hpp"

namespace cairn {

// An argument of a kernel.
struct Epilogue {
  const void* bias;
  void* before;
  std::int64_t stride_bias;  // from a product of the batch to the next
  Bias side;
  bool wide_bias;  // of the accumulator's type, else of C's
  bool vector;     // all that is read and stored allows 16-byte accesses
  Activation activation;
  bool any;  // false: there is none
};

// `vector_c`: C allows 16-byte accesses.
inline Epilogue epilogue_of(const Problem& p, const void* bias, void* before, bool vector_c) {
  const auto aligned = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % 16 == 0; };
  void* const stored = p.before == Before::stored ? before : nullptr;
  return {.bias = bias,
          .before = stored,
          .stride_bias = p.stride_bias,
          .side = p.bias,
          .wide_bias = p.bias_type == accumulator(p.in),
          .vector = vector_c && aligned(stored) && aligned(bias) && p.stride_bias * size_of(p.bias_type) % 16 == 0,
          .activation = p.activation,
          .any = p.has_epilogue()};
}

// Where an element is: the index in C, the product of the batch, and there the row and the column.
struct Place {
  std::int64_t index, batch, row, col;
};

namespace detail {
// n neighbours in memory, in accesses of up to 16 bytes.
template <class T, int n> struct alignas(n * sizeof(T) < 16 ? n * sizeof(T) : 16) Neighbours { T at[n]; };
template <class From, int n, class T> __device__ __forceinline__ void load_all(T (&to)[n], const From* from) {
  const auto some = *reinterpret_cast<const Neighbours<From, n>*>(from);
#pragma unroll
  for (int e = 0; e < n; ++e) to[e] = static_cast<T>(some.at[e]);
}
template <class To, int n, class T> __device__ __forceinline__ void store_all(To* to, const T (&from)[n]) {
  Neighbours<To, n> some;
#pragma unroll
  for (int e = 0; e < n; ++e) some.at[e] = static_cast<To>(from[e]);
  *reinterpret_cast<Neighbours<To, n>*>(to) = some;
}
// A sum that the compiler does not fuse with the product before it: the bits of C are the same on every path.
__device__ __forceinline__ float sum_of(float a, float b) { return __fadd_rn(a, b); }
__device__ __forceinline__ double sum_of(double a, double b) { return __dadd_rn(a, b); }
}  // namespace detail

// Makes of n sums, neighbours in a row of C from `at` on, the values before the activation, and stores them if they
// are asked for. More than one only where `vector` is true.
template <class Out, int n, class T>
__device__ __forceinline__ void before_activation(const Epilogue& e, const void* C, const Place& at, T (&x)[n],
                                                  T alpha, T beta) {
  if (beta == 0) {
#pragma unroll
    for (T& v : x) v *= alpha;
  } else {
    T c[n];
    detail::load_all(c, static_cast<const Out*>(C) + at.index);
#pragma unroll
    for (int i = 0; i < n; ++i) x[i] = scaled_sum(alpha, x[i], beta, c[i]);
  }
  const auto add_bias = [&]<class In>(const In* bias) {
    T values[n];
    if (e.side == Bias::columns) {
      detail::load_all(values, bias + at.batch * e.stride_bias + at.col);
    } else {
      const T same = static_cast<T>(bias[at.batch * e.stride_bias + at.row]);
#pragma unroll
      for (T& v : values) v = same;
    }
#pragma unroll
    for (int i = 0; i < n; ++i) x[i] = detail::sum_of(x[i], values[i]);
  };
  if (e.side != Bias::none && e.wide_bias) add_bias(static_cast<const T*>(e.bias));
  if (e.side != Bias::none && !e.wide_bias) add_bias(static_cast<const Out*>(e.bias));
  if (e.before != nullptr) detail::store_all(static_cast<Out*>(e.before) + at.index, x);
}

// Finishes n sums and stores them in C.
template <class Out, int n, class T>
__device__ __forceinline__ void finish(const Epilogue& e, void* C, const Place& at, T (&x)[n], T alpha, T beta) {
  before_activation<Out>(e, C, at, x, alpha, beta);
  activate(e.activation, x);
  detail::store_all(static_cast<Out*>(C) + at.index, x);
}

// Calls put(i, x) for n neighbours, of which `left` are in the matrix: with all of them if `vector`, else with one after
// the other. sum(i) is what x holds of the i-th; or `sum` points to all, in memory that is aligned to 16 bytes.
template <int n, class Sum, class Put>
__device__ __forceinline__ void for_neighbours(bool vector, int left, Sum sum, Put&& put) {
  if (vector && left >= n) {
    float x[n];
    if constexpr (std::is_convertible_v<Sum, const float*>) {
#pragma unroll
      for (int i = 0; i < n; i += 4) load4(x + i, sum + i);
    } else {
#pragma unroll
      for (int i = 0; i < n; ++i) x[i] = sum(i);
    }
    put(0, x);
  } else {
#pragma unroll 1
    for (int i = 0; i < min(left, n); ++i) {
      float x[1];
      if constexpr (std::is_convertible_v<Sum, const float*>) {
        x[0] = sum[i];
      } else {
        x[0] = sum(i);
      }
      put(i, x);
    }
  }
}

// Finishes and stores n neighbours of C from `at` on, of which `left` are in the matrix; sum(i) is the i-th.
template <class Out, int n, class Sum>
__device__ __forceinline__ void finish_neighbours(const Epilogue& e, void* C, const Place& at, int left, Sum sum,
                                                  float alpha, float beta) {
  for_neighbours<n>(e.vector, left, sum, [&](int i, auto& x) {
    finish<Out>(e, C, {at.index + i, at.batch, at.row, at.col + i}, x, alpha, beta);
  });
}

}  // namespace cairn
