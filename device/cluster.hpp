// Clusters: a few blocks that run at the same time on neighbouring SMs, see each other's shared memory and can wait
// for each other. launch_cluster() of device/launch.hpp starts them. sm_90.
#pragma once

#include "device/sm90.hpp"

namespace cairn {

// Which block of its cluster this is, from 0.
__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank = 0;
#if CAIRN_SM90A
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#else
  __trap();
#endif
  return rank;
}

// All threads of all blocks of the cluster meet. No block may end while another can still reach into its shared
// memory, so this is also how such a kernel ends.
__device__ __forceinline__ void cluster_sync() {
#if CAIRN_SM90A
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
  __trap();
#endif
}
// The two halves of it. All threads of a warp come together.
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
