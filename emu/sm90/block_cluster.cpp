// A block's part in its cluster, and what it must have done when it ends.
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
  meetings_of_.assign(threads_.size(), {});
  meetings_ = 0;
  come_ = 0;
  told_ = false;
  waiting_for_cluster_.clear();
  inbox_.clear();
  cluster_->begin(rank_, *this);
}

// All threads wait. In a cluster another block may have something for them.
void Block::nothing_ready() {
  while (head_ == tail_) {
    hear();
    if (head_ != tail_) return;
    if (watch_->failed()) leave();
    switch (cluster_->sleep(rank_)) {
      case Cluster::Sleep::awake: break;
      case Cluster::Sleep::never: fail(describe_deadlock(*this));
      case Cluster::Sleep::asleep:
        if (watch_->stuck_asleep()) fail(describe_stall(*this));
    }
  }
}

void Block::hear_news() {
  Cluster::News news = cluster_->take(rank_);
  inbox_ = std::move(news.messages);
  for (Message& message : inbox_) mbarriers_.receive(message);
  inbox_.clear();
  if (news.meetings != meetings_) {
    meetings_ = news.meetings;
    if (trace_hooks != nullptr) trace_hooks->cluster_heard(news.clocks);
    come_ = 0;
    told_ = false;
    wake(waiting_for_cluster_.data(), static_cast<unsigned>(waiting_for_cluster_.size()));
    waiting_for_cluster_.clear();
  }
  progressed();
}

void Block::cluster_arrive() {
  Meetings& mine = meetings_of_[self_->linear];
  hear();
  if (mine.arrived != mine.passed) fail(describe_cluster_order(*self_, true));
  ++mine.arrived;
  if (trace_hooks != nullptr) trace_hooks->cluster_arrives();
  if (++come_ == live_) tell_cluster();
}

void Block::tell_cluster() {
  told_ = true;
  cluster_->arrive(rank_, trace_hooks != nullptr ? trace_hooks->cluster_departs() : nullptr);
}

void Block::cluster_wait() {
  Meetings& mine = meetings_of_[self_->linear];
  if (mine.arrived == mine.passed) fail(describe_cluster_order(*self_, false));
  hear();
  while (meetings_ < mine.arrived) {
    waiting_for_cluster_.push_back(self_);
    park(State::at_cluster);
  }
  ++mine.passed;
  if (trace_hooks != nullptr) trace_hooks->cluster_met();
}

// A thread has returned: the others of the cluster no longer wait for it.
void Block::leave_cluster_barrier() {
  hear();
  if (meetings_of_[self_->linear].arrived > meetings_) --come_;
  if (live_ > 0 && !told_ && come_ == live_) tell_cluster();
}

Sender Block::sender() {
  const Meetings& mine = meetings_of_[self_->linear];
  if (mine.passed == 0) fail(describe_never_met(*self_));
  Sender from{rank_, mine.arrived, self_->site, nullptr};
  if (trace_hooks != nullptr) from.clock = trace_hooks->departs();
  return from;
}

// All threads have returned.
void Block::finish() {
  if (watch_->failed()) return;
  inbox_ = cluster_->end(rank_);
  for (Message& message : inbox_) mbarriers_.receive(message);
  inbox_.clear();
  if (const Mbarrier* barrier = mbarriers_.unfinished()) fail(describe_unfinished(*this, *barrier));
  if (const BulkStore* store = stores_.finish()) fail(describe_unread(*store));
  std::uint32_t passed = 0;
  for (const Meetings& each : meetings_of_) passed = std::max(passed, each.passed);
  const Sender* by = nullptr;
  if (const Mbarrier* barrier = mbarriers_.visited(passed, by)) fail(describe_early_end(*this, *barrier, *by));
}

}  // namespace cairn::emu
