// What kernel code calls of what only sm_90 has: barriers in shared memory, the copy engine, clusters. The shadow
// headers turn device/mbarrier.hpp, tma.hpp and cluster.hpp into these.
#pragma once

#include "emu/machine/builtins.hpp"
#include "emu/sm90/tensor_map.hpp"

namespace cairn::emu {

void shared_barrier_init(void* barrier, unsigned arrivals, Site site);
void shared_barrier_ready(Site site);
void shared_barrier_arrive(const void* barrier, Site site);
void shared_barrier_arrive_at(const void* barrier, unsigned rank, Site site);
void shared_barrier_expect(const void* barrier, unsigned bytes, Site site);
void shared_barrier_wait(const void* barrier, unsigned parity, Site site);

void proxy_fence(Site site);

// A box from global to shared memory: to this block, or to those of the cluster that have a bit.
void bulk_load(void* shared, const TensorMap& map, const int* at, int rank, const void* barrier, Site site);
void bulk_load_to(unsigned blocks, void* shared, const TensorMap& map, const int* at, int rank, const void* barrier,
                  Site site);
// And back, in groups of the calling thread.
void bulk_store(const TensorMap& map, const int* at, int rank, const void* shared, Site site);
void bulk_commit(Site site);
void bulk_wait_read(int left, Site site);
void bulk_wait(int left, Site site);

unsigned rank_in_cluster();
void cluster_barrier(Site site);
void cluster_barrier_arrive(Site site);
void cluster_barrier_wait(Site site);

}  // namespace cairn::emu
