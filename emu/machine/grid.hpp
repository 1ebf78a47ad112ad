// One launch: its blocks, taken one after another by the OS threads that work on it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "emu/machine/launch.hpp"
#include "emu/machine/watchdog.hpp"
#include "emu/sm90/cluster.hpp"

namespace cairn::emu {

class Grid {
 public:
  explicit Grid(const Launch& launch);

  // Runs blocks on the calling OS thread until none is left or the launch has failed. One for each recruit().
  void work();
  // Whether one more OS thread may work on this grid: as many blocks run side by side as would fit on the device.
  bool recruit();
  bool unfinished() const { return !failed() && next_.load(std::memory_order_relaxed) < blocks_; }
  std::uint64_t blocks() const { return blocks_; }

  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  void fail(std::string message);
  const std::string& message() const { return message_; }

  // For Watch.
  std::uint64_t progress();
  bool all_stuck_at(std::uint64_t progress);
  std::uint64_t most_ticks() const { return most_ticks_; }  // without progress, before that is an error
  // Some running blocks only wait. If they wait for one that has not started, it needs an OS thread of its own.
  bool start_another();

 private:
  uint3 block_at(std::uint64_t turn) const;
  // The cluster of the block whose turn it is; null if it has none. Turns of a cluster's blocks follow each other, so
  // that of all clusters one at most waits for OS threads.
  std::shared_ptr<Cluster> cluster_at(std::uint64_t turn);

  const Launch& launch_;
  std::uint64_t blocks_, clusters_, seed_, step_, shift_;
  std::uint64_t most_resident_;
  std::uint64_t most_ticks_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;  // of what follows
  std::string message_;
  std::vector<std::unique_ptr<Watch>> watches_;
  struct Begun {
    std::shared_ptr<Cluster> cluster;
    unsigned blocks = 0;
  };
  std::unordered_map<std::uint64_t, Begun> begun_;  // clusters some of whose blocks have not
  std::uint64_t finished_progress_ = 0;
  std::uint64_t crew_ = 0;  // OS threads asked to work that have not left
};

}  // namespace cairn::emu
