#include "emu/machine/watchdog.hpp"

#include <thread>
#include <utility>

#include "emu/machine/grid.hpp"

namespace cairn::emu {

namespace {
constexpr std::uint64_t kSpinsBetweenChecks = 64;
constexpr std::uint64_t kSpinsBeforeStuck = 4096;
constexpr std::chrono::milliseconds kTimeBeforeStuck{1000}, kTimeBeforeAnotherBlock{20};
constexpr std::uint64_t kTicksBeforeAnotherBlock = 20;
}  // namespace

bool Watchdog::failed() const { return grid_.failed(); }
void Watchdog::fail(std::string message) { grid_.fail(std::move(message)); }

bool Watchdog::unchanged() {
  std::this_thread::yield();  // the thread that is waited for may need this CPU core
  const std::uint64_t progress = grid_.progress();
  if (progress == seen_) return true;
  seen_ = progress;
  since_ = std::chrono::steady_clock::now();
  spins_ = ticks_ = 0;
  stuck_at_.store(kMoving);
  return false;
}

// Every OS thread decides for itself that it is stuck. The launch is stuck when all have decided so at the same
// progress of the grid; an OS thread that computes instead of polling never does.
bool Watchdog::stuck() {
  if (++spins_ % kSpinsBetweenChecks != 0) return false;
  if (!unchanged() || grid_.start_another()) return false;
  if (spins_ < kSpinsBeforeStuck || std::chrono::steady_clock::now() - since_ < kTimeBeforeStuck) return false;
  stuck_at_.store(seen_);
  return grid_.all_stuck_at(seen_);
}

bool Watchdog::stuck_for_ticks() {
  if (!unchanged() || ticks_ < kTicksBeforeAnotherBlock || grid_.start_another()) return false;
  if (ticks_ < grid_.most_ticks()) return false;
  stuck_at_.store(seen_);
  return grid_.all_stuck_at(seen_);
}

bool Watchdog::stuck_asleep() {
  if (!unchanged()) return false;
  const auto asleep = std::chrono::steady_clock::now() - since_;
  if (asleep < kTimeBeforeAnotherBlock || grid_.start_another() || asleep < kTimeBeforeStuck) return false;
  stuck_at_.store(seen_);
  return grid_.all_stuck_at(seen_);
}

void Watchdog::block_done() {
  spins_ = ticks_ = 0;
  seen_ = kMoving;
  stuck_at_.store(kMoving);
}

}  // namespace cairn::emu
