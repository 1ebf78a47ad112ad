// e4m3, the 8-bit float of tensor cores: 4 exponent bits, 3 mantissa bits, no infinity. sm_89.
#pragma once

#include <cstdint>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace cairn {

// An element of C; and, as a template argument, the type of tensor-core operands with four elements in a register.
struct E4m3 {
  std::uint8_t bits;

  E4m3() = default;
  // Rounds to nearest, ties to even; saturates at 448.
  __device__ __forceinline__ explicit E4m3(float x) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
    std::uint16_t pair = 0;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
    bits = static_cast<std::uint8_t>(pair);
#else
    __trap();  // never reached: the card of a rung that needs this refuses older GPUs
#endif
  }
  __device__ __forceinline__ explicit operator float() const {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 890
    std::uint32_t pair = 0;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(std::uint16_t{bits}));
    return __half2float(__ushort_as_half(static_cast<unsigned short>(pair)));
#else
    __trap();
    return 0;
#endif
  }
};

}  // namespace cairn
