// mma.sync: a warp multiplies a tile of 16 x k by one of k x 8 and adds the product to 16 x 8 accumulators, all in
// registers.
// Which lane holds which element: `cairn info fragment --op mma`. sm_80.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "device/tf32.hpp"

namespace cairn {

// acc += a b, 16 x 8 x 16. In: __half or __nv_bfloat16, two in a register.
//
// With row = lane / 4 and col = lane % 4 * 2 a lane holds, each with its right (of b: lower) neighbour,
//   a       (row, col)  (row + 8, col)  (row, col + 8)  (row + 8, col + 8)
//   b       (col, row)  (col + 8, row)
//   acc     (row, col)  (row + 8, col)
template <class In>
__device__ __forceinline__ void mma(float (&acc)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]);

// acc += a b, 16 x 8 x 8, with half the registers. Tf32 takes as many registers as above, one element in each:
//   a       (row, lane % 4)  (row + 8, lane % 4)  (row, lane % 4 + 4)  (row + 8, lane % 4 + 4)
//   b       (lane % 4, row)  (lane % 4 + 4, row)
template <class In>
__device__ __forceinline__ void mma(float (&acc)[4], const std::uint32_t (&a)[2], const std::uint32_t (&b)[1]);

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define CAIRN_MMA(name, a, b)                                           \
  asm volatile(name                                                     \
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "        \
               "{%0, %1, %2, %3};"                                      \
               : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3]) \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define CAIRN_MMA_HALF(name, a, b)                                         \
  asm volatile(name " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" \
               : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])    \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]))
#else  // compiled for an older GPU, which the card of a rung that needs this excludes
#define CAIRN_MMA(name, a, b) __trap()
#define CAIRN_MMA_HALF(name, a, b) __trap()
#endif

template <>
__device__ __forceinline__ void mma<__half>(float (&acc)[4], const std::uint32_t (&a)[4],
                                            const std::uint32_t (&b)[2]) {
  CAIRN_MMA("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", a, b);
}
template <>
__device__ __forceinline__ void mma<__nv_bfloat16>(float (&acc)[4], const std::uint32_t (&a)[4],
                                                   const std::uint32_t (&b)[2]) {
  CAIRN_MMA("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", a, b);
}
template <>
__device__ __forceinline__ void mma<Tf32>(float (&acc)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  CAIRN_MMA("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", a, b);
}
template <>
__device__ __forceinline__ void mma<__half>(float (&acc)[4], const std::uint32_t (&a)[2],
                                            const std::uint32_t (&b)[1]) {
  CAIRN_MMA_HALF("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", a, b);
}
template <>
__device__ __forceinline__ void mma<__nv_bfloat16>(float (&acc)[4], const std::uint32_t (&a)[2],
                                                   const std::uint32_t (&b)[1]) {
  CAIRN_MMA_HALF("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", a, b);
}

#undef CAIRN_MMA
#undef CAIRN_MMA_HALF

}  // namespace cairn
