// alpha * sum + beta * c as one multiplication and one fused multiply-add. A compiler may fuse either product, and does
// so differently in the paths of a kernel: the bits of C would depend on how it is aligned.
#pragma once

#include <cmath>

#include <cuda_runtime.h>

namespace cairn {

template <class T> __device__ __forceinline__ T scaled_sum(T alpha, T sum, T beta, T c) {
  const T product = alpha * sum;
  if constexpr (sizeof(T) == 8) return fma(beta, c, product);
  if constexpr (sizeof(T) == 4) return fmaf(beta, c, product);
}

}  // namespace cairn
