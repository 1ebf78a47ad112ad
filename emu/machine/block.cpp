#include "emu/machine/block.hpp"

#include <bit>
#include <exception>
#include <utility>

#include "emu/machine/shared_memory.hpp"
#include "emu/machine/trace_hooks.hpp"
#include "emu/report/report.hpp"

namespace cairn::emu {

constinit thread_local Block* Block::current_ = nullptr;

void Block::prepare(const Launch& launch) {
  const unsigned count = launch.threads();
  stacks_.grow_to(count);
  threads_.resize(count);
  ready_.fill(&threads_[0]);
  head_ = tail_ = 0;
  live_ = count;
  idle_spins_ = idle_ticks_ = 0;
  copies_.reset();
  stores_.reset();
  mbarriers_.reset();
  groups_.reset(count);
  window_.reset(launch);
  present_.fill(0);
  warp_wide_.fill(0);
  waiting_.fill(0);
  for (Barrier& barrier : barriers_) {
    barrier.expected = barrier.arrived = barrier.votes = barrier.waiting = 0;
  }
  uint3 at{0, 0, 0};
  for (unsigned i = 0; i < count; ++i) {
    Thread& thread = threads_[i];
    thread.index = at;
    thread.linear = i;
    thread.state = State::ready;
    present_[i / kWarp] |= 1u << thread.lane();
    thread.call = nullptr;
    thread.fiber.prepare(stacks_[i], &Block::thread_main);
    if (++at.x == launch.block.x) at.x = 0, ++at.y;
    if (at.y == launch.block.y) at.y = 0, ++at.z;
  }
}

void Block::run(const Launch& launch, uint3 index, std::uint64_t seed, Watchdog& watch, GridBarrier* grid,
                Cluster* cluster, unsigned rank) {
  launch_ = &launch;
  grid_ = grid;
  waiting_for_grid_.clear();
  watchdog_ = &watch;
  index_ = index;
  random_ = Random(seed);
  busy(true);
  prepare(launch);
  poison_shared(launch);
  prepare_cluster(cluster, rank);

  // All threads start as if released from a barrier: in random order.
  Barrier& start = barriers_[0];
  for (Thread& thread : threads_) start.who[start.waiting++] = &thread;
  release(start);

  current_ = this;
  self_ = ready_[head_++ % kMostThreads];
  if (trace_hooks != nullptr) trace_hooks->block_begins(*this);
  Fiber::switch_to(outside_, self_->fiber);
  if (trace_hooks != nullptr) trace_hooks->block_ends(*this);
  current_ = nullptr;
  self_ = nullptr;
}

// The main function of every fiber. Fibers must not switch inside the catch blocks: the exception being handled
// belongs to the OS thread, not to the fiber.
void Block::thread_main() {
  Block& block = *current_;
  std::string thrown;
  block.busy(false);
  try {
    block.launch_->call(block.launch_->arguments);
    block.busy(true);
  } catch (const std::exception& e) {
    block.busy(true);
    thrown = std::string("threw an exception: ") + e.what();
  } catch (...) {
    block.busy(true);
    thrown = "threw something that is no std::exception";
  }
  if (!thrown.empty()) block.fail(std::exchange(thrown, {}));
  block.exit_thread();
}

void Block::exit_thread() {
  self_->state = State::exited;
  --live_;
  progressed();
  groups_.exits(*this);
  // Collectives of the warp no longer wait for this lane.
  const unsigned warp = self_->linear / kWarp;
  present_[warp] &= ~(1u << self_->lane());
  if (const auto waiting = warp_wide_[warp]; waiting != 0) [[unlikely]]
    fail(describe_missing_lanes(*this, threads_[warp * kWarp + static_cast<unsigned>(std::countr_zero(waiting))]));
  for (std::uint32_t left = waiting_[warp]; left != 0; left &= left - 1) {
    const Thread& thread = threads_[warp * kWarp + static_cast<unsigned>(std::countr_zero(left))];
    if (thread.state == State::at_warp && (thread.mask >> self_->lane() & 1) != 0) try_complete(warp, thread.mask);
  }
  leave_cluster_barrier();
  if (live_ == 0) {
    groups_.block_ends(*this);
    finish();
    leave();
  }
  switch_away();
  std::terminate();  // a thread that has returned never runs again
}

void Block::fail(std::string message) {
  watchdog_->fail(describe_place(*this) + std::exchange(message, {}));
  leave();
}

void Block::leave() {
  Fiber::switch_to(self_->fiber, outside_);
  std::terminate();
}

void Block::progressed() {
  idle_spins_ = idle_ticks_ = 0;
  watchdog_->progressed();
}

void Block::fail_wrong_count(unsigned barrier, unsigned expected) {
  fail(describe_other_count(*self_, barrier, expected, barriers_[barrier].expected));
}

unsigned Block::sync(unsigned barrier, unsigned expected, bool predicate) {
  Barrier& b = barriers_[barrier];
  if (b.arrived != 0 && b.expected != expected) [[unlikely]]
    fail_wrong_count(barrier, expected);
  b.expected = expected;
  self_->state = State::at_barrier;
  self_->barrier = static_cast<std::uint8_t>(barrier);
  b.who[b.waiting++] = self_;
  b.votes += predicate ? 1 : 0;
  if (++b.arrived == b.expected) release(b);
  switch_away();
  return b.result;
}

void Block::arrive(unsigned barrier, unsigned expected) {
  Barrier& b = barriers_[barrier];
  if (b.arrived != 0 && b.expected != expected) fail_wrong_count(barrier, expected);
  b.expected = expected;
  if (trace_hooks != nullptr) trace_hooks->arrives(*this, barrier);
  if (++b.arrived == b.expected) release(b);
}

void Block::push_shuffled(Thread** who, unsigned count) {
  for (unsigned n = count; n > 0; --n) {
    const unsigned pick = random_.below(n);
    who[pick]->state = State::ready;
    push(*who[pick]);
    who[pick] = who[n - 1];
  }
}

// For the traced build: shuffles the warps, and the lanes of each, but keeps a warp together, because the logs of one
// warp fit into the L1 cache and those of a block do not.
void Block::push_by_warps(Thread** threads, unsigned waiting) {
  std::array<std::uint32_t, kMostThreads / kWarp> lanes{};
  for (unsigned i = 0; i < waiting; ++i) {
    const Thread& thread = *threads[i];
    lanes[thread.linear / kWarp] |= 1u << thread.lane();
  }
  std::array<unsigned, kMostThreads / kWarp> warps;
  unsigned left = 0;
  for (unsigned warp = 0; warp < lanes.size(); ++warp) {
    if (lanes[warp] != 0) warps[left++] = warp;
  }
  for (; left > 0; --left) {
    const unsigned pick = random_.below(left), warp = std::exchange(warps[pick], warps[left - 1]);
    std::array<Thread*, kWarp> who;
    unsigned count = 0;
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      if ((lanes[warp] >> lane & 1) != 0) who[count++] = &threads_[warp * kWarp + lane];
    }
    push_shuffled(who.data(), count);
  }
}

// Lets all waiting threads run, in random order; the last to arrive has no advantage.
void Block::release(Barrier& barrier) {
  if (watchdog_->failed() && self_ != nullptr) leave();
  if (trace_hooks != nullptr && self_ != nullptr) {
    std::uint32_t warps = 0;
    for (unsigned i = 0; i < barrier.waiting; ++i) warps |= 1u << barrier.who[i]->linear / kWarp;
    trace_hooks->warps_synchronize(*this, static_cast<unsigned>(&barrier - barriers_.data()), warps, self_->site);
  }
  wake(barrier.who.data(), barrier.waiting);
  barrier.result = barrier.votes;
  barrier.arrived = barrier.votes = barrier.waiting = 0;
}

void Block::wake(Thread** who, unsigned count) {
  if (trace_hooks == nullptr) {
    push_shuffled(who, count);
  } else {
    push_by_warps(who, count);
  }
  progressed();
}

void Block::park(State state) {
  if (watchdog_->failed()) leave();
  self_->state = state;
  switch_away();
}

void Block::pause() {
  push(*self_);
  switch_away();
}

void Block::tick() {
  if (busy_.load(std::memory_order_relaxed)) return;
  if (head_ != ticked_at_) {  // another thread has run since
    ticked_at_ = head_;
    return;
  }
  busy(true);
  if (watchdog_->failed()) leave();
  watchdog_->ticked();
  self_->call = "plain loads, or in an endless loop";
  self_->site = {};
  self_->state = State::spinning;
  push(*self_);
  if (++idle_ticks_ > tail_ - head_) {
    idle_ticks_ = 0;
    if (watchdog_->stuck_for_ticks()) fail(describe_stall(*this));
  }
  switch_away();
  ticked_at_ = head_;
  busy(false);
}

void Block::forward(unsigned count) {
  for (; count > 0 && head_ != tail_; --count) ready_[--head_ % kMostThreads] = ready_[--tail_ % kMostThreads];
}

void Block::spin(bool changed) {
  self_->state = State::spinning;
  push(*self_);
  receive_pending();
  if (changed) {
    progressed();
  } else if (++idle_spins_ > 2 * live_) {
    idle_spins_ = 0;
    if (watchdog_->failed()) leave();
    if (watchdog_->stuck()) fail(describe_stall(*this));
  }
  switch_away();
}

}  // namespace cairn::emu
