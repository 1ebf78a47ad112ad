// Barriers in shared memory, and what blocks of a cluster send each other: a thread that comes hands on its past, and
// one that has waited has the pasts of all who came, and of the copies that landed for it.
//
// Times of one block mean nothing to another. What a block sends is numbered, and what was its own past then is kept
// under that number; the pasts that go from block to block hold the highest number of each.
#include <algorithm>

#include "emu/trace/tracer.hpp"

namespace cairn::emu {

Clocks::Times Tracer::leave() {
  const unsigned thread = block_->self().linear;
  flush(thread);
  return clocks_.leave(thread / kWarp);
}

// What the lanes of the warp have done so far was not behind this.
void Tracer::learn(const Clocks::Times& from) {
  const unsigned warp = block_->self().linear / kWarp;
  if (!clocks_.is_news(warp, from)) return;
  meet_peers(from);
  const std::size_t first = std::size_t{warp} * kWarp, end = std::min(first + kWarp, block_->threads().size());
  for (std::size_t thread = first; thread < end; ++thread) flush(static_cast<unsigned>(thread));
  clocks_.learn(warp, from);
}

// In global memory a block counts as a whole (steps.cpp).
void Tracer::meet_peers(const Clocks::Times& from) {
  const Launch& launch = block_->launch();
  const dim3 size = launch.cluster;
  const uint3 at = block_->index();
  for (unsigned rank = 0; rank < block_->cluster().size(); ++rank) {
    if (rank == block_->rank() || from[Clocks::kPeer + rank] == 0) continue;
    const unsigned x = at.x / size.x * size.x + rank % size.x;
    const unsigned y = at.y / size.y * size.y + rank / size.x % size.y;
    const unsigned z = at.z / size.z * size.z + rank / size.x / size.y;
    const BlockId peer = launch_ + 1 + x + launch.grid.x * (y + launch.grid.y * z);
    if (behind_.contains(peer)) continue;
    catches_up_ = false;
    for (unsigned thread = 0; thread < block_->threads().size(); ++thread) flush(thread);
    catches_up_ = true;
    behind_.insert(peer);
  }
}

void Tracer::mbarrier_made(const Mbarrier& barrier) {
  if (!detect_) return;
  const unsigned thread = block_->self().linear;
  Gate& gate = gates_.emplace_back();
  gate.made = mine_ | clocks_.since(thread / kWarp);
  gate.maker = thread;
  gate.site = site_of_call(barrier.made);
  clocks_.begin_anew(thread / kWarp);
}

// Others must not use it before they have met the one who initialises it.
void Tracer::check_made(const Mbarrier& barrier) {
  Gate& gate = gates_[barrier.number];
  if (gate.made == 0 || ordered(gate.made, gate.maker, block_->self().linear)) return;
  gate.made = 0;  // told once
  add_caught({Fault::race, site_of_call(block_->self().site), gate.site,
              who() + " uses the barrier at " + memory_at(reinterpret_cast<std::uintptr_t>(barrier.address)) + " at ",
              ", and thread " + std::to_string(gate.maker) + " initialises it at ",
              ", with nothing between them that orders the two"});
}

void Tracer::mbarrier_arrives(const Mbarrier& barrier) {
  if (!detect_) return;
  check_made(barrier);
  Clocks::join(gates_[barrier.number].coming, leave());
}

void Tracer::mbarrier_waited(const Mbarrier& barrier) {
  if (!detect_) return;
  check_made(barrier);
  learn(gates_[barrier.number].done);
}

void Tracer::mbarrier_ends(const Mbarrier& barrier) {
  if (!detect_) return;
  Gate& gate = gates_[barrier.number];
  Clocks::join(gate.done, gate.coming);
  gate.coming = {};
}

void Tracer::mbarrier_visited(const Mbarrier& barrier, const Sender& from) {
  if (detect_) receive(gates_[barrier.number].coming, from.clock.get());
}

std::shared_ptr<const void> Tracer::send(Clocks::Times left) {
  if (!detect_) return nullptr;
  Clocks::Times all = sent_.back();  // so that a number stands for those before it, too
  Clocks::join(all, left);
  sent_.push_back(all);
  left[Clocks::kPeer + block_->rank()] = static_cast<std::uint32_t>(sent_.size() - 1);
  return std::make_shared<Clocks::Times>(left);
}

void Tracer::receive(Clocks::Times& into, const void* clock) const {
  if (clock == nullptr) return;
  const auto& from = *static_cast<const Clocks::Times*>(clock);
  Clocks::join(into, sent_[from[Clocks::kPeer + block_->rank()]]);
  for (unsigned peer = Clocks::kPeer; peer < from.size(); ++peer) into[peer] = std::max(into[peer], from[peer]);
}

std::shared_ptr<const void> Tracer::departs() { return detect_ ? send(leave()) : nullptr; }

void Tracer::cluster_arrives() {
  if (detect_) Clocks::join(cluster_[cluster_meetings_ % 2], leave());
}

std::shared_ptr<const void> Tracer::cluster_departs() { return send(cluster_[cluster_meetings_ % 2]); }

void Tracer::cluster_heard(const std::vector<std::shared_ptr<const void>>& clocks) {
  for (const auto& clock : clocks) receive(cluster_[cluster_meetings_ % 2], clock.get());
  ++cluster_meetings_;
}

void Tracer::cluster_met() {
  if (detect_) learn(cluster_[(cluster_meetings_ - 1) % 2]);
}

}  // namespace cairn::emu
