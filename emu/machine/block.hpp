// One block on one OS thread: a fiber for each of its threads, a queue of those that can run, and what the others
// wait for. Only the block's own fibers touch it, one at a time, so nothing in it needs a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "emu/machine/async_copy.hpp"
#include "emu/machine/builtins.hpp"
#include "emu/machine/fiber.hpp"
#include "emu/machine/launch.hpp"
#include "emu/machine/random.hpp"
#include "emu/machine/shared_window.hpp"
#include "emu/machine/watchdog.hpp"
#include "emu/sm90/cluster.hpp"
#include "emu/sm90/mbarrier.hpp"
#include "emu/sm90/tma.hpp"
#include "emu/sm90/warpgroup.hpp"

namespace cairn::emu {

class Block;

enum class State : std::uint8_t { ready, at_barrier, at_warp, at_group, at_mbarrier, at_cluster, spinning, exited };

// What a lane brings to an operation that its warp makes as one. The last lane to come calls `combine`, which finds
// the shares of all: the lanes wait, so each share can lie on its lane's stack.
struct Share {
  void (*combine)(Block& block, const std::array<Share*, kWarp>& shares);
};

// A CUDA thread. What it waits for is written down where it waits, for the one who releases it and for the report.
// What a barrier needs comes first, in one line of the cache.
struct alignas(64) Thread {
  Fiber fiber;
  const char* call = nullptr;  // "__shfl_sync": what it is in, or was in last
  Site site;
  State state;
  std::uint8_t barrier;  // at_barrier: which
  unsigned linear;       // x + y * width + z * width * height; its warp is linear / 32
  uint3 index;
  WarpOp op;                    // at_warp: which collective,
  unsigned mask;                //   of which lanes,
  unsigned argument;            //   (at_mbarrier: which parity,
  std::uint64_t value, result;  //   with what, and what it gave (of the barrier at which address)

  unsigned lane() const { return linear % kWarp; }
};

class Block {
 public:
  static constexpr unsigned kBarriers = 16;

  Block() = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  // The block this OS thread is inside of; null outside a kernel.
  static Block* current() { return current_; }

  // Runs the block until all its threads have returned, or until the launch has failed. What fails goes to `watch`.
  // `cluster`: null if it has none.
  void run(const Launch& launch, uint3 index, std::uint64_t seed, Watch& watch, Cluster* cluster, unsigned rank);

  // From here on: called by the block's own fibers.
  const Launch& launch() const { return *launch_; }
  uint3 index() const { return index_; }
  Thread& self() { return *self_; }
  const std::vector<Thread>& threads() const { return threads_; }
  const StackPool& stacks() const { return stacks_; }
  AsyncCopies& copies() { return copies_; }
  BulkStores& stores() { return stores_; }
  Mbarriers& mbarriers() { return mbarriers_; }
  const Mbarriers& mbarriers() const { return mbarriers_; }
  Cluster& cluster() const { return *cluster_; }
  unsigned rank() const { return rank_; }
  Warpgroups& groups() { return groups_; }
  const Warpgroups& groups() const { return groups_; }
  SharedWindow& window() { return window_; }
  std::uint64_t turns() const { return head_; }  // changes whenever another thread runs
  unsigned arrived(unsigned barrier) const { return barriers_[barrier].arrived; }
  unsigned expected(unsigned barrier) const { return barriers_[barrier].expected; }

  // Gives how many came with a true predicate.
  unsigned sync(unsigned barrier, unsigned expected, bool predicate);
  void arrive(unsigned barrier, unsigned expected);
  void exchange();  // self has its op, mask, argument and value
  void together(Share& mine);
  void stay_in_group(bool all_go_on);  // self waits in its warpgroup; or it is the last, and all can run again
  void release_group(unsigned number);
  void spin(bool changed);
  void pause();                  // lets the others run, without a word about it
  void forward(unsigned count);  // those who paused last, in their order, are the next to run
  void park(State state);        // until somebody wakes it
  void wake(Thread** who, unsigned count);

  // The cluster (block_cluster.cpp). hear(): takes what other blocks have sent.
  void hear() {
    if (cluster_->news(rank_)) [[unlikely]]
      hear_news();
  }
  void cluster_arrive();
  void cluster_wait();
  unsigned absent_from_cluster() const { return live_ - come_; }  // threads that have not come to its barrier
  Sender sender();                                                // the calling thread, to another block

  // Called now and then while the block runs, wherever its fiber is (emu/machine/preemption.hpp): if that one has run all the
  // time since the last call, the others get their turn. Not while the emulator is at work on the block.
  void tick();
  void busy(bool now) {
    busy_.store(now, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  [[noreturn]] void fail(std::string message);

 private:
  struct Barrier {
    unsigned expected = 0, arrived = 0, waiting = 0;
    unsigned votes = 0;
    // Of the last release. Who came then must come again before there is a next one, so all have read it by then.
    unsigned result = 0;
    std::array<Thread*, kMostThreads> who;  // wait
  };

  static void thread_main();
  void prepare(const Launch& launch);
  void push(Thread& thread) { ready_[tail_++ % kMostThreads] = &thread; }
  void switch_away();
  void nothing_ready();
  [[noreturn]] void leave();
  void exit_thread();
  void push_shuffled(Thread** who, unsigned count);
  void push_by_warps(Thread** who, unsigned count);
  void release(Barrier& barrier);
  [[noreturn]] void wrong_count(unsigned barrier, unsigned expected);
  bool try_complete(unsigned warp, unsigned mask);
  void combine(Thread* warp);
  void meet_others(unsigned warp);
  void progressed();
  void prepare_cluster(Cluster* cluster, unsigned rank);
  void hear_news();
  void tell_cluster();
  void leave_cluster_barrier();
  void finish();

  static constinit thread_local Block* current_;

  const Launch* launch_ = nullptr;
  Watch* watch_ = nullptr;
  uint3 index_{};
  Random random_{0};
  StackPool stacks_;
  Fiber outside_;  // the OS thread's own stack
  std::vector<Thread> threads_;
  Thread* self_ = nullptr;
  std::array<Thread*, kMostThreads> ready_;  // a ring: each thread is in it at most once
  std::uint64_t head_ = 0, tail_ = 0;
  unsigned live_ = 0;
  unsigned idle_spins_ = 0, idle_ticks_ = 0;  // since the last sign of progress
  std::uint64_t ticked_at_ = 0;               // head_ at the last tick
  std::atomic<bool> busy_{true};
  std::array<Barrier, kBarriers> barriers_;
  // Of each warp, the lanes that exist and have not returned, those that wait in together(), and all at_warp.
  std::array<std::uint32_t, kMostThreads / kWarp> present_{}, together_{}, waiting_{};
  AsyncCopies copies_;
  BulkStores stores_;
  Mbarriers mbarriers_{*this};

  Cluster alone_{1};  // of a block that has no other
  Cluster* cluster_ = &alone_;
  unsigned rank_ = 0;
  struct Meetings {
    std::uint32_t arrived = 0, passed = 0;  // how often the thread came to the cluster's barrier, and left it
  };
  std::vector<Meetings> meetings_of_;  // by thread
  std::uint32_t meetings_ = 0;         // how often all blocks have met
  unsigned come_ = 0;                  // threads at the cluster's barrier
  bool told_ = false;                  //   that they all have come
  std::vector<Thread*> waiting_for_cluster_;
  std::vector<Message> inbox_;  // taken, and being read
  Warpgroups groups_;
  SharedWindow window_;
};

inline void Block::switch_away() {
  if (head_ == tail_) nothing_ready();
  Thread* from = self_;
  self_ = ready_[head_++ % kMostThreads];
  // Past the tail of the ring lies an old entry, a thread like any other.
  __builtin_prefetch(ready_[(head_ + 1) % kMostThreads]);
  ready_[head_ % kMostThreads]->fiber.expect();
  if (self_ != from) Fiber::switch_to(from->fiber, self_->fiber);
  from->state = State::ready;
}

}  // namespace cairn::emu
