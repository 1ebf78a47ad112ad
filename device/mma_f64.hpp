// mma.sync of f64: a warp multiplies a tile of 16 x k by one of k x 8, or 8 x 4 by 4 x 8, and adds the product to the
// accumulators, all in registers. Each sum is a chain of fused multiply-adds in ascending order of k, every one rounded
// as IEEE 754 says.
// Which lane holds which element: `cairn info fragment --op mma --type f64`. 8 x 8 x 4 is of sm_80, the others of sm_90;
// before it they are made of the first, with the same elements in the same lanes and the same bits.
//
// With row = lane / 4 and col = lane % 4 a lane holds
//   a       (row, col)  (row + 8, col)  (row, col + 4)  (row + 8, col + 4)  …   up to k
//   b       (col, row)  (col + 4, row)  …
//   acc     (row, 2 col)  (row, 2 col + 1)  (row + 8, 2 col)  (row + 8, 2 col + 1)
// and of 8 x 8 x 4 the first of a and b, and the first two of acc.
#pragma once

#include <cuda_runtime.h>

namespace cairn {

// acc += a b, 8 x 8 x 4.
__device__ __forceinline__ void mma(double (&acc)[2], const double (&a)[1], const double (&b)[1]) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(acc[0]), "+d"(acc[1])
               : "d"(a[0]), "d"(b[0]));
#else  // compiled for an older GPU, which the card of a rung that needs this excludes
  __trap();
#endif
}

namespace detail {
// acc += a b, 16 x 8 x k, by multiplications of 8 x 8 x 4.
template <int k>
__device__ __forceinline__ void mma_by_parts(double (&acc)[4], const double (&a)[k / 2], const double (&b)[k / 4]) {
  double upper[2] = {acc[0], acc[1]}, lower[2] = {acc[2], acc[3]};
#pragma unroll
  for (int i = 0; i < k / 4; ++i) {  // the two chains take turns, each waiting for its last sum
    const double above[1] = {a[2 * i]}, below[1] = {a[2 * i + 1]}, one[1] = {b[i]};
    mma(upper, above, one);
    mma(lower, below, one);
  }
  acc[0] = upper[0], acc[1] = upper[1], acc[2] = lower[0], acc[3] = lower[1];
}
}  // namespace detail

// acc += a b, 16 x 8 x 4.
__device__ __forceinline__ void mma(double (&acc)[4], const double (&a)[2], const double (&b)[1]) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+d"(acc[0]), "+d"(acc[1]), "+d"(acc[2]), "+d"(acc[3])
               : "d"(a[0]), "d"(a[1]), "d"(b[0]));
#else
  detail::mma_by_parts<4>(acc, a, b);
#endif
}

// acc += a b, 16 x 8 x 8.
__device__ __forceinline__ void mma(double (&acc)[4], const double (&a)[4], const double (&b)[2]) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+d"(acc[0]), "+d"(acc[1]), "+d"(acc[2]), "+d"(acc[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
  detail::mma_by_parts<8>(acc, a, b);
#endif
}

// acc += a b, 16 x 8 x 16.
__device__ __forceinline__ void mma(double (&acc)[4], const double (&a)[8], const double (&b)[4]) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, "
      "{%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(acc[0]), "+d"(acc[1]), "+d"(acc[2]), "+d"(acc[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]),
        "d"(b[2]), "d"(b[3]));
#else
  detail::mma_by_parts<16>(acc, a, b);
#endif
}

}  // namespace cairn
