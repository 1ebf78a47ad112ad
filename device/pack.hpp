// Rounds two floats to a 16-bit type, packed in one register, the first in its lower half.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace cairn {

template <class Out> __device__ __forceinline__ std::uint32_t pack(float low, float high);
template <> __device__ __forceinline__ std::uint32_t pack<__half>(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  return std::uint32_t{__half_as_ushort(__low2half(pair))} | std::uint32_t{__half_as_ushort(__high2half(pair))} << 16;
}
template <> __device__ __forceinline__ std::uint32_t pack<__nv_bfloat16>(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return std::uint32_t{__bfloat16_as_ushort(__low2bfloat16(pair))} |
         std::uint32_t{__bfloat16_as_ushort(__high2bfloat16(pair))} << 16;
}

}  // namespace cairn
