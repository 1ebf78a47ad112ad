// What a problem asks for beyond alpha * op(A) * op(B) + beta * C: scales, a bias, an activation, and the value before it
// stored beside C. Threads apply it to neighbours in a row of C, in loops that are not unrolled: the functions are long.
#pragma once

#include <cstdint>
#include <type_traits>

#include <cuda_runtime.h>

#include "cairn/types.hpp"
#include "device/activation.hpp"
#include "device/scaled_sum.hpp"
#include "device/vec.hpp"

namespace cairn {

// The scales of the rows of op(A), or of the columns of op(B). Those in blocks are applied within the sum.
struct Scales {
  const void* data;     // of the accumulator's type; null: there are none
  std::int64_t stride;  // from a product of the batch to the next
  bool vector;          // one for each, else one for all

  // Of row or column `line` of product `batch`.
  template <class T> __device__ __forceinline__ T at(std::int64_t batch, std::int64_t line) const {
    return data == nullptr ? T(1) : static_cast<const T*>(data)[batch * stride + (vector ? line : 0)];
  }
};
inline Scales scales_of(Scale scale, const void* data, std::int64_t stride) {
  const bool here = scale == Scale::tensor || scale == Scale::vector;
  return {here ? data : nullptr, stride, scale == Scale::vector};
}

// Scales of every 128 of k, those of a row or column next to each other.
struct StepScales {
  const float* data;  // null: there are none
  std::int64_t stride;
  bool each;  // for each row or column, else for each 128 of them
};
inline StepScales step_scales_of(Scale scale, const void* data, std::int64_t stride) {
  const bool here = scale == Scale::vector_blocks || scale == Scale::blocks;
  return {here ? static_cast<const float*>(data) : nullptr, stride, scale == Scale::vector_blocks};
}

// Whether anything is applied to a sum when it is complete, or only to the sums of blocks.
inline bool finishes_sums(const Problem& p) {
  const auto after = [](Scale scale) { return scale == Scale::tensor || scale == Scale::vector; };
  return p.bias != Bias::none || p.activation != Activation::none || p.before != Before::none || after(p.scale_a) ||
         after(p.scale_b);
}

// An argument of a kernel.
struct Epilogue {
  Scales a, b;
  StepScales steps_a, steps_b;
  const void* bias;
  void* before;
  std::int64_t stride_bias;  // from a product of the batch to the next
  Bias side;
  bool wide_bias;  // of the accumulator's type, else of C's
  bool vector;     // all that is read and stored allows 16-byte accesses
  Activation activation;
  bool any;        // false: there is none
  bool after_sum;  // finishes_sums()
};

// Of a launch. `vector_c`: C allows 16-byte accesses. Where A and B are not read, neither are their scales. Groups are
// counted as products of a batch, and what goes with all their rows is not one group's.
template <class LaunchArgs> Epilogue epilogue_of(const LaunchArgs& args, bool vector_c) {
  const Problem& p = args.problem;
  const auto aligned = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % 16 == 0; };
  void* const stored = p.before == Before::stored ? args.before : nullptr;
  const void* const scale_a = args.depth() > 0 ? args.scale_a : nullptr;
  const void* const scale_b = args.depth() > 0 ? args.scale_b : nullptr;
  const std::int64_t stride_a = p.is_grouped() ? 0 : p.stride_scale_a,
                     stride_bias = p.is_grouped() && p.bias == Bias::rows ? 0 : p.stride_bias;
  return {.a = scales_of(p.scale_a, scale_a, stride_a),
          .b = scales_of(p.scale_b, scale_b, p.stride_scale_b),
          .steps_a = step_scales_of(p.scale_a, scale_a, stride_a),
          .steps_b = step_scales_of(p.scale_b, scale_b, p.stride_scale_b),
          .bias = args.bias,
          .before = stored,
          .stride_bias = stride_bias,
          .side = p.bias,
          .wide_bias = p.bias_type == accumulator(p.in),
          .vector = vector_c && aligned(stored) && aligned(args.bias) && stride_bias * size_of(p.bias_type) % 16 == 0,
          .activation = p.activation,
          .any = p.has_epilogue(),
          .after_sum = finishes_sums(p)};
}

// Of the products that follow the first so many of a batch, where all of it has the type T.
template <class T> Epilogue following(Epilogue e, std::int64_t products, std::int64_t stride_c) {
  if (e.bias != nullptr) e.bias = static_cast<const T*>(e.bias) + products * e.stride_bias;
  if (e.before != nullptr) e.before = static_cast<T*>(e.before) + products * stride_c;
  for (Scales* scales : {&e.a, &e.b})
    if (scales->data != nullptr) scales->data = static_cast<const T*>(scales->data) + products * scales->stride;
  return e;
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
#pragma unroll
  for (T& v : x) v *= alpha;
  if (e.a.data != nullptr || e.b.data != nullptr) {
    const T row = e.a.at<T>(at.batch, at.row);
#pragma unroll
    for (int i = 0; i < n; ++i) x[i] *= row * e.b.at<T>(at.batch, at.col + i);
  }
  if (beta != 0) {
    T c[n];
    detail::load_all(c, static_cast<const Out*>(C) + at.index);
#pragma unroll
    for (int i = 0; i < n; ++i) x[i] = scaled_sum(T(1), x[i], beta, c[i]);
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
