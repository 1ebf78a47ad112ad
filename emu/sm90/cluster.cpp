#include "emu/sm90/cluster.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

namespace cairn::emu {

namespace {
constexpr std::chrono::milliseconds kSleepInterval{2};
}

void Cluster::reset() {
  const std::lock_guard lock(mutex_);
  cluster_phase_ = 0;
  clocks_.clear();
  for (Slot& slot : slots_) {
    slot.block = nullptr;
    slot.is = Is::not_begun;
    slot.arrived = false;
    slot.mail.store(false, std::memory_order_relaxed);
    slot.inbox.clear();
  }
}

void Cluster::begin(unsigned rank, const Block& block) {
  const std::lock_guard lock(mutex_);
  slots_[rank].block = &block;
  slots_[rank].is = Is::running;
}

std::vector<Message> Cluster::end(unsigned rank) {
  const std::lock_guard lock(mutex_);
  slots_[rank].is = Is::ended;
  complete_phase_if_all_arrived();
  changed_.notify_all();
  return std::exchange(slots_[rank].inbox, {});
}

bool Cluster::post(unsigned to, Message message) {
  const std::lock_guard lock(mutex_);
  Slot& slot = slots_[to];
  if (slot.is == Is::ended) return false;
  slot.inbox.push_back(std::move(message));
  slot.mail.store(true, std::memory_order_release);
  changed_.notify_all();
  return true;
}

Cluster::Delivery Cluster::take(unsigned rank) {
  const std::lock_guard lock(mutex_);
  slots_[rank].is = Is::running;
  slots_[rank].mail.store(false, std::memory_order_relaxed);
  return {std::exchange(slots_[rank].inbox, {}), cluster_phase_, clocks_};
}

void Cluster::arrive(unsigned rank, Clock clock) {
  const std::lock_guard lock(mutex_);
  slots_[rank].arrived = true;
  slots_[rank].clock = std::move(clock);
  complete_phase_if_all_arrived();
}

void Cluster::complete_phase_if_all_arrived() {
  const auto slots = std::span(slots_).first(size_);
  if (!std::ranges::all_of(slots, [](const Slot& s) { return s.arrived || s.is == Is::ended; })) return;
  if (std::ranges::none_of(slots, [](const Slot& s) { return s.arrived; })) return;
  ++cluster_phase_;
  clocks_.clear();
  for (Slot& slot : slots) {
    if (slot.arrived && slot.clock != nullptr) clocks_.push_back(std::move(slot.clock));
    slot.arrived = false;
    slot.clock = nullptr;
    slot.mail.store(true, std::memory_order_release);
  }
  changed_.notify_all();
}

Cluster::Sleep Cluster::sleep(unsigned rank) {
  std::unique_lock lock(mutex_);
  Slot& mine = slots_[rank];
  if (mine.mail.load(std::memory_order_relaxed)) return Sleep::awake;
  mine.is = Is::asleep;
  const auto hopeless = [](const Slot& s) {
    return s.is == Is::ended || (s.is == Is::asleep && !s.mail.load(std::memory_order_relaxed));
  };
  if (std::ranges::all_of(std::span(slots_).first(size_), hopeless)) return Sleep::never;
  changed_.wait_for(lock, kSleepInterval, [&] { return mine.mail.load(std::memory_order_relaxed); });
  if (!mine.mail.load(std::memory_order_relaxed)) return Sleep::asleep;
  mine.is = Is::running;
  return Sleep::awake;
}

const Block* Cluster::sleeping_block(unsigned rank) {
  const std::lock_guard lock(mutex_);
  return slots_[rank].is == Is::asleep ? slots_[rank].block : nullptr;
}

bool Cluster::ended(unsigned rank) {
  const std::lock_guard lock(mutex_);
  return slots_[rank].is == Is::ended;
}

}  // namespace cairn::emu
