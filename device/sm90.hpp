// Instructions that only sm_90a has. Compiled for another GPU they are a trap, which is never reached: the card of a
// rung that needs them refuses such a GPU.
#pragma once

#include <cuda_runtime.h>

// 1 in the device pass for sm_90a and in the host pass.
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define CAIRN_SM90A 1
#else
#define CAIRN_SM90A 0
#endif

namespace cairn {

// The 32-bit address of an object in shared memory, which these instructions take.
__device__ __forceinline__ unsigned shared_address(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

}  // namespace cairn
