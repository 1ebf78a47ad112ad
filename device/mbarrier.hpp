// mbarrier: a barrier in shared memory that counts arrivals and the bytes of asynchronous copies. Its phases are
// numbered from 0: one completes when all arrivals of mbarrier_init() and all expected bytes have come, and the next
// begins. A wait names a phase by its parity. sm_90.
#pragma once

#include <cstdint>

#include "device/sm90.hpp"

namespace cairn {

struct alignas(8) Mbarrier {
  std::uint64_t word;
};

// By one thread, followed by fence_mbarrier_init() and __syncthreads(), or cluster_sync() if other blocks use it.
__device__ __forceinline__ void mbarrier_init(Mbarrier* barrier, unsigned arrivals) {
#if CAIRN_SM90A
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
#else
  __trap();
#endif
}
// After mbarrier_init(), by the same thread: makes it visible to the async proxy and to the cluster.
__device__ __forceinline__ void fence_mbarrier_init() {
#if CAIRN_SM90A
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#else
  __trap();
#endif
}

// One arrival. Earlier writes of this thread are visible to threads that wait.
__device__ __forceinline__ void mbarrier_arrive(Mbarrier* barrier) {
#if CAIRN_SM90A
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
#else
  __trap();
#endif
}
// One arrival at the mbarrier at the same offset in the shared memory of block `rank` of the cluster. It orders this
// block's reads before copies that overwrite them. It does not publish stores, which would take a slow fence.
__device__ __forceinline__ void mbarrier_arrive_remote(Mbarrier* barrier, unsigned rank) {
#if CAIRN_SM90A
  asm volatile(
      "{\n"
      ".reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
      "}" ::"r"(shared_address(barrier)),
      "r"(rank)
      : "memory");
#else
  __trap();
#endif
}
// One arrival, and the bytes that copies must bring before the phase completes.
__device__ __forceinline__ void mbarrier_arrive_expect_tx(Mbarrier* barrier, unsigned bytes) {
#if CAIRN_SM90A
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
#else
  __trap();
#endif
}

// Waits until the phase of this parity is complete. The phase before the first counts as complete: in the first pass
// over a ring the producer waits for parity 1, which returns at once, and the consumers for parity 0.
__device__ __forceinline__ void mbarrier_wait(Mbarrier* barrier, unsigned parity) {
#if CAIRN_SM90A
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra gone;\n"
      "bra again;\n"
      "gone:\n"
      "}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
#else
  __trap();
#endif
}
}  // namespace cairn
