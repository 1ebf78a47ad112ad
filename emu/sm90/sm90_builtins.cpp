#include "emu/sm90/sm90_builtins.hpp"

#include <algorithm>

#include "emu/machine/block.hpp"
#include "emu/machine/builtin_call.hpp"
#include "emu/machine/shared_memory.hpp"
#include "emu/machine/trace_hooks.hpp"
#include "emu/report/sm90_report.hpp"

namespace cairn::emu {

namespace {

Corner corner(const int* at, int rank) {
  Corner out{};
  std::copy_n(at, rank, out.begin());
  return out;
}

void check_box(Block& block, const TensorMap& map, int rank, const void* shared) {
  const auto refuse = [&](BadCopy why) { block.fail(describe_bad_box(block, why, map, rank, shared)); };
  if (map.made != TensorMap::kMade) [[unlikely]]
    refuse(BadCopy::map);
  if (map.rank != rank) [[unlikely]]
    refuse(BadCopy::rank);
  if (!is_shared(shared)) [[unlikely]]
    refuse(BadCopy::not_shared);
  if (reinterpret_cast<std::uintptr_t>(shared) % map.alignment() != 0) [[unlikely]]
    refuse(BadCopy::alignment);
  if (room_in_shared(block.launch(), shared) < map.reach()) [[unlikely]]
    refuse(BadCopy::past_the_end);
}

void send(Block& block, unsigned rank, Message message) {
  if (!block.cluster().post(rank, std::move(message))) block.fail(describe_dead_peer(block, rank));
}

}  // namespace

void shared_barrier_init(void* barrier, unsigned arrivals, Site site) {
  const Inside block("mbarrier_init", site);
  block->mbarriers().init(barrier, arrivals);
}

void shared_barrier_ready(Site site) {
  const Inside block("fence_mbarrier_init", site);
  block->mbarriers().ready();
}

void shared_barrier_arrive(const void* barrier, Site site) {
  const Inside block("mbarrier_arrive", site);
  block->hear();
  block->mbarriers().arrive(barrier, 0);
}

void shared_barrier_arrive_at(const void* barrier, unsigned rank, Site site) {
  const Inside block("mbarrier_arrive_remote", site);
  block->hear();
  if (rank >= block->cluster().size()) block->fail(describe_no_peer(*block, rank));
  if (rank == block->rank()) return block->mbarriers().arrive(barrier, 0);
  send(*block, rank, {block->sender(), place_in_shared(barrier), 0, nullptr});
}

void shared_barrier_expect(const void* barrier, unsigned bytes, Site site) {
  const Inside block("mbarrier_arrive_expect_tx", site);
  block->hear();
  block->mbarriers().arrive(barrier, bytes);
}

void shared_barrier_wait(const void* barrier, unsigned parity, Site site) {
  const Inside block("mbarrier_wait", site);
  block->mbarriers().wait(barrier, parity);
}

void proxy_fence(Site site) {
  const Inside block("fence_proxy_async", site);
  if (trace_hooks != nullptr) trace_hooks->proxy_fence();
}

void bulk_load(void* shared, const TensorMap& map, const int* at, int rank, const void* barrier, Site site) {
  const Inside block("tma_load", site);
  block->hear();
  check_box(*block, map, rank, shared);
  const BulkLoad load{map, corner(at, rank), shared, site};
  if (trace_hooks != nullptr) trace_hooks->load_asked(load);
  block->mbarriers().load(barrier, load);
}

void bulk_load_to(unsigned blocks, void* shared, const TensorMap& map, const int* at, int rank, const void* barrier,
                  Site site) {
  const Inside block("tma_load_multicast", site);
  block->hear();
  check_box(*block, map, rank, shared);
  const BulkLoad load{map, corner(at, rank), shared, site};
  if (trace_hooks != nullptr) trace_hooks->load_asked(load);
  for (unsigned to = 0; blocks >> to != 0; ++to) {
    if ((blocks >> to & 1) == 0) continue;
    if (to >= block->cluster().size()) block->fail(describe_no_peer(*block, to));
    if (to == block->rank()) {
      block->mbarriers().load(barrier, load);
    } else {
      send(*block, to,
           {block->sender(), place_in_shared(barrier), place_in_shared(shared), std::make_unique<BulkLoad>(load)});
    }
  }
}

void bulk_store(const TensorMap& map, const int* at, int rank, const void* shared, Site site) {
  const Inside block("tma_store", site);
  check_box(*block, map, rank, shared);
  block->stores().issue(block->self().linear, map, corner(at, rank), shared, site);
}

void bulk_commit(Site site) {
  const Inside block("tma_commit", site);
  block->stores().commit(block->self().linear);
}

void bulk_wait_read(int left, Site site) {
  const Inside block("tma_wait_read", site);
  block->stores().wait_read(block->self().linear, static_cast<unsigned>(left));
}

void bulk_wait(int left, Site site) {
  const Inside block("tma_wait", site);
  block->stores().wait(block->self().linear, static_cast<unsigned>(left));
}

unsigned rank_in_cluster() { return Block::current() == nullptr ? 0 : Block::current()->rank(); }

void cluster_barrier(Site site) {
  const Inside block("cluster_sync", site);
  block->cluster_arrive();
  block->cluster_wait();
}

void cluster_barrier_arrive(Site site) {
  const Inside block("cluster_arrive", site);
  block->cluster_arrive();
}

void cluster_barrier_wait(Site site) {
  const Inside block("cluster_wait", site);
  block->cluster_wait();
}

}  // namespace cairn::emu
