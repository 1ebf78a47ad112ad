// Named barriers: the sixteen hardware barriers of a block, of which __syncthreads uses number 0. Some warps can
// synchronize at one while the others continue. `threads` counts all that take part, those that only arrive included:
// a multiple of 32, the same in every call of one synchronization.
#pragma once

#include <cuda_runtime.h>

namespace cairn {

// Arrives, and waits until `threads` threads have arrived.
__device__ __forceinline__ void bar_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Arrives without waiting.
__device__ __forceinline__ void bar_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

}  // namespace cairn
