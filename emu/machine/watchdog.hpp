// Detects launches that hang. Each OS thread that runs blocks of a grid has a Watchdog; together they know whether
// the launch has failed, and whether any thread still makes progress.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace cairn::emu {

class Grid;

class Watchdog {
 public:
  explicit Watchdog(Grid& grid) : grid_(grid) {}

  bool failed() const;
  void fail(std::string message);  // the first one counts

  // A barrier was completed, memory was changed, or a thread returned.
  void progressed() { progress_.store(progress_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  std::uint64_t progress() const { return progress_.load(std::memory_order_relaxed); }

  // Every live thread of the block has run and only polled. True when that holds for all running blocks, has held for
  // a while, and no further block can be started: nothing will ever change.
  bool stuck();
  // The same for threads that do not call the emulator: they may poll with plain loads, or compute for long.
  bool stuck_for_ticks();
  // The same for a block that sleeps until another of its cluster sends it something. Called every few milliseconds.
  bool stuck_asleep();
  void ticked() { ++ticks_; }  // a thread has run for one tick, 5 ms of this OS thread's CPU time
  void block_done();

 private:
  bool unchanged();

  friend class Grid;
  static constexpr std::uint64_t kMoving = ~std::uint64_t{0};

  Grid& grid_;
  std::atomic<std::uint64_t> progress_{0};
  std::atomic<std::uint64_t> stuck_at_{kMoving};  // the grid's progress when this one found itself stuck
  std::uint64_t spins_ = 0, ticks_ = 0;           // since the grid's progress became `seen_`
  std::uint64_t seen_ = kMoving;
  std::chrono::steady_clock::time_point since_{};
};

}  // namespace cairn::emu
