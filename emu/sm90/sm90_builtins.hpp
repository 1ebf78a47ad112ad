// What kernel code calls of sm_90: mbarriers, TMA and clusters. The shadows of device/mbarrier.hpp, tma.hpp and
// cluster.hpp are defined by these functions.
#pragma once

#include "emu/machine/builtins.hpp"
#include "emu/sm90/tensor_map.hpp"

namespace cairn::emu {

void mbarrier_init(void* barrier, unsigned arrivals, Site site);
void fence_mbarrier_init(Site site);
void mbarrier_arrive(const void* barrier, Site site);
void mbarrier_arrive_remote(const void* barrier, unsigned rank, Site site);
void mbarrier_arrive_expect_tx(const void* barrier, unsigned bytes, Site site);
void mbarrier_wait(const void* barrier, unsigned parity, Site site);

void proxy_fence(Site site);

// A box from global memory to the shared memory of this block, or of the blocks of the
// cluster with a bit in `blocks`.
void tma_load(void* shared, const TensorMap& map, const int* at, int rank, const void* barrier, Site site);
void tma_load_multicast(unsigned blocks, void* shared, const TensorMap& map, const int* at, int rank,
                        const void* barrier, Site site);
// A box from shared to global memory, in bulk groups of the calling thread.
void tma_store(const TensorMap& map, const int* at, int rank, const void* shared, Site site);
void tma_commit(Site site);
void tma_wait_read(int left, Site site);
void tma_wait(int left, Site site);

unsigned cluster_rank();
void cluster_sync(Site site);
void cluster_arrive(Site site);
void cluster_wait(Site site);

}  // namespace cairn::emu
