// TMA, the copy engine: one thread asks for a box of a matrix (device/tensor_map.hpp), and it goes from global to
// shared memory, or back, without passing any register. What comes in is counted in bytes by an mbarrier; what goes
// out is waited for in groups, as with cp.async. Coordinates are elements, the first along the dimension whose
// neighbours touch; a box may reach over any edge of its matrix, and still brings all its bytes. sm_90.
//
// The engine is not ordered with loads and stores of threads. Before it reads what threads have stored to shared
// memory each of them says fence_proxy_async(), and then a barrier follows.
#pragma once

#include <cstdint>

#include "device/mbarrier.hpp"
#include "device/sm90.hpp"
#include "device/tensor_map.hpp"

namespace cairn {

// What this thread stored to shared memory before is seen by the engine, and by wgmma, from here on.
__device__ __forceinline__ void fence_proxy_async() {
#if CAIRN_SM90A
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#else
  __trap();
#endif
}

// The map will be used soon.
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

// The box at `at` to shared memory; `arrived`, which expects its bytes, is told.
template <int rank>
__device__ __forceinline__ void tma_load(void* shared, const TensorMap& map, const int (&at)[rank],
                                         Mbarrier* arrived) {
#if CAIRN_SM90A
#define CAIRN_LOAD(d)                                                              \
  if constexpr (rank == d)                                                         \
  asm volatile("cp.async.bulk.tensor." #d                                          \
               "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], " \
               "[%1, {" CAIRN_AT_##d "}], [%2];" ::"r"(shared_address(shared)),    \
               "l"(&map), "r"(shared_address(arrived)), CAIRN_OF_##d               \
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

// The same to each block of the cluster that has a bit in `blocks`, to the same place in its shared memory; and its
// own barrier there, in the same place as `arrived`, is told.
template <int rank>
__device__ __forceinline__ void tma_load_multicast(unsigned blocks, void* shared, const TensorMap& map,
                                                   const int (&at)[rank], Mbarrier* arrived) {
#if CAIRN_SM90A
  const auto mask = static_cast<std::uint16_t>(blocks);
#define CAIRN_LOAD(d, m)                                                                                         \
  if constexpr (rank == d)                                                                                       \
  asm volatile("cp.async.bulk.tensor." #d                                                                        \
               "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"                                      \
               ".multicast::cluster [%0], [%1, {" CAIRN_AT_##d "}], [%2], " m ";" ::"r"(shared_address(shared)), \
               "l"(&map), "r"(shared_address(arrived)), CAIRN_OF_##d, "h"(mask)                                  \
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

// From shared memory into the box at `at`; what is outside of the matrix is not written. It belongs to the group that
// this thread's next tma_commit() closes.
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
// Waits until of this thread's groups all but the newest `left` have been read, and their shared memory can be used
// again.
template <int left> __device__ __forceinline__ void tma_wait_read() {
#if CAIRN_SM90A
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(left) : "memory");
#else
  __trap();
#endif
}
// Until they have been written.
template <int left> __device__ __forceinline__ void tma_wait() {
#if CAIRN_SM90A
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(left) : "memory");
#else
  __trap();
#endif
}

}  // namespace cairn
