// mbarrier: a barrier in shared memory that counts arrivals, and bytes that copies bring. Its phases are numbered
// from 0; one ends when as many arrivals have come as init() said and all expected bytes are there, and then the next
// begins. Who waits names a phase by its parity. sm_90.
#pragma once

#include <cstdint>

#include "device/sm90.hpp"

namespace cairn {

struct alignas(8) Mbarrier {
  std::uint64_t word;
};

// By one thread. Then fence_mbarrier_init(), and a barrier of all who will use it (of the cluster, where it has peers).
__device__ __forceinline__ void mbarrier_init(Mbarrier* barrier, unsigned arrivals) {
#if CAIRN_SM90A
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
#else
  __trap();
#endif
}
// After init(), by the same thread: copies and other blocks of the cluster see it from here on.
__device__ __forceinline__ void fence_mbarrier_init() {
#if CAIRN_SM90A
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#else
  __trap();
#endif
}

// One arrival. What the thread did before is there for those who wait.
__device__ __forceinline__ void mbarrier_arrive(Mbarrier* barrier) {
#if CAIRN_SM90A
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
#else
  __trap();
#endif
}
// One arrival at the barrier that lies in the same place in block `rank` of the cluster. It says that copies may
// overwrite what this block has read; what threads stored it does not hand on, which would take a slow fence.
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
// One arrival, and so many bytes that copies will bring before the phase ends.
__device__ __forceinline__ void mbarrier_arrive_expect_tx(Mbarrier* barrier, unsigned bytes) {
#if CAIRN_SM90A
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
#else
  __trap();
#endif
}

// Waits until the phase of this parity has ended, which for the one before the first it has: a ring's producer waits
// for parity 1 in its first round, and its consumers for 0.
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
