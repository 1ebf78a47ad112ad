// mbarriers and messages between blocks of a cluster. An arrival releases the thread's vector clock; a wait acquires
// the clocks of all arrivals, and of the TMA loads that completed.
//
// Times of one block mean nothing in another. A block numbers its messages and keeps its own clock for each; the
// clocks that are sent contain the highest message number of every block.
#include <algorithm>

#include "emu/trace/tracer.hpp"

namespace cairn::emu {

VectorClocks::VectorClock Tracer::release() {
  const unsigned thread = block_->self().linear;
  flush(thread);
  return clocks_.release(thread / kWarp);
}

// What the warp's lanes have done so far is not ordered by this, so it is checked first.
void Tracer::acquire(const VectorClocks::VectorClock& from) {
  const unsigned warp = block_->self().linear / kWarp;
  if (!clocks_.is_new(warp, from)) return;
  acquire_peers(from);
  const std::size_t first = std::size_t{warp} * kWarp, end = std::min(first + kWarp, block_->threads().size());
  for (std::size_t thread = first; thread < end; ++thread) flush(static_cast<unsigned>(thread));
  clocks_.acquire(warp, from);
}

// In global memory a block counts as a whole (atomics.cpp).
void Tracer::acquire_peers(const VectorClocks::VectorClock& from) {
  const Launch& launch = block_->launch();
  const dim3 size = launch.cluster;
  const uint3 at = block_->index();
  for (unsigned rank = 0; rank < block_->cluster().size(); ++rank) {
    if (rank == block_->rank() || from[VectorClocks::kPeer + rank] == 0) continue;
    const unsigned x = at.x / size.x * size.x + rank % size.x;
    const unsigned y = at.y / size.y * size.y + rank / size.x % size.y;
    const unsigned z = at.z / size.z * size.z + rank / size.x / size.y;
    const BlockId peer = launch_ + 1 + x + launch.grid.x * (y + launch.grid.y * z);
    if (predecessors_.contains(peer)) continue;
    catches_up_ = false;
    for (unsigned thread = 0; thread < block_->threads().size(); ++thread) flush(thread);
    catches_up_ = true;
    predecessors_.insert(peer);
  }
}

void Tracer::mbarrier_initialized(const Mbarrier& barrier) {
  if (!detect_) return;
  const unsigned thread = block_->self().linear;
  MbarrierClock& clock = mbarrier_clocks_.emplace_back();
  clock.made = mine_ | clocks_.since(thread / kWarp);
  clock.init_thread = thread;
  clock.site = site_of_call(barrier.init_site);
  clocks_.begin_anew(thread / kWarp);
}

// Other threads must not use an mbarrier before they have synchronized with the one that initializes it.
void Tracer::check_initialized(const Mbarrier& barrier) {
  MbarrierClock& clock = mbarrier_clocks_[barrier.number];
  if (clock.made == 0 || ordered(clock.made, clock.init_thread, block_->self().linear)) return;
  clock.made = 0;  // reported once
  add_finding(
      {Fault::race, site_of_call(block_->self().site), clock.site,
       who() + " uses the barrier at " + memory_at(reinterpret_cast<std::uintptr_t>(barrier.address)) + " at ",
       ", and thread " + std::to_string(clock.init_thread) + " initialises it at ",
       ", with nothing between them that orders the two"});
}

void Tracer::mbarrier_used(const Mbarrier& barrier) {
  if (detect_) check_initialized(barrier);
}

void Tracer::mbarrier_arrives(const Mbarrier& barrier) {
  if (!detect_) return;
  check_initialized(barrier);
  VectorClocks::join(mbarrier_clocks_[barrier.number].arriving, release());
}

void Tracer::mbarrier_waited(const Mbarrier& barrier) {
  if (!detect_) return;
  check_initialized(barrier);
  acquire(mbarrier_clocks_[barrier.number].completed);
}

void Tracer::mbarrier_phase_completed(const Mbarrier& barrier) {
  if (!detect_) return;
  MbarrierClock& clock = mbarrier_clocks_[barrier.number];
  VectorClocks::join(clock.completed, clock.arriving);
  clock.arriving = {};
}

void Tracer::mbarrier_remote_arrival(const Mbarrier& barrier, const Sender& from) {
  if (detect_) receive(mbarrier_clocks_[barrier.number].arriving, from.clock.get());
}

std::shared_ptr<const void> Tracer::send(VectorClocks::VectorClock left) {
  if (!detect_) return nullptr;
  VectorClocks::VectorClock all = sent_.back();  // so that a number covers the messages before it, too
  VectorClocks::join(all, left);
  sent_.push_back(all);
  left[VectorClocks::kPeer + block_->rank()] = static_cast<std::uint32_t>(sent_.size() - 1);
  return std::make_shared<VectorClocks::VectorClock>(left);
}

void Tracer::receive(VectorClocks::VectorClock& into, const void* clock) const {
  if (clock == nullptr) return;
  const auto& from = *static_cast<const VectorClocks::VectorClock*>(clock);
  VectorClocks::join(into, sent_[from[VectorClocks::kPeer + block_->rank()]]);
  for (unsigned peer = VectorClocks::kPeer; peer < from.size(); ++peer) into[peer] = std::max(into[peer], from[peer]);
}

std::shared_ptr<const void> Tracer::release_clock() { return detect_ ? send(release()) : nullptr; }

void Tracer::cluster_arrival() {
  if (detect_) VectorClocks::join(cluster_[cluster_phase_ % 2], release());
}

std::shared_ptr<const void> Tracer::cluster_release() { return send(cluster_[cluster_phase_ % 2]); }

void Tracer::cluster_phase_completed(const std::vector<std::shared_ptr<const void>>& clocks) {
  for (const auto& clock : clocks) receive(cluster_[cluster_phase_ % 2], clock.get());
  ++cluster_phase_;
}

void Tracer::cluster_acquire() {
  if (detect_) acquire(cluster_[(cluster_phase_ - 1) % 2]);
}

}  // namespace cairn::emu
