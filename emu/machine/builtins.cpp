#include "emu/machine/builtins.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "emu/machine/block.hpp"
#include "emu/machine/builtin_call.hpp"
#include "emu/machine/launch.hpp"
#include "emu/machine/trace_hooks.hpp"
#include "emu/report/report.hpp"

namespace cairn::emu {

namespace {

unsigned barrier_number(Block& block, int barrier, int threads) {
  const bool good = barrier >= 0 && barrier < static_cast<int>(Block::kBarriers) && threads > 0 &&
                    threads <= static_cast<int>(kMostThreads) && threads % static_cast<int>(kWarp) == 0;
  if (!good) block.fail(describe_bad_barrier(block.self(), barrier, threads));
  return static_cast<unsigned>(barrier);
}

}  // namespace

void outside_kernel(const char* call, const Site& site) {
  std::fprintf(stderr, "%s: %s is called outside a kernel\n", describe(site).c_str(), call);
  std::abort();
}

bool inside_kernel() { return Block::current() != nullptr; }

uint3 thread_index() { return Block::current() == nullptr ? uint3{} : Block::current()->self().index; }
uint3 block_index() { return Block::current() == nullptr ? uint3{} : Block::current()->index(); }
dim3 block_extent() { return Block::current() == nullptr ? dim3{} : Block::current()->launch().block; }
dim3 grid_extent() { return Block::current() == nullptr ? dim3{} : Block::current()->launch().grid; }
dim3 cluster_extent() { return Block::current() == nullptr ? dim3{} : Block::current()->launch().cluster; }
unsigned lane_index() { return Block::current() == nullptr ? 0 : Block::current()->self().lane(); }

int block_sync(bool predicate, const char* call, Site site) {
  const BuiltinCall block(call, site);
  return static_cast<int>(block->sync(0, static_cast<unsigned>(block->threads().size()), predicate));
}

void named_sync(int barrier, int threads, Site site) {
  const BuiltinCall block("bar_sync", site);
  block->sync(barrier_number(*block, barrier, threads), static_cast<unsigned>(threads), false);
}

void named_arrive(int barrier, int threads, Site site) {
  const BuiltinCall block("bar_arrive", site);
  block->arrive(barrier_number(*block, barrier, threads), static_cast<unsigned>(threads));
}

void grid_sync(Site site) {
  const BuiltinCall block("grid.sync", site);
  block->grid_sync();
}

bool is_cooperative() { return Block::current() != nullptr && Block::current()->launch().cooperative; }

std::uint64_t warp_exchange(WarpOp op, const char* call, unsigned mask, std::uint64_t value, unsigned argument,
                            Site site) {
  const BuiltinCall block(call, site);
  Thread& self = block->self();
  self.op = op;
  self.mask = mask;
  self.argument = argument;
  self.value = value;
  block->exchange();
  return self.result;
}

void copy_issue(void* shared, const void* global, int bytes, int valid, Site site) {
  const BuiltinCall block("async_copy", site);
  const auto to = reinterpret_cast<std::uintptr_t>(shared), from = reinterpret_cast<std::uintptr_t>(global);
  const auto mask = static_cast<std::uintptr_t>(bytes - 1);
  if (((to | from) & mask) != 0 || valid < 0 || valid > bytes) [[unlikely]]
    block->fail(describe_bad_copy(block->self(), (to & mask) != 0, (from & mask) != 0, bytes, valid));
  block->copies().issue(block->self().linear, shared, global, bytes, valid, site);
}

void copy_commit(Site site) {
  const BuiltinCall block("async_commit", site);
  block->copies().commit(block->self().linear);
}

void copy_wait(int left, Site site) {
  const BuiltinCall block("async_wait", site);
  block->copies().wait(block->self().linear, static_cast<unsigned>(left));
}

void copy_wait_all(Site site) {
  const BuiltinCall block("async_wait_all", site);
  block->copies().commit(block->self().linear);
  block->copies().wait(block->self().linear, 0);
}

void spin(const char* call, bool changed, Site site) {
  if (inside_kernel()) BuiltinCall(call, site)->spin(changed);
}

void fence(const char* call, Site site) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (trace_hooks != nullptr && inside_kernel()) trace_hooks->fence(*Block::current());
  spin(call, false, site);
}

std::uint64_t ticks() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

void trap(Site site) {
  const BuiltinCall block("__trap", site);
  block->fail(describe_trap(block->self()));
}

void assertion_failed(const char* condition, Site site) {
  Block* block = Block::current();
  if (block == nullptr) {
    std::fprintf(stderr, "%s: assertion `%s' failed\n", describe(site).c_str(), condition);
    std::abort();
  }
  block->busy(true);
  block->self().call = "assert";
  block->self().site = site;
  block->fail(describe_assertion(block->self(), condition));
}

}  // namespace cairn::emu
