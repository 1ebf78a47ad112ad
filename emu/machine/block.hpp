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
class GridBarrier;

enum class State : std::uint8_t {
  ready,
  at_barrier,
  at_warp,
  at_warpgroup,
  at_mbarrier,
  at_cluster,
  at_grid,
  spinning,
  exited
};

// A lane's arguments of a warp-wide instruction. The last lane to arrive calls `combine` with those of all lanes: the
// lanes wait, so each lane's arguments can be on its stack.
struct LaneArguments {
  void (*combine)(Block& block, const std::array<LaneArguments*, kWarp>& arguments);
};

// A CUDA thread, with what it waits for: the thread that releases it needs that, and so does a report. The members
// that a barrier needs come first, in one cache line.
struct alignas(64) Thread {
  Fiber fiber;
  const char* call = nullptr;  // the built-in it is in, or was in last: "__shfl_sync"
  Site site;
  State state;
  std::uint8_t barrier;  // at_barrier: which
  unsigned linear;       // x + y * width + z * width * height; its warp is linear / 32
  uint3 index;
  WarpOp op;                    // at_warp: the collective,
  unsigned mask;                //   its lanes,
  unsigned argument;            //   its argument (at_mbarrier: the parity),
  std::uint64_t value, result;  //   the lane's value (at_mbarrier: the mbarrier's address) and its result

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

  // Runs the block until all its threads have returned, or until the launch has failed, which `watchdog` is told.
  // `grid` is null for a launch that is not cooperative, `cluster` for one without clusters.
  void run(const Launch& launch, uint3 index, std::uint64_t seed, Watchdog& watch, GridBarrier* grid,
           Cluster* cluster, unsigned rank);

  // The rest is called by the block's own fibers.
  const Launch& launch() const { return *launch_; }
  uint3 index() const { return index_; }
  Thread& self() { return *self_; }
  const std::vector<Thread>& threads() const { return threads_; }
  const StackPool& stacks() const { return stacks_; }
  AsyncCopies& copies() { return copies_; }
  TmaStores& stores() { return stores_; }
  Mbarriers& mbarriers() { return mbarriers_; }
  const Mbarriers& mbarriers() const { return mbarriers_; }
  Cluster& cluster() const { return *cluster_; }
  unsigned rank() const { return rank_; }
  Warpgroups& groups() { return groups_; }
  const Warpgroups& groups() const { return groups_; }
  SharedWindow& window() { return window_; }
  std::uint64_t switches() const { return head_; }  // changes whenever another thread runs
  unsigned arrived(unsigned barrier) const { return barriers_[barrier].arrived; }
  unsigned expected(unsigned barrier) const { return barriers_[barrier].expected; }

  // Returns how many threads arrived with a true predicate.
  unsigned sync(unsigned barrier, unsigned expected, bool predicate);
  void arrive(unsigned barrier, unsigned expected);
  void exchange();  // a warp collective; self has its op, mask, argument and value
  void warp_wide(LaneArguments& mine);
  // Waits for the rest of the warpgroup. `all_continue`: this thread arrived last, and all can run again.
  void wait_in_warpgroup(bool all_continue);
  void release_warpgroup(unsigned number);
  void spin(bool changed);
  void pause();                  // lets other threads run; not counted as polling
  void forward(unsigned count);  // the last `count` threads of the queue run next, in their order
  void park(State state);        // until wake()
  void wake(Thread** who, unsigned count);

  // The cluster (emu/sm90/block_cluster.cpp). receive_pending() handles what other blocks have sent.
  void receive_pending() {
    if (cluster_->has_mail(rank_)) [[unlikely]]
      receive_messages();
  }
  void cluster_arrive();
  void cluster_wait();
  unsigned absent_from_cluster() const { return live_ - cluster_arrived_; }  // threads not at its barrier
  Sender sender();  // the calling thread, as another block sees it

  // The barrier of all threads of a cooperative launch (emu/machine/grid_barrier.cpp).
  void grid_sync();
  std::size_t arrived_at_grid() const { return waiting_for_grid_.size(); }

  // Called by a timer while a fiber runs (emu/machine/preemption.hpp): if the same fiber has run since the last tick,
  // another one is scheduled. Not while the emulator itself is changing the block: `busy`.
  void tick();
  void busy(bool now) {
    busy_.store(now, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  bool busy() const { return busy_.load(std::memory_order_relaxed); }
  [[noreturn]] void fail(std::string message);

 private:
  struct Barrier {
    unsigned expected = 0, arrived = 0, waiting = 0;
    unsigned votes = 0;
    // The predicate count of the last release. Every thread reads it before it can arrive again.
    unsigned result = 0;
    std::array<Thread*, kMostThreads> who;  // the threads that wait
  };

  static void thread_main();
  void prepare(const Launch& launch);
  void push(Thread& thread) { ready_[tail_++ % kMostThreads] = &thread; }
  void switch_away();
  void nothing_ready();
  void wait_for_grid();
  [[noreturn]] void leave();
  void exit_thread();
  void push_shuffled(Thread** who, unsigned count);
  void push_by_warps(Thread** who, unsigned count);
  void release(Barrier& barrier);
  [[noreturn]] void fail_wrong_count(unsigned barrier, unsigned expected);
  bool try_complete(unsigned warp, unsigned mask);
  void combine(Thread* warp);
  void check_lanes_match(unsigned warp);
  void progressed();
  void prepare_cluster(Cluster* cluster, unsigned rank);
  void receive_messages();
  void notify_cluster();
  void leave_cluster_barrier();
  void finish();

  static constinit thread_local Block* current_;

  const Launch* launch_ = nullptr;
  Watchdog* watchdog_ = nullptr;
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
  // For each warp: lanes that exist and have not returned, lanes in warp_wide(), lanes that are at_warp.
  std::array<std::uint32_t, kMostThreads / kWarp> present_{}, warp_wide_{}, waiting_{};
  AsyncCopies copies_;
  TmaStores stores_;
  Mbarriers mbarriers_{*this};

  Cluster alone_{1};  // for a launch without clusters
  Cluster* cluster_ = &alone_;
  unsigned rank_ = 0;
  struct ClusterPhases {
    std::uint32_t arrived = 0, passed = 0;  // at the cluster's barrier: how often it arrived, how often it left
  };
  std::vector<ClusterPhases> cluster_phases_of_;  // by thread
  std::uint32_t cluster_phase_ = 0;               // completed phases of the cluster's barrier
  unsigned cluster_arrived_ = 0;                  // threads that have arrived at the current phase
  bool cluster_notified_ = false;                 // all have, and the cluster knows
  std::vector<Thread*> waiting_for_cluster_;
  std::vector<Message> inbox_;  // being handled

  GridBarrier* grid_ = nullptr;
  std::vector<Thread*> waiting_for_grid_;
  std::uint64_t grid_phase_ = 0;  // the one that the block waits for, or has waited for last

  Warpgroups groups_;
  SharedWindow window_;
};

inline void Block::switch_away() {
  if (head_ == tail_) nothing_ready();
  Thread* from = self_;
  self_ = ready_[head_++ % kMostThreads];
  // Beyond the tail the ring has an old entry, which is still a valid thread.
  __builtin_prefetch(ready_[(head_ + 1) % kMostThreads]);
  ready_[head_ % kMostThreads]->fiber.expect();
  if (self_ != from) Fiber::switch_to(from->fiber, self_->fiber);
  from->state = State::ready;
}

}  // namespace cairn::emu
