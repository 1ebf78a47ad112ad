#include "emu/sm90/barrier_builtins.hpp"

#include <algorithm>
#include <limits>

#include "emu/machine/block.hpp"
#include "emu/machine/builtin_call.hpp"
#include "emu/report/report.hpp"

namespace cairn::emu {

namespace {

// A number that no mbarrier can count to stays one.
unsigned clipped(std::ptrdiff_t arrivals) {
  constexpr std::ptrdiff_t kMost = std::numeric_limits<int>::max();
  return arrivals < 0 ? kMost : static_cast<unsigned>(std::min(arrivals, kMost));
}

}  // namespace

void barrier_init(void* barrier, std::ptrdiff_t arrivals, const char* call, Site site) {
  const BuiltinCall block(call, site);
  block->mbarriers().init_once(barrier, clipped(arrivals));
}

void barrier_invalidate(const void* barrier, const char* call, Site site) {
  const BuiltinCall block(call, site);
  block->mbarriers().invalidate(barrier);
}

std::uint32_t barrier_arrive(const void* barrier, std::ptrdiff_t arrivals, bool drop, const char* call, Site site) {
  const BuiltinCall block(call, site);
  block->receive_pending();
  return block->mbarriers().arrive(barrier, clipped(arrivals), drop);
}

std::uint32_t barrier_arrive_tx(const void* barrier, std::size_t bytes, Site site) {
  const BuiltinCall block("mbarrier.arrive.expect_tx", site);
  block->receive_pending();
  return block->mbarriers().arrive(barrier, std::uint64_t{bytes});
}

void barrier_wait(const void* barrier, unsigned parity, const char* call, Site site) {
  const BuiltinCall block(call, site);
  block->mbarriers().wait(barrier, parity & 1);
}

bool barrier_test(const void* barrier, unsigned parity, const char* call, Site site) {
  const BuiltinCall block(call, site);
  const bool complete = block->mbarriers().test(barrier, parity & 1);
  if (!complete) block->spin(false);
  return complete;
}

void barrier_copy(const void* barrier, void* shared, const void* global, int bytes, Site site) {
  const BuiltinCall block("memcpy_async", site);
  const auto to = reinterpret_cast<std::uintptr_t>(shared), from = reinterpret_cast<std::uintptr_t>(global);
  const auto mask = static_cast<std::uintptr_t>(bytes - 1);
  if (((to | from) & mask) != 0) [[unlikely]]
    block->fail(describe_bad_copy(block->self(), (to & mask) != 0, (from & mask) != 0, bytes, bytes));
  const auto count = static_cast<std::uint8_t>(bytes);
  block->mbarriers().copy(barrier, {shared, global, 0, count, count, site});
}

}  // namespace cairn::emu
