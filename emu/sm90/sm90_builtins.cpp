#include "emu/sm90/sm90_builtins.hpp"

#include <algorithm>

#include "emu/machine/block.hpp"
#include "emu/machine/builtin_call.hpp"
#include "emu/machine/shared_memory.hpp"
#include "emu/machine/trace_hooks.hpp"
#include "emu/report/report.hpp"
#include "emu/report/sm90_report.hpp"

namespace cairn::emu {

namespace {

Corner corner(const int* at, int rank) {
  Corner out{};
  std::copy_n(at, rank, out.begin());
  return out;
}

void check_box(Block& block, const TensorMap& map, const int* at, int rank, const void* shared) {
  const auto refuse = [&](BadBox why) { block.fail(describe_bad_box(block, why, map, rank, shared)); };
  if (map.made != TensorMap::kMade) [[unlikely]]
    refuse(BadBox::map);
  if (map.rank != rank) [[unlikely]]
    refuse(BadBox::rank);
  if (at[0] * std::int64_t{map.element} % 16 != 0) [[unlikely]]
    refuse(BadBox::first_coordinate);
  if (!is_shared(shared)) [[unlikely]]
    refuse(BadBox::not_shared);
  if (reinterpret_cast<std::uintptr_t>(shared) % map.alignment() != 0) [[unlikely]]
    refuse(BadBox::alignment);
  if (room_in_shared(block.launch(), shared) < map.reach()) [[unlikely]]
    refuse(BadBox::past_the_end);
}

// To a block that has ended, an arrival is nothing; what TMA would write there may be another block's memory.
void send(Block& block, unsigned rank, Message message) {
  const bool writes = message.load != nullptr;
  if (block.cluster().post(rank, std::move(message))) return;
  const LateUse use = describe_dead_peer(block, rank);
  if (writes) block.fail(use.before + describe(use.place) + use.after);
  late_use(block, use);
}

}  // namespace

void mbarrier_init(void* barrier, unsigned arrivals, Site site) {
  const BuiltinCall block("mbarrier_init", site);
  block->mbarriers().init(barrier, arrivals);
}

void fence_mbarrier_init(Site site) {
  const BuiltinCall block("fence_mbarrier_init", site);
  block->mbarriers().ready();
}

void mbarrier_arrive(const void* barrier, Site site) {
  const BuiltinCall block("mbarrier_arrive", site);
  block->receive_pending();
  block->mbarriers().arrive(barrier, 0);
}

void mbarrier_arrive_remote(const void* barrier, unsigned rank, Site site) {
  const BuiltinCall block("mbarrier_arrive_remote", site);
  block->receive_pending();
  if (rank >= block->cluster().size()) block->fail(describe_no_peer(*block, rank));
  if (rank == block->rank()) {
    block->mbarriers().arrive(barrier, 0);
    return;
  }
  send(*block, rank, {block->sender(), place_in_shared(barrier), 0, nullptr});
}

void mbarrier_arrive_expect_tx(const void* barrier, unsigned bytes, Site site) {
  const BuiltinCall block("mbarrier_arrive_expect_tx", site);
  block->receive_pending();
  block->mbarriers().arrive(barrier, bytes);
}

void mbarrier_wait(const void* barrier, unsigned parity, Site site) {
  const BuiltinCall block("mbarrier_wait", site);
  block->mbarriers().wait(barrier, parity);
}

void proxy_fence(Site site) {
  const BuiltinCall block("fence_proxy_async", site);
  if (trace_hooks != nullptr) trace_hooks->proxy_fence();
}

void tma_load(void* shared, const TensorMap& map, const int* at, int rank, const void* barrier, Site site) {
  const BuiltinCall block("tma_load", site);
  block->receive_pending();
  check_box(*block, map, at, rank, shared);
  const TmaLoad load{map, corner(at, rank), shared, site};
  if (trace_hooks != nullptr) trace_hooks->tma_load_issued(load);
  block->mbarriers().load(barrier, load);
}

void tma_load_multicast(unsigned blocks, void* shared, const TensorMap& map, const int* at, int rank,
                        const void* barrier, Site site) {
  const BuiltinCall block("tma_load_multicast", site);
  block->receive_pending();
  check_box(*block, map, at, rank, shared);
  const TmaLoad load{map, corner(at, rank), shared, site};
  if (trace_hooks != nullptr) trace_hooks->tma_load_issued(load);
  for (unsigned to = 0; blocks >> to != 0; ++to) {
    if ((blocks >> to & 1) == 0) continue;
    if (to >= block->cluster().size()) block->fail(describe_no_peer(*block, to));
    if (to == block->rank()) {
      block->mbarriers().load(barrier, load);
    } else {
      send(*block, to,
           {block->sender(), place_in_shared(barrier), place_in_shared(shared), std::make_unique<TmaLoad>(load)});
    }
  }
}

void tma_store(const TensorMap& map, const int* at, int rank, const void* shared, Site site) {
  const BuiltinCall block("tma_store", site);
  check_box(*block, map, at, rank, shared);
  block->stores().issue(block->self().linear, map, corner(at, rank), shared, site);
}

void tma_commit(Site site) {
  const BuiltinCall block("tma_commit", site);
  block->stores().commit(block->self().linear);
}

void tma_wait_read(int left, Site site) {
  const BuiltinCall block("tma_wait_read", site);
  block->stores().wait_read(block->self().linear, static_cast<unsigned>(left));
}

void tma_wait(int left, Site site) {
  const BuiltinCall block("tma_wait", site);
  block->stores().wait(block->self().linear, static_cast<unsigned>(left));
}

unsigned cluster_rank() { return Block::current() == nullptr ? 0 : Block::current()->rank(); }

void cluster_sync(Site site) {
  const BuiltinCall block("cluster_sync", site);
  block->cluster_arrive();
  block->cluster_wait();
}

void cluster_arrive(Site site) {
  const BuiltinCall block("cluster_arrive", site);
  block->cluster_arrive();
}

void cluster_wait(Site site) {
  const BuiltinCall block("cluster_wait", site);
  block->cluster_wait();
}

}  // namespace cairn::emu
