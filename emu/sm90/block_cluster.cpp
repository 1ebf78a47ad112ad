// The part of Block that deals with its cluster, and the checks when a block ends.
#include <algorithm>
#include <utility>

#include "emu/machine/block.hpp"
#include "emu/machine/trace_hooks.hpp"
#include "emu/report/report.hpp"
#include "emu/report/sm90_report.hpp"

namespace cairn::emu {

void Block::prepare_cluster(Cluster* cluster, unsigned rank) {
  if (cluster == nullptr) alone_.reset();
  cluster_ = cluster == nullptr ? &alone_ : cluster;
  rank_ = rank;
  cluster_phases_of_.assign(threads_.size(), {});
  cluster_phase_ = 0;
  cluster_arrived_ = 0;
  cluster_notified_ = false;
  waiting_for_cluster_.clear();
  inbox_.clear();
  cluster_->begin(rank_, *this);
}

// All threads wait. In a cluster another block may still send something that lets one continue, and all blocks of a
// cooperative launch may arrive at its barrier.
void Block::nothing_ready() {
  while (head_ == tail_) {
    receive_pending();
    if (head_ != tail_) return;
    if (watchdog_->failed()) leave();
    if (waiting_for_grid_.size() == threads_.size()) {
      wait_for_grid();
      continue;
    }
    switch (cluster_->sleep(rank_)) {
      case Cluster::Sleep::awake: break;
      case Cluster::Sleep::never: fail(describe_deadlock(*this));
      case Cluster::Sleep::asleep:
        if (watchdog_->stuck_asleep()) fail(describe_stall(*this));
    }
  }
}

void Block::receive_messages() {
  Cluster::Delivery mail = cluster_->take(rank_);
  inbox_ = std::move(mail.messages);
  for (Message& message : inbox_) mbarriers_.receive(message);
  inbox_.clear();
  if (mail.phase != cluster_phase_) {
    cluster_phase_ = mail.phase;
    if (trace_hooks != nullptr) trace_hooks->cluster_phase_completed(mail.clocks);
    cluster_arrived_ = 0;
    cluster_notified_ = false;
    wake(waiting_for_cluster_.data(), static_cast<unsigned>(waiting_for_cluster_.size()));
    waiting_for_cluster_.clear();
  }
  progressed();
}

void Block::cluster_arrive() {
  ClusterPhases& mine = cluster_phases_of_[self_->linear];
  receive_pending();
  if (mine.arrived != mine.passed) fail(describe_cluster_order(*self_, true));
  ++mine.arrived;
  if (trace_hooks != nullptr) trace_hooks->cluster_arrival();
  if (++cluster_arrived_ == live_) notify_cluster();
}

void Block::notify_cluster() {
  cluster_notified_ = true;
  cluster_->arrive(rank_, trace_hooks != nullptr ? trace_hooks->cluster_release() : nullptr);
}

void Block::cluster_wait() {
  ClusterPhases& mine = cluster_phases_of_[self_->linear];
  if (mine.arrived == mine.passed) fail(describe_cluster_order(*self_, false));
  receive_pending();
  while (cluster_phase_ < mine.arrived) {
    waiting_for_cluster_.push_back(self_);
    park(State::at_cluster);
  }
  ++mine.passed;
  if (trace_hooks != nullptr) trace_hooks->cluster_acquire();
}

// A thread has returned: the cluster's barrier no longer waits for it.
void Block::leave_cluster_barrier() {
  receive_pending();
  if (cluster_phases_of_[self_->linear].arrived > cluster_phase_) --cluster_arrived_;
  if (live_ > 0 && !cluster_notified_ && cluster_arrived_ == live_) notify_cluster();
}

Sender Block::sender() {
  const ClusterPhases& mine = cluster_phases_of_[self_->linear];
  if (mine.passed == 0) fail(describe_no_cluster_sync(*self_));
  Sender from{rank_, mine.arrived, self_->site, nullptr};
  if (trace_hooks != nullptr) from.clock = trace_hooks->release_clock();
  return from;
}

// All threads have returned.
void Block::finish() {
  if (watchdog_->failed()) return;
  inbox_ = cluster_->end(rank_);
  for (Message& message : inbox_) mbarriers_.receive(message);
  inbox_.clear();
  if (const Mbarrier* barrier = mbarriers_.unfinished()) fail(describe_unfinished(*this, *barrier));
  if (const auto store = stores_.finish(late_uses_are_tolerated)) late_use(*this, describe_unread(*store));
  std::uint32_t passed = 0;
  for (const ClusterPhases& each : cluster_phases_of_) passed = std::max(passed, each.passed);
  const Sender* by = nullptr;
  if (const Mbarrier* barrier = mbarriers_.awaiting_remote(passed, by))
    late_use(*this, describe_early_end(*this, *barrier, *by));
}

}  // namespace cairn::emu
