#include "emu/watch.hpp"

#include <thread>
#include <utility>

#include "emu/grid.hpp"

namespace cairn::emu {

namespace {
constexpr std::uint64_t kRoundsBetweenLooks = 64;
constexpr std::uint64_t kRoundsWithoutHope = 4096;
constexpr std::chrono::milliseconds kTimeWithoutHope{1000};
}  // namespace

bool Watch::failed() const { return grid_.failed(); }
void Watch::fail(std::string message) { grid_.fail(std::move(message)); }

// Every OS thread of the grid comes to its own conclusion, and only when all have come to the same, about the same
// moment of the grid's progress, is it acted upon. One that computes instead of polling never comes to it.
bool Watch::stuck() {
  if (++rounds_ % kRoundsBetweenLooks != 0) return false;
  std::this_thread::yield();  // the one waited for may need this processor
  const std::uint64_t progress = grid_.progress();
  const auto now = std::chrono::steady_clock::now();
  if (progress != seen_ || rounds_ == kRoundsBetweenLooks) {
    seen_ = progress;
    since_ = now;
    rounds_ = kRoundsBetweenLooks;
    stuck_at_.store(kMoving);
    return false;
  }
  if (grid_.start_another()) return false;
  if (rounds_ < kRoundsWithoutHope || now - since_ < kTimeWithoutHope) return false;
  stuck_at_.store(progress);
  return grid_.all_stuck_at(progress);
}

void Watch::block_done() {
  rounds_ = 0;
  stuck_at_.store(kMoving);
}

}  // namespace cairn::emu
