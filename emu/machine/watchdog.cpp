#include "emu/machine/watchdog.hpp"

#include <thread>
#include <utility>

#include "emu/machine/grid.hpp"

namespace cairn::emu {

namespace {
constexpr std::uint64_t kRoundsBetweenLooks = 64;
constexpr std::uint64_t kRoundsWithoutHope = 4096;
constexpr std::chrono::milliseconds kTimeWithoutHope{1000}, kTimeWithoutHelp{20};
constexpr std::uint64_t kTicksWithoutHelp = 20;
}  // namespace

bool Watch::failed() const { return grid_.failed(); }
void Watch::fail(std::string message) { grid_.fail(std::move(message)); }

bool Watch::unchanged() {
  std::this_thread::yield();  // the one waited for may need this processor
  const std::uint64_t progress = grid_.progress();
  if (progress == seen_) return true;
  seen_ = progress;
  since_ = std::chrono::steady_clock::now();
  rounds_ = ticks_ = 0;
  stuck_at_.store(kMoving);
  return false;
}

// Every OS thread of the grid comes to its own conclusion, and only when all have come to the same, about the same
// moment of the grid's progress, is it acted upon. One that computes instead of polling never comes to it.
bool Watch::stuck() {
  if (++rounds_ % kRoundsBetweenLooks != 0) return false;
  if (!unchanged() || grid_.start_another()) return false;
  if (rounds_ < kRoundsWithoutHope || std::chrono::steady_clock::now() - since_ < kTimeWithoutHope) return false;
  stuck_at_.store(seen_);
  return grid_.all_stuck_at(seen_);
}

bool Watch::stuck_for_ticks() {
  if (!unchanged() || ticks_ < kTicksWithoutHelp || grid_.start_another()) return false;
  if (ticks_ < grid_.most_ticks()) return false;
  stuck_at_.store(seen_);
  return grid_.all_stuck_at(seen_);
}

bool Watch::stuck_asleep() {
  if (!unchanged()) return false;
  const auto asleep = std::chrono::steady_clock::now() - since_;
  if (asleep < kTimeWithoutHelp || grid_.start_another() || asleep < kTimeWithoutHope) return false;
  stuck_at_.store(seen_);
  return grid_.all_stuck_at(seen_);
}

void Watch::block_done() {
  rounds_ = ticks_ = 0;
  seen_ = kMoving;
  stuck_at_.store(kMoving);
}

}  // namespace cairn::emu
