// cp.async: copies from global to shared memory without registers. A thread issues copies, commits them as a group,
// continues, and waits for the group when it needs the data. Completed copies are visible to the thread that waited;
// for other threads a barrier must follow the wait. sm_80.
#pragma once

#include <cuda_runtime.h>

namespace cairn {

// Which caches a copy goes through: L1 and L2 (.ca), or L2 only (.cg), which does not evict anything from L1 and
// exists for 16 bytes only.
enum class Through { l1, l2 };

// Issues a copy of 4, 8 or 16 bytes; both addresses are multiples of the size.
template <int bytes, Through through = bytes == 16 ? Through::l2 : Through::l1>
__device__ __forceinline__ void async_copy(void* shared, const void* global) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "cp.async copies 4, 8 or 16 bytes");
  static_assert(bytes == 16 || through == Through::l1, "cp.async.cg copies 16 bytes");
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (through == Through::l1) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(bytes) : "memory");
  } else {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
  }
#else
  __trap();  // compiled for an older GPU: the card of a rung that needs cp.async excludes it
#endif
}

// The same, but only the first `valid` bytes are read, and the rest is filled with zeros; with 0 nothing is read.
template <int bytes, Through through = bytes == 16 ? Through::l2 : Through::l1>
__device__ __forceinline__ void async_copy(void* shared, const void* global, int valid) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "cp.async copies 4, 8 or 16 bytes");
  static_assert(bytes == 16 || through == Through::l1, "cp.async.cg copies 16 bytes");
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  if constexpr (through == Through::l1) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(global), "n"(bytes), "r"(valid)
                 : "memory");
  } else {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(valid) : "memory");
  }
#else
  __trap();
#endif
}

// Commits the copies that this thread has issued since its last commit as a group, which may be empty.
__device__ __forceinline__ void async_commit() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until all of this thread's groups but the newest `left` are complete. Copies that are not committed are not
// waited for.
template <int left> __device__ __forceinline__ void async_wait() {
  static_assert(left >= 0);
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(left) : "memory");
#endif
}

// Waits for all copies of this thread, committed or not.
__device__ __forceinline__ void async_wait_all() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

}  // namespace cairn
