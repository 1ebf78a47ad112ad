// One launch: the OS threads that work on it take its blocks one after another.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "emu/machine/grid_barrier.hpp"
#include "emu/machine/launch.hpp"
#include "emu/machine/watchdog.hpp"
#include "emu/sm90/cluster.hpp"

namespace cairn::emu {

class Grid {
 public:
  explicit Grid(const Launch& launch);

  // Runs blocks on the calling OS thread until none is left or the launch has failed.
  // Called once for each add_worker().
  void work();
  // Whether one more OS thread may work on this grid: at most as many blocks run at a time as
  // are co-resident on the device.
  bool add_worker();
  bool unfinished() const { return !failed() && next_.load(std::memory_order_relaxed) < blocks_; }
  // How many blocks run at the same time, whatever they wait for: a cluster, or all of a cooperative launch.
  std::uint64_t together() const { return launch_.cooperative ? blocks_ : launch_.cluster_size(); }
  // Whether too few OS threads work on this grid for that.
  bool lacks_workers();
  std::uint64_t blocks() const { return blocks_; }

  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  void fail(std::string message);
  const std::string& message() const { return message_; }

  // For Watchdog.
  std::uint64_t progress();
  bool all_stuck_at(std::uint64_t progress);
  std::uint64_t most_ticks() const { return most_ticks_; }  // without progress, before the launch counts as stuck
  // Some running blocks only wait. They may wait for a block that has not started, so start one on another OS thread.
  bool start_another();

 private:
  uint3 block_at(std::uint64_t turn) const;
  // The cluster of the block with this turn; null for a launch without clusters. Blocks of a cluster have consecutive
  // turns, so that at most one cluster is incomplete for want of OS threads.
  std::shared_ptr<Cluster> cluster_at(std::uint64_t turn);

  const Launch& launch_;
  std::uint64_t blocks_, clusters_, seed_, step_, shift_;
  std::uint64_t most_resident_;
  std::uint64_t most_ticks_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> failed_{false};
  GridBarrier barrier_;
  std::mutex mutex_;  // guards what follows
  std::string message_;
  std::vector<std::unique_ptr<Watchdog>> watchdogs_;
  struct Begun {
    std::shared_ptr<Cluster> cluster;
    unsigned blocks = 0;
  };
  std::unordered_map<std::uint64_t, Begun> begun_;  // clusters some of whose blocks have not begun
  std::uint64_t finished_progress_ = 0;
  std::uint64_t workers_ = 0;  // OS threads that run blocks or were asked to
};

}  // namespace cairn::emu
