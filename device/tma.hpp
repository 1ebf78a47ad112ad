// TMA: one thread issues the copy of a box of a matrix (device/tensor_map.hpp) between global and shared memory,
// which uses no registers. Loads are completed by bytes at an mbarrier, stores in groups, as with cp.async.
// Coordinates are in elements, the contiguous dimension first. A box may reach over any edge of its matrix; a load
// still counts all its bytes. sm_90.
//
// TMA accesses memory through the async proxy. Before it reads what threads have stored to shared memory, each of
// them calls fence_proxy_async(), and a barrier follows.
#pragma once

#include <cstdint>

#include "device/mbarrier.hpp"
#include "device/sm90.hpp"
#include "device/tensor_map.hpp"

namespace cairn {

// Makes earlier stores of this thread to shared memory visible to the async proxy: to TMA and wgmma.
__device__ __forceinline__ void fence_proxy_async() {
#if CAIRN_SM90A
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#else
  __trap();
#endif
}

__device__ __forceinline__ void prefetch_tensor_map(const TensorMap& map) {
#if CAIRN_SM90A
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
#else
  __trap();
#endif
}

#define CAIRN_AT_1 "%3"
#define CAIRN_AT_2 "%3, %4"
#define CAIRN_AT_3 "%3, %4, %5"
#define CAIRN_AT_4 "%3, %4, %5, %6"
#define CAIRN_AT_5 "%3, %4, %5, %6, %7"
#define CAIRN_OF_1 "r"(at[0])
#define CAIRN_OF_2 CAIRN_OF_1, "r"(at[1])
#define CAIRN_OF_3 CAIRN_OF_2, "r"(at[2])
#define CAIRN_OF_4 CAIRN_OF_3, "r"(at[3])
#define CAIRN_OF_5 CAIRN_OF_4, "r"(at[4])

// Loads the box at `at` to shared memory and counts its bytes at `full`, which must expect them.
template <int rank>
__device__ __forceinline__ void tma_load(void* shared, const TensorMap& map, const int (&at)[rank], Mbarrier* full) {
#if CAIRN_SM90A
#define CAIRN_LOAD(d)                                                              \
  if constexpr (rank == d)                                                         \
  asm volatile("cp.async.bulk.tensor." #d                                          \
               "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], " \
               "[%1, {" CAIRN_AT_##d "}], [%2];" ::"r"(shared_address(shared)),    \
               "l"(&map), "r"(shared_address(full)), CAIRN_OF_##d                  \
               : "memory")
  CAIRN_LOAD(1);
  CAIRN_LOAD(2);
  CAIRN_LOAD(3);
  CAIRN_LOAD(4);
  CAIRN_LOAD(5);
#undef CAIRN_LOAD
#else
  __trap();
#endif
}

// The same to all blocks of the cluster whose bit is set in `blocks`: the box arrives at the same offset in the
// shared memory of each, and its bytes count at the mbarrier that is at the offset of `full` there.
template <int rank>
__device__ __forceinline__ void tma_load_multicast(unsigned blocks, void* shared, const TensorMap& map,
                                                   const int (&at)[rank], Mbarrier* full) {
#if CAIRN_SM90A
  const auto mask = static_cast<std::uint16_t>(blocks);
#define CAIRN_LOAD(d, m)                                                                                         \
  if constexpr (rank == d)                                                                                       \
  asm volatile("cp.async.bulk.tensor." #d                                                                        \
               "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"                                      \
               ".multicast::cluster [%0], [%1, {" CAIRN_AT_##d "}], [%2], " m ";" ::"r"(shared_address(shared)), \
               "l"(&map), "r"(shared_address(full)), CAIRN_OF_##d, "h"(mask)                                     \
               : "memory")
  CAIRN_LOAD(1, "%4");
  CAIRN_LOAD(2, "%5");
  CAIRN_LOAD(3, "%6");
  CAIRN_LOAD(4, "%7");
  CAIRN_LOAD(5, "%8");
#undef CAIRN_LOAD
#else
  __trap();
#endif
}

#undef CAIRN_AT_1
#undef CAIRN_AT_2
#undef CAIRN_AT_3
#undef CAIRN_AT_4
#undef CAIRN_AT_5
#define CAIRN_AT_1 "%2"
#define CAIRN_AT_2 "%2, %3"
#define CAIRN_AT_3 "%2, %3, %4"
#define CAIRN_AT_4 "%2, %3, %4, %5"
#define CAIRN_AT_5 "%2, %3, %4, %5, %6"

// Stores from shared memory to the box at `at`. Rows outside of the matrix are not written; columns are clipped to
// chunks of 16 bytes. The store belongs to the group that this thread's next tma_commit() closes.
template <int rank>
__device__ __forceinline__ void tma_store(const TensorMap& map, const int (&at)[rank], const void* shared) {
#if CAIRN_SM90A
#define CAIRN_STORE(d)                                                                               \
  if constexpr (rank == d)                                                                           \
  asm volatile("cp.async.bulk.tensor." #d "d.global.shared::cta.tile.bulk_group [%0, {" CAIRN_AT_##d \
               "}], [%1];" ::"l"(&map),                                                              \
               "r"(shared_address(shared)), CAIRN_OF_##d                                             \
               : "memory")
  CAIRN_STORE(1);
  CAIRN_STORE(2);
  CAIRN_STORE(3);
  CAIRN_STORE(4);
  CAIRN_STORE(5);
#undef CAIRN_STORE
#else
  __trap();
#endif
}

#undef CAIRN_AT_1
#undef CAIRN_AT_2
#undef CAIRN_AT_3
#undef CAIRN_AT_4
#undef CAIRN_AT_5
#undef CAIRN_OF_1
#undef CAIRN_OF_2
#undef CAIRN_OF_3
#undef CAIRN_OF_4
#undef CAIRN_OF_5

__device__ __forceinline__ void tma_commit() {
#if CAIRN_SM90A
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#else
  __trap();
#endif
}
// Waits until all but the newest `left` groups of this thread have read their shared memory, so that it is free.
template <int left> __device__ __forceinline__ void tma_wait_read() {
#if CAIRN_SM90A
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(left) : "memory");
#else
  __trap();
#endif
}
// Waits until they have also written global memory.
template <int left> __device__ __forceinline__ void tma_wait() {
#if CAIRN_SM90A
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(left) : "memory");
#else
  __trap();
#endif
}

}  // namespace cairn
