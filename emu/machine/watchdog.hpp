// What the OS threads that run the blocks of one grid know of each other: whether the launch has failed, and whether
// anybody still gets on.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace cairn::emu {

class Grid;

// One OS thread's part in a grid.
class Watch {
 public:
  explicit Watch(Grid& grid) : grid_(grid) {}

  bool failed() const;
  void fail(std::string message);  // the first one counts

  // A barrier was passed, memory was changed, a thread returned.
  void progressed() { progress_.store(progress_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  std::uint64_t progress() const { return progress_.load(std::memory_order_relaxed); }

  // Every live thread of the block has had its turn and did nothing but wait. True when that is so everywhere, has
  // been for a while, and no block is left that could be started beside these: nothing will ever change.
  bool stuck();
  // The same where threads run without a word to the emulator: they may poll with plain loads, or compute for long.
  bool stuck_for_ticks();
  // And where the block sleeps until others of its cluster have something for it. Called every few milliseconds.
  bool stuck_asleep();
  void ticked() { ++ticks_; }  // one of them has run for a tick, 5 ms of this OS thread's own time
  void block_done();

 private:
  bool unchanged();

  friend class Grid;
  static constexpr std::uint64_t kMoving = ~std::uint64_t{0};

  Grid& grid_;
  std::atomic<std::uint64_t> progress_{0};
  std::atomic<std::uint64_t> stuck_at_{kMoving};  // the grid's progress at which this one gave up hope
  std::uint64_t rounds_ = 0, ticks_ = 0;          // since the grid's progress was
  std::uint64_t seen_ = kMoving;                  //   this,
  std::chrono::steady_clock::time_point since_{};
};

}  // namespace cairn::emu
