// The blocks of a cluster. Each runs on an OS thread of its own, and everything that one block may touch of another
// is here, under one lock. What a block sends to another (arrivals at its mbarriers, TMA boxes into its shared
// memory) waits in the receiver's inbox, so that only a block's own OS thread ever writes to its shared memory.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "emu/sm90/tma.hpp"

namespace cairn::emu {

class Block;

// The thread that sends something to another block. `epoch` counts the cluster barriers it had arrived at before, so
// that a thread that has passed a later one is ordered after it. `clock` is its vector clock in a traced build.
struct Sender {
  unsigned rank = 0;
  std::uint32_t epoch = 0;
  Site site;
  std::shared_ptr<const void> clock;
};

struct Message {
  Sender from;
  std::size_t barrier;  // offsets in shared memory
  std::size_t to = 0;
  std::unique_ptr<TmaLoad> load;  // null: an arrival
};

class Cluster {
 public:
  static constexpr unsigned kMost = 8;

  explicit Cluster(unsigned size) : size_(size) {}
  unsigned size() const { return size_; }
  void reset();  // as if it were new

  void begin(unsigned rank, const Block& block);
  // From here on nothing can be sent to the block. Returns the messages it has not received yet.
  std::vector<Message> end(unsigned rank);

  bool post(unsigned to, Message message);  // false: that block has ended
  bool has_mail(unsigned rank) const { return slots_[rank].mail.load(std::memory_order_acquire); }
  using Clock = std::shared_ptr<const void>;
  struct Delivery {
    std::vector<Message> messages;
    std::uint32_t phase = 0;
    std::vector<Clock> clocks;  // of the blocks, as they arrived at the last completed phase
  };
  Delivery take(unsigned rank);

  // All threads of the block have arrived at the cluster's barrier. When all blocks that have not ended have arrived,
  // the phase is complete.
  void arrive(unsigned rank, Clock clock);

  // All threads of the block wait. Sleeps for a moment or until there is mail; `never` if all blocks of the cluster
  // sleep, which is a deadlock.
  enum class Sleep : std::uint8_t { awake, asleep, never };
  Sleep sleep(unsigned rank);

  // For the report of a deadlock.
  const Block* sleeping_block(unsigned rank);
  bool ended(unsigned rank);

 private:
  enum class Is : std::uint8_t { not_begun, running, asleep, ended };
  struct Slot {
    const Block* block = nullptr;
    Is is = Is::not_begun;
    bool arrived = false;
    Clock clock;  // when it arrived
    std::atomic<bool> mail{false};
    std::vector<Message> inbox;
  };
  void complete_phase_if_all_arrived();

  unsigned size_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::uint32_t cluster_phase_ = 0;
  std::vector<Clock> clocks_;
  std::array<Slot, kMost> slots_;
};

}  // namespace cairn::emu
