#include "emu/machine/grid_barrier.hpp"

#include <algorithm>

#include "emu/machine/block.hpp"
#include "emu/machine/trace_hooks.hpp"
#include "emu/report/report.hpp"

namespace cairn::emu {

// Whoever sleeps wakes now and then to see whether any block still makes progress. With many blocks each wakes less
// often: the CPU cores are for those that run.
GridBarrier::GridBarrier(std::uint64_t blocks)
    : blocks_(blocks), interval_(std::clamp<std::uint64_t>(blocks / 4, 2, 250)) {}

std::uint64_t GridBarrier::arrive() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t phase = phase_ + 1;
  if (++arrived_ == blocks_) {
    arrived_ = 0;
    phase_ = phase;
    changed_.notify_all();
  }
  return phase;
}

GridBarrier::Sleep GridBarrier::sleep(std::uint64_t phase) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, interval_, [&] { return phase_ >= phase || ended_ > 0 || failed_; });
  if (phase_ >= phase) return Sleep::complete;
  return ended_ > 0 ? Sleep::never : Sleep::asleep;
}

uint3 GridBarrier::ended_block() {
  const std::lock_guard lock(mutex_);
  return first_ended_;
}

void GridBarrier::block_ends(uint3 block) {
  const std::lock_guard lock(mutex_);
  if (ended_++ == 0) first_ended_ = block;
  if (arrived_ > 0) changed_.notify_all();
}

void GridBarrier::launch_fails() {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  changed_.notify_all();
}

void Block::grid_sync() {
  if (grid_ == nullptr) fail(describe_not_cooperative(*self_));
  waiting_for_grid_.push_back(self_);
  if (waiting_for_grid_.size() == threads_.size()) {
    const std::size_t warps = (threads_.size() + kWarp - 1) / kWarp;
    if (trace_hooks != nullptr)
      trace_hooks->warps_synchronize(*this, 0, warps == 32 ? ~0u : (1u << warps) - 1, self_->site);
    grid_phase_ = grid_->arrive();
    progressed();
  }
  park(State::at_grid);
}

// Called while all threads of the block wait at the grid's barrier.
void Block::wait_for_grid() {
  switch (grid_->sleep(grid_phase_)) {
    case GridBarrier::Sleep::complete:
      if (trace_hooks != nullptr) trace_hooks->grid_synchronized(*this);
      wake(waiting_for_grid_.data(), static_cast<unsigned>(waiting_for_grid_.size()));
      waiting_for_grid_.clear();
      break;
    case GridBarrier::Sleep::never:
      if (!watchdog_->failed()) fail(describe_grid_deadlock(*this, grid_->ended_block()));
      break;
    case GridBarrier::Sleep::asleep:
      if (watchdog_->stuck_asleep()) fail(describe_stall(*this));
  }
}

}  // namespace cairn::emu
