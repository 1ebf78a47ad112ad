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

// Nobody here knows how many registers a kernel has: at most as many as its threads leave room for.
unsigned registers_at_start(unsigned threads) {
  const unsigned whole = (threads + kWarp - 1) / kWarp * kWarp;
  return std::min(kMostRegisters, kRegistersPerSm / whole / kRegisterStep * kRegisterStep);
}

}  // namespace

void Warpgroups::reset(unsigned threads) {
  count_ = threads / kGroup;
  free_registers_ = 0;
  for (Group& group : groups_) {
    group.gone = 0;
    group.registers = registers_at_start(threads);
    group.wanted = 0;
  }
  if (!used_) return;
  used_ = false;
  for (Group& group : groups_) {
    group.made.fill(0);
    group.calls.clear();
    group.first = 0;
    group.products.reset();
  }
}

// The call of the running thread: the next it makes, and nobody, or somebody, has made it before.
Warpgroups::Call& Warpgroups::next_call(Block& block, Group& group, const GroupAsks& asks, const GroupTiles* tiles) {
  const Thread& me = block.self();
  const unsigned place = me.linear % kGroup;
  const std::uint64_t at = group.made[place]++ - group.first;
  if (at == group.calls.size()) {
    if (group.gone != 0) block.fail(describe_missing_threads(block, me));
    group.calls.push_back({asks, me.call, me.site, me.linear, 0, nullptr});
    if (tiles != nullptr) group.calls.back().product = group.products.begin(place, *asks.multiply, *tiles, me.site);
  }
  Call& call = group.calls[at];
  const bool same_place = (call.name == me.call || std::strcmp(call.name, me.call) == 0) &&
                          call.site.line() == me.site.line() && call.site.column() == me.site.column();
  if (!same_place) [[unlikely]]
    block.fail(describe_other_call(me, call.name, call.site, call.first));
  if (call.asks != asks) [[unlikely]]
    block.fail(describe_other_operands(me, call.first));
  return call;
}

void Warpgroups::come(Block& block, const GroupAsks& asks, const GroupTiles* tiles) {
  used_ = true;
  const unsigned number = block.self().linear / kGroup;
  if (number >= count_) [[unlikely]]
    block.fail(describe_missing_threads(block, block.self()));
  Group& group = groups_[number];
  Call& call = next_call(block, group, asks, tiles);
  if (tiles != nullptr) group.products.join(block, block.self().linear % kGroup, *call.product, *tiles);
  const bool waits = asks.what == GroupDoes::wait || asks.what == GroupDoes::take;
  if (++call.come == kGroup) {
    const bool goes_on = complete(block, number, call);
    group.calls.pop_front();
    ++group.first;
    if (waits) block.stay_in_group(goes_on);
  } else if (waits) {
    block.stay_in_group(false);
  }
}

// All have come. False: they wait on.
bool Warpgroups::complete(Block& block, unsigned number, Call& call) {
  Group& group = groups_[number];
  const auto count = static_cast<unsigned>(call.asks.count);
  switch (call.asks.what) {
    case GroupDoes::fence: group.products.fence(); break;
    case GroupDoes::multiply: group.products.issued(block, std::move(call.product)); break;
    case GroupDoes::commit: group.products.commit(); break;
    case GroupDoes::wait: group.products.wait(block, count); break;
    case GroupDoes::keep:
      if (count > group.registers) block.fail(describe_bad_registers(block.self(), count, group.registers));
      free_registers_ += group.registers - count;
      group.registers = count;
      give_registers(block);
      break;
    case GroupDoes::take:
      if (count > group.registers + free_registers_) {
        group.wanted = count;
        return false;
      }
      free_registers_ += group.registers - count;  // less than it had is more to give: it may have had fewer
      group.registers = count;
      break;
  }
  return true;
}

// To those who wait for registers and can have them now.
void Warpgroups::give_registers(Block& block) {
  for (unsigned number = 0; number < count_; ++number) {
    Group& group = groups_[number];
    if (group.wanted == 0 || group.wanted > group.registers + free_registers_) continue;
    free_registers_ -= group.wanted - group.registers;
    group.registers = group.wanted;
    group.wanted = 0;
    block.release_group(number);
  }
}

void Warpgroups::exits(Block& block) {
  const unsigned number = block.self().linear / kGroup;
  if (number >= count_) return;
  Group& group = groups_[number];
  ++group.gone;
  if (!used_ || group.made[block.self().linear % kGroup] == group.first + group.calls.size()) return;
  block.fail(describe_missing_threads(block, block.threads()[group.calls.back().first]));
}

void Warpgroups::block_ends(Block& block) {
  if (!used_) return;
  for (const Group& group : groups_) {
    if (const GroupProduct* left = group.products.oldest(); left != nullptr)
      block.fail(describe_not_waited(left->site));
  }
}

unsigned Warpgroups::come_with(const Thread& thread) const {
  const Group& group = groups_[thread.linear / kGroup];
  const std::uint64_t at = group.made[thread.linear % kGroup] - 1;
  return at < group.first ? kGroup : group.calls[at - group.first].come;
}

unsigned Warpgroups::registers_for(const Thread& thread) const {
  const Group& group = groups_[thread.linear / kGroup];
  return group.wanted == 0 ? 0 : group.registers + free_registers_;
}

// The four warps go on in an order of their own, and the lanes of each.
void Block::release_group(unsigned number) {
  std::array<unsigned, kGroup / kWarp> warps = {0, 1, 2, 3};
  for (unsigned left = static_cast<unsigned>(warps.size()); left > 0; --left) {
    const unsigned pick = random_.below(left), start = random_.below(kWarp);
    Thread* warp = &threads_[std::size_t{number} * kGroup + std::size_t{warps[pick]} * kWarp];
    warps[pick] = warps[left - 1];
    for (unsigned i = 0; i < kWarp; ++i) {
      Thread& thread = warp[(start + i) % kWarp];
      thread.state = State::ready;
      push(thread);
    }
  }
  if (random_.below(2) == 0) forward(kGroup);  // as in a warp
  progressed();
}

void Block::stay_in_group(bool all_go_on) {
  if (watch_->failed()) leave();
  self_->state = State::at_group;
  if (all_go_on) release_group(self_->linear / kGroup);
  switch_away();
}

void group_fence(Site site) {
  const Inside block("wgmma_fence", site);
  block->groups().come(*block, {GroupDoes::fence}, nullptr);
}
void group_commit(Site site) {
  const Inside block("wgmma_commit", site);
  block->groups().come(*block, {GroupDoes::commit}, nullptr);
}
void group_wait(int left, Site site) {
  const Inside block("wgmma_wait", site);
  block->groups().come(*block, {GroupDoes::wait, left}, nullptr);
}
void group_multiply(const GroupMultiply& what, const GroupTiles& mine, Site site) {
  const Inside block("wgmma", site);
  block->groups().come(*block, {GroupDoes::multiply, 0, &what, mine.a, mine.b, mine.add}, &mine);
}
void group_registers(bool take, int count, Site site) {
  const Inside block(take ? "setmaxnreg_inc" : "setmaxnreg_dec", site);
  block->groups().come(*block, {take ? GroupDoes::take : GroupDoes::keep, count}, nullptr);
}

unsigned operand_address(const void* shared, int stride, int lead, Site site) {
  const Inside block("operand", site);
  const unsigned address = block->window().address(shared);
  if (address % kPieceBytes != 0 || stride % kPieceBytes != 0 || lead % kPieceBytes != 0) [[unlikely]]
    block->fail(describe_bad_operand(block->self(), address % kPieceBytes != 0, stride, lead));
  return address;
}

}  // namespace cairn::emu
