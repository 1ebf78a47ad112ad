// Asks for a line of global memory without waiting for it.
#pragma once

#include <cuda_runtime.h>

namespace cairn {

inline constexpr int kLineBytes = 128;  // of a cache line

// To L2, of the line that `at` is in. Nothing is read: what is written there before a later load is what that finds.
__device__ __forceinline__ void prefetch_l2(const void* at) { asm volatile("prefetch.global.L2 [%0];" ::"l"(at)); }

}  // namespace cairn
