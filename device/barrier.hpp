// Named barriers: the block's sixteen hardware barriers, of which __syncthreads is number 0. Some warps can meet at
// one while the others go on. `threads` counts all who come, those who only arrive included: a multiple of 32, the
// same at every call for one meeting.
#pragma once

#include <cuda_runtime.h>

namespace cairn {

// Waits until `threads` threads have come.
__device__ __forceinline__ void bar_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Comes, and does not wait.
__device__ __forceinline__ void bar_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

}  // namespace cairn
