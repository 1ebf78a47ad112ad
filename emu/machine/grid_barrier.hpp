// The barrier of a cooperative launch: grid.sync(). All its blocks run at the same time, each on an OS thread of its
// own; when all threads of a block have arrived, its OS thread sleeps here until all other blocks have.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "emu/shadow/vector_types.h"

namespace cairn::emu {

class GridBarrier {
 public:
  explicit GridBarrier(std::uint64_t blocks);

  // All threads of a block have arrived. Returns the phase to wait for.
  std::uint64_t arrive();
  // Sleeps for a moment, or until the phase is complete. `never`: a block has returned, for which the others wait.
  enum class Sleep : std::uint8_t { complete, asleep, never };
  Sleep sleep(std::uint64_t phase);
  // The first block that has returned.
  uint3 ended_block();

  void block_ends(uint3 block);
  void launch_fails();

 private:
  const std::uint64_t blocks_;
  const std::chrono::milliseconds interval_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::uint64_t phase_ = 0, arrived_ = 0, ended_ = 0;
  uint3 first_ended_{};
  bool failed_ = false;
};

}  // namespace cairn::emu
