// TF32: a float of which tensor cores read the sign, 8 bits of exponent and the first 10 bits of the mantissa. sm_80.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

namespace cairn {

// Stands for the type of a tensor-core operand that is stored as float and read as TF32.
struct Tf32 {};

// The nearest TF32, ties away from zero, as a float: the other 13 bits are 0. A tensor core would truncate them:
// twice the error, and always towards zero.
__device__ __forceinline__ float to_tf32(float x) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  std::uint32_t bits = 0;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return __uint_as_float(bits);
#else
  __trap();  // compiled for an older GPU, which the card of a rung that needs this excludes
  return x;
#endif
}

}  // namespace cairn
