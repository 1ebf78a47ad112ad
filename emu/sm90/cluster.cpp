#include "emu/sm90/cluster.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

namespace cairn::emu {

namespace {
constexpr std::chrono::milliseconds kNap{2};
}

void Cluster::reset() {
  const std::lock_guard lock(mutex_);
  meetings_ = 0;
  clocks_.clear();
  for (Seat& seat : seats_) {
    seat.block = nullptr;
    seat.is = Is::not_begun;
    seat.arrived = false;
    seat.news.store(false, std::memory_order_relaxed);
    seat.inbox.clear();
  }
}

void Cluster::begin(unsigned rank, const Block& block) {
  const std::lock_guard lock(mutex_);
  seats_[rank].block = &block;
  seats_[rank].is = Is::running;
}

std::vector<Message> Cluster::end(unsigned rank) {
  const std::lock_guard lock(mutex_);
  seats_[rank].is = Is::ended;
  meet_if_all_have_come();
  changed_.notify_all();
  return std::exchange(seats_[rank].inbox, {});
}

bool Cluster::post(unsigned to, Message message) {
  const std::lock_guard lock(mutex_);
  Seat& seat = seats_[to];
  if (seat.is == Is::ended) return false;
  seat.inbox.push_back(std::move(message));
  seat.news.store(true, std::memory_order_release);
  changed_.notify_all();
  return true;
}

Cluster::News Cluster::take(unsigned rank) {
  const std::lock_guard lock(mutex_);
  seats_[rank].is = Is::running;
  seats_[rank].news.store(false, std::memory_order_relaxed);
  return {std::exchange(seats_[rank].inbox, {}), meetings_, clocks_};
}

void Cluster::arrive(unsigned rank, Clock clock) {
  const std::lock_guard lock(mutex_);
  seats_[rank].arrived = true;
  seats_[rank].clock = std::move(clock);
  meet_if_all_have_come();
}

void Cluster::meet_if_all_have_come() {
  const auto seats = std::span(seats_).first(size_);
  if (!std::ranges::all_of(seats, [](const Seat& s) { return s.arrived || s.is == Is::ended; })) return;
  if (std::ranges::none_of(seats, [](const Seat& s) { return s.arrived; })) return;
  ++meetings_;
  clocks_.clear();
  for (Seat& seat : seats) {
    if (seat.arrived && seat.clock != nullptr) clocks_.push_back(std::move(seat.clock));
    seat.arrived = false;
    seat.clock = nullptr;
    seat.news.store(true, std::memory_order_release);
  }
  changed_.notify_all();
}

Cluster::Sleep Cluster::sleep(unsigned rank) {
  std::unique_lock lock(mutex_);
  Seat& mine = seats_[rank];
  if (mine.news.load(std::memory_order_relaxed)) return Sleep::awake;
  mine.is = Is::asleep;
  const auto hopeless = [](const Seat& s) {
    return s.is == Is::ended || (s.is == Is::asleep && !s.news.load(std::memory_order_relaxed));
  };
  if (std::ranges::all_of(std::span(seats_).first(size_), hopeless)) return Sleep::never;
  changed_.wait_for(lock, kNap, [&] { return mine.news.load(std::memory_order_relaxed); });
  if (!mine.news.load(std::memory_order_relaxed)) return Sleep::asleep;
  mine.is = Is::running;
  return Sleep::awake;
}

const Block* Cluster::sleeper(unsigned rank) {
  const std::lock_guard lock(mutex_);
  return seats_[rank].is == Is::asleep ? seats_[rank].block : nullptr;
}

bool Cluster::ended(unsigned rank) {
  const std::lock_guard lock(mutex_);
  return seats_[rank].is == Is::ended;
}

}  // namespace cairn::emu
