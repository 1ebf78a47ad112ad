#include "emu/sm90/warpgroup.hpp"

#include <algorithm>
#include <cstring>

#include "emu/machine/block.hpp"
#include "emu/machine/builtin_call.hpp"
#include "emu/machine/trace_hooks.hpp"
#include "emu/report/warpgroup_report.hpp"

namespace cairn::emu {

namespace {

constexpr unsigned kRegistersPerSm = 65536, kMostRegisters = 256, kRegisterStep = 8;

// g++ does not know how many registers a kernel has, so a thread has as many as fit for this block size.
unsigned registers_at_start(unsigned threads) {
  const unsigned whole = (threads + kWarp - 1) / kWarp * kWarp;
  return std::min(kMostRegisters, kRegistersPerSm / whole / kRegisterStep * kRegisterStep);
}

}  // namespace

void Warpgroups::reset(unsigned threads) {
  count_ = threads / kWarpgroup;
  free_registers_ = 0;
  for (Group& group : groups_) {
    group.exited = 0;
    group.registers = registers_at_start(threads);
    group.wanted = 0;
  }
  if (!used_) return;
  used_ = false;
  for (Group& group : groups_) {
    group.calls_made.fill(0);
    group.calls.clear();
    group.first = 0;
    group.products.reset();
  }
}

// The record of the running thread's next call, created if it is the first thread to make it.
Warpgroups::Call& Warpgroups::next_call(Block& block, Group& group, const WarpgroupArguments& arguments,
                                        const WgmmaOperands* operands) {
  const Thread& me = block.self();
  const unsigned place = me.linear % kWarpgroup;
  const std::uint64_t at = group.calls_made[place]++ - group.first;
  if (at == group.calls.size()) {
    if (group.exited != 0) block.fail(describe_missing_threads(block, me));
    group.calls.push_back({arguments, me.call, me.site, me.linear, 0, nullptr});
    if (operands != nullptr)
      group.calls.back().product = group.products.begin(place, *arguments.shape, *operands, me.site);
  }
  Call& call = group.calls[at];
  const bool same_place = (call.name == me.call || std::strcmp(call.name, me.call) == 0) &&
                          call.site.line() == me.site.line() && call.site.column() == me.site.column();
  if (!same_place) [[unlikely]]
    block.fail(describe_other_call(me, call.name, call.site, call.first));
  if (call.arguments != arguments) [[unlikely]]
    block.fail(describe_other_operands(me, call.first));
  return call;
}

void Warpgroups::execute(Block& block, const WarpgroupArguments& arguments, const WgmmaOperands* operands) {
  used_ = true;
  const unsigned number = block.self().linear / kWarpgroup;
  if (number >= count_) [[unlikely]]
    block.fail(describe_missing_threads(block, block.self()));
  Group& group = groups_[number];
  Call& call = next_call(block, group, arguments, operands);
  if (operands != nullptr) group.products.join(block, block.self().linear % kWarpgroup, *call.product, *operands);
  const bool waits = arguments.what == WarpgroupOp::wait || arguments.what == WarpgroupOp::inc;
  if (++call.arrived == kWarpgroup) {
    const bool all_continue = complete(block, number, call);
    group.calls.pop_front();
    ++group.first;
    if (waits) block.wait_in_warpgroup(all_continue);
  } else if (waits) {
    block.wait_in_warpgroup(false);
  }
}

// All threads have made the call. Returns false if they must keep waiting, for registers.
bool Warpgroups::complete(Block& block, unsigned number, Call& call) {
  Group& group = groups_[number];
  const auto count = static_cast<unsigned>(call.arguments.count);
  switch (call.arguments.what) {
    case WarpgroupOp::fence: group.products.fence(); break;
    case WarpgroupOp::mma: group.products.issued(block, std::move(call.product)); break;
    case WarpgroupOp::commit: group.products.commit(); break;
    case WarpgroupOp::wait: group.products.wait(block, count); break;
    case WarpgroupOp::dec:
      if (count > group.registers) block.fail(describe_bad_registers(block.self(), count, group.registers));
      free_registers_ += group.registers - count;
      group.registers = count;
      give_registers(block);
      break;
    case WarpgroupOp::inc:
      if (count > group.registers + free_registers_) {
        group.wanted = count;
        return false;
      }
      free_registers_ += group.registers - count;  // may free some: the compiler may have given it more
      group.registers = count;
      break;
  }
  return true;
}

// Lets warpgroups continue whose setmaxnreg.inc can be satisfied now.
void Warpgroups::give_registers(Block& block) {
  for (unsigned number = 0; number < count_; ++number) {
    Group& group = groups_[number];
    if (group.wanted == 0 || group.wanted > group.registers + free_registers_) continue;
    free_registers_ -= group.wanted - group.registers;
    group.registers = group.wanted;
    group.wanted = 0;
    block.release_warpgroup(number);
  }
}

void Warpgroups::exits(Block& block) {
  const unsigned number = block.self().linear / kWarpgroup;
  if (number >= count_) return;
  Group& group = groups_[number];
  ++group.exited;
  if (!used_ || group.calls_made[block.self().linear % kWarpgroup] == group.first + group.calls.size()) return;
  block.fail(describe_missing_threads(block, block.threads()[group.calls.back().first]));
}

void Warpgroups::block_ends(Block& block) {
  if (!used_) return;
  for (const Group& group : groups_) {
    if (const Wgmma* left = group.products.oldest(); left != nullptr) block.fail(describe_not_waited(left->site));
  }
}

unsigned Warpgroups::arrived_with(const Thread& thread) const {
  const Group& group = groups_[thread.linear / kWarpgroup];
  const std::uint64_t at = group.calls_made[thread.linear % kWarpgroup] - 1;
  return at < group.first ? kWarpgroup : group.calls[at - group.first].arrived;
}

unsigned Warpgroups::registers_for(const Thread& thread) const {
  const Group& group = groups_[thread.linear / kWarpgroup];
  return group.wanted == 0 ? 0 : group.registers + free_registers_;
}

// The four warps continue in random order, and the lanes of each from a random one on.
void Block::release_warpgroup(unsigned number) {
  std::array<unsigned, kWarpgroup / kWarp> warps = {0, 1, 2, 3};
  for (unsigned left = static_cast<unsigned>(warps.size()); left > 0; --left) {
    const unsigned pick = random_.below(left), start = random_.below(kWarp);
    Thread* warp = &threads_[std::size_t{number} * kWarpgroup + std::size_t{warps[pick]} * kWarp];
    warps[pick] = warps[left - 1];
    for (unsigned i = 0; i < kWarp; ++i) {
      Thread& thread = warp[(start + i) % kWarp];
      thread.state = State::ready;
      push(thread);
    }
  }
  if (random_.below(2) == 0) forward(kWarpgroup);  // as in a warp
  progressed();
}

void Block::wait_in_warpgroup(bool all_continue) {
  if (watchdog_->failed()) leave();
  self_->state = State::at_warpgroup;
  if (all_continue) release_warpgroup(self_->linear / kWarpgroup);
  switch_away();
}

void wgmma_fence(Site site) {
  const BuiltinCall block("wgmma_fence", site);
  block->groups().execute(*block, {WarpgroupOp::fence}, nullptr);
}
void wgmma_commit(Site site) {
  const BuiltinCall block("wgmma_commit", site);
  block->groups().execute(*block, {WarpgroupOp::commit}, nullptr);
}
void wgmma_wait(int left, Site site) {
  const BuiltinCall block("wgmma_wait", site);
  block->groups().execute(*block, {WarpgroupOp::wait, left}, nullptr);
}
void wgmma(const WgmmaShape& what, const WgmmaOperands& mine, Site site) {
  const BuiltinCall block("wgmma", site);
  block->groups().execute(*block, {WarpgroupOp::mma, 0, &what, mine.a, mine.b, mine.add}, &mine);
}
void setmaxnreg(bool inc, int count, Site site) {
  const BuiltinCall block(inc ? "setmaxnreg_inc" : "setmaxnreg_dec", site);
  block->groups().execute(*block, {inc ? WarpgroupOp::inc : WarpgroupOp::dec, count}, nullptr);
}

unsigned descriptor_address(const void* shared, int stride, int leading, Site site) {
  const BuiltinCall block("operand", site);
  const unsigned address = block->window().address(shared);
  if (address % kChunkBytes != 0 || stride % kChunkBytes != 0 || leading % kChunkBytes != 0) [[unlikely]]
    block->fail(describe_bad_operand(block->self(), address % kChunkBytes != 0, stride, leading));
  return address;
}

}  // namespace cairn::emu
