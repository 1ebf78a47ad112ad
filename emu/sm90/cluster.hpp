// Blocks of a cluster: each runs on an OS thread of its own, and all that one may touch of another is here, under one
// lock. What a block sends to another (arrivals at its barriers, boxes into its shared memory) lies in that one's
// inbox until it looks, so that only a block's own OS thread ever writes to its shared memory.
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

// Who sends something to another block: `epoch` is how many of the cluster's barriers the thread had come to before,
// so that one who has passed the next is behind it. `clock` is what a build that traces knows of its past.
struct Sender {
  unsigned rank = 0;
  std::uint32_t epoch = 0;
  Site site;
  std::shared_ptr<const void> clock;
};

struct Message {
  Sender from;
  std::size_t barrier;  // places in shared memory, from its start
  std::size_t to = 0;
  std::unique_ptr<BulkLoad> load;  // null: an arrival
};

class Cluster {
 public:
  static constexpr unsigned kMost = 8;

  explicit Cluster(unsigned size) : size_(size) {}
  unsigned size() const { return size_; }
  void reset();  // as if it were new

  void begin(unsigned rank, const Block& block);
  // Nobody reaches it any more. Gives what has come and nobody has taken.
  std::vector<Message> end(unsigned rank);

  bool post(unsigned to, Message message);  // false: that block has ended
  // Whether there is something for the block; and that.
  bool news(unsigned rank) const { return seats_[rank].news.load(std::memory_order_acquire); }
  using Clock = std::shared_ptr<const void>;
  struct News {
    std::vector<Message> messages;
    std::uint32_t meetings = 0;
    std::vector<Clock> clocks;  // of those who met last
  };
  News take(unsigned rank);

  // All threads of the block have come to the cluster's barrier. When all blocks have that have not ended, they have
  // met once more.
  void arrive(unsigned rank, Clock clock);

  // The block has nothing to do. Waits a little while for news; never: all blocks of the cluster do nothing but that.
  enum class Sleep : std::uint8_t { awake, asleep, never };
  Sleep sleep(unsigned rank);

  // For the report of a cluster in which nobody can go on.
  const Block* sleeper(unsigned rank);
  bool ended(unsigned rank);

 private:
  enum class Is : std::uint8_t { not_begun, running, asleep, ended };
  struct Seat {
    const Block* block = nullptr;
    Is is = Is::not_begun;
    bool arrived = false;
    Clock clock;  // with which it has
    std::atomic<bool> news{false};
    std::vector<Message> inbox;
  };
  void meet_if_all_have_come();

  unsigned size_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::uint32_t meetings_ = 0;
  std::vector<Clock> clocks_;
  std::array<Seat, kMost> seats_;
};

}  // namespace cairn::emu
