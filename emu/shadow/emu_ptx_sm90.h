// PTX of sm_90: mbarriers, TMA, clusters and wgmma.
#pragma once

#include <initializer_list>

#include "emu/shadow/emu_ptx_bits.h"
#include "emu/shadow/emu_warp.h"
#include "emu/sm90/barrier_builtins.hpp"
#include "emu/sm90/sm90_builtins.hpp"
#include "emu/sm90/warpgroup_builtins.hpp"

namespace cairn::emu::ptx {

inline void* barrier_at(Shared at, Site site) { return shared_pointer(at, 8, "mbarrier", site); }

inline void mbarrier_init(Shared at, std::uint32_t arrivals, Site site = Site::current()) {
  barrier_init(barrier_at(at, site), arrivals, "mbarrier.init", site);
  fence_mbarrier_init(site);  // public kernels leave the fence out, and it works
}
inline void mbarrier_invalidate(Shared at, Site site = Site::current()) {
  barrier_invalidate(barrier_at(at, site), "mbarrier.inval", site);
}
// Both return the number of the phase, for mbarrier_test.
inline std::uint64_t mbarrier_arrive(Shared at, std::uint32_t count, Site site = Site::current()) {
  return barrier_arrive(barrier_at(at, site), count, false, "mbarrier.arrive", site);
}
inline std::uint64_t mbarrier_arrive_expect(Shared at, std::uint32_t bytes, Site site = Site::current()) {
  return barrier_arrive_tx(barrier_at(at, site), bytes, site);
}
// An address in the cluster has the block's rank plus one above the offset; without one it is the own block's.
inline constexpr int kRankAt = 24;
inline std::uint64_t in_block(std::uint64_t offset, std::uint32_t rank) {
  return (offset & ((1u << kRankAt) - 1)) | std::uint64_t{rank + 1} << kRankAt;
}
inline void mbarrier_arrive_cluster(std::uint64_t at, std::uint32_t count, Site site = Site::current()) {
  void* barrier = barrier_at({at & ((1u << kRankAt) - 1)}, site);
  const auto rank = static_cast<unsigned>(at >> kRankAt);
  for (; count > 0; --count) mbarrier_arrive_remote(barrier, rank == 0 ? cluster_rank() : rank - 1, site);
}
// If the phase is not complete, other threads run: this is how programs poll.
inline bool mbarrier_test(Shared at, std::uint32_t parity, Site site = Site::current()) {
  return barrier_test(barrier_at(at, site), parity & 1, "mbarrier.try_wait", site);
}
inline void fence_mbarrier(Site site = Site::current()) { fence_mbarrier_init(site); }
inline void fence_proxy(Site site = Site::current()) { proxy_fence(site); }

inline uint3 cluster() {
  const uint3 at = block_index();
  const dim3 size = cluster_extent();
  return {at.x / size.x, at.y / size.y, at.z / size.z};
}
inline uint3 place_in_cluster() {
  const uint3 at = block_index();
  const dim3 size = cluster_extent();
  return {at.x % size.x, at.y % size.y, at.z % size.z};
}
inline dim3 clusters() {
  const dim3 grid = grid_extent(), size = cluster_extent();
  return {grid.x / size.x, grid.y / size.y, grid.z / size.z};
}
inline unsigned rank_in_cluster() { return cluster_rank(); }
inline unsigned blocks_in_cluster() {
  const dim3 size = cluster_extent();
  return size.x * size.y * size.z;
}
inline bool elected(std::uint32_t mask, Site site = Site::current()) {
  warp_exchange(WarpOp::sync, "elect.sync", mask, 0, 0, site);
  return (mask & (lanes_equal() - 1)) == 0;
}

inline void cluster_arrive(Site site = Site::current()) { emu::cluster_arrive(site); }
inline void cluster_wait(Site site = Site::current()) { emu::cluster_wait(site); }
inline void setmaxnreg(bool inc, int count, Site site = Site::current()) { emu::setmaxnreg(inc, count, site); }

inline const TensorMap& map_at(std::uint64_t address) { return *reinterpret_cast<const TensorMap*>(address); }
template <int rank>
void bulk_load(Shared to, std::uint64_t map, const int (&at)[rank], Shared barrier, Site site = Site::current()) {
  tma_load(find(to, 1), map_at(map), at, rank, barrier_at(barrier, site), site);
}
template <int rank>
void bulk_load(Shared to, std::uint64_t map, const int (&at)[rank], Shared barrier, std::uint16_t blocks,
               Site site = Site::current()) {
  tma_load_multicast(blocks, find(to, 1), map_at(map), at, rank, barrier_at(barrier, site), site);
}
template <int rank>
void bulk_store(Shared from, std::uint64_t map, const int (&at)[rank], Site site = Site::current()) {
  tma_store(map_at(map), at, rank, find(from, 1), site);
}
inline void bulk_commit(Site site = Site::current()) { tma_commit(site); }
inline void bulk_wait(int left, Site site = Site::current()) { tma_wait(left, site); }
inline void bulk_wait_read(int left, Site site = Site::current()) { tma_wait_read(left, site); }

// Registers that wgmma reads and writes when it completes: where the first of them is, if they follow one another.
template <class T> T* places(std::initializer_list<const volatile void*> all) {
  const auto* first = static_cast<const volatile T*>(*all.begin());
  std::ptrdiff_t i = 0;
  for (const volatile void* one : all)
    if (one != first + i++) return nullptr;
  return const_cast<T*>(first);
}
template <fragment::Type type, int n>
void wgmma(float* sums, const std::uint32_t* registers, std::uint64_t a, std::uint64_t b, bool add, int scale_a,
           int scale_b, bool a_major, bool b_major, Site site = Site::current()) {
  constexpr fragment::Kind kind{fragment::Op::wgmma, type, {64, n, fragment::group_depth(type)}};
  static constexpr WgmmaShape shapes[] = {
      {kind, false, false}, {kind, false, true}, {kind, true, false}, {kind, true, true}};
  if (scale_a != 1 || scale_b != 1) refuse("wgmma", "operands with a minus are not emulated", site);
  if (sums == nullptr) refuse("wgmma", "its accumulators must be neighbours in an array", site);
  emu::wgmma(shapes[(a_major ? 2 : 0) + (b_major ? 1 : 0)], {sums, registers, a, b, add}, site);
}
inline void wgmma_fence(Site site = Site::current()) { emu::wgmma_fence(site); }
inline void wgmma_commit(Site site = Site::current()) { emu::wgmma_commit(site); }
inline void wgmma_wait(int left, Site site = Site::current()) { emu::wgmma_wait(left, site); }

}  // namespace cairn::emu::ptx
