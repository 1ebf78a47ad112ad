// Instructions that only sm_90a has: compiled for another GPU, where the card of a rung that needs them refuses, they
// are a trap.
#pragma once

#include <cuda_runtime.h>

// 1 while code for sm_90a is compiled, and while the host's half of a file is.
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define CAIRN_SM90A 1
#else
#define CAIRN_SM90A 0
#endif

namespace cairn {

// The address of something in shared memory, as these instructions want it.
__device__ __forceinline__ unsigned shared_address(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

}  // namespace cairn
