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
  void block_done();

 private:
  friend class Grid;
  static constexpr std::uint64_t kMoving = ~std::uint64_t{0};

  Grid& grid_;
  std::atomic<std::uint64_t> progress_{0};
  std::atomic<std::uint64_t> stuck_at_{kMoving};  // the grid's progress at which this one gave up hope
  std::uint64_t rounds_ = 0, seen_ = 0;
  std::chrono::steady_clock::time_point since_{};
};

}  // namespace cairn::emu
