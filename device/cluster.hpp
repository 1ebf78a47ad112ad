// Clusters: a few blocks that are scheduled together on neighbouring SMs, reach each other's shared memory and can
// synchronize. Launched by launch_cluster() of device/launch.hpp. sm_90.
#pragma once

#include "device/sm90.hpp"

namespace cairn {

// The number of this block in its cluster, from 0.
__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank = 0;
#if CAIRN_SM90A
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#else
  __trap();
#endif
  return rank;
}

// Synchronizes all threads of the cluster. A block must not exit while another can still reach its shared memory, so
// a kernel with clusters also ends with this.
__device__ __forceinline__ void cluster_sync() {
#if CAIRN_SM90A
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
  __trap();
#endif
}
// The two halves of cluster_sync(). All threads of a warp call them together.
__device__ __forceinline__ void cluster_arrive() {
#if CAIRN_SM90A
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#else
  __trap();
#endif
}
__device__ __forceinline__ void cluster_wait() {
#if CAIRN_SM90A
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
  __trap();
#endif
}

}  // namespace cairn
