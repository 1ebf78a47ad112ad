// The OS threads that run blocks besides the one that launches. They are started when first needed, and then wait for
// the next launch.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "emu/machine/grid.hpp"

namespace cairn::emu {

class ThreadPool {
 public:
  static ThreadPool& instance();
  // In a child of fork(), which has none of the threads: the next instance() is a new one.
  static void abandon();
  ~ThreadPool();

  // Asks for one more OS thread to work on the grid: an idle one, or a new one. False if none can be had.
  bool help(Grid& grid);
  // Withdraws requests that no OS thread has taken, and waits for the threads that work on the grid.
  void finish(Grid& grid);

 private:
  ThreadPool() = default;
  void serve();

  static constexpr std::size_t kMostThreads = 1024;
  std::mutex mutex_;
  std::condition_variable wanted_, done_;
  std::deque<Grid*> requests_;
  std::vector<Grid*> at_work_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool closing_ = false;
};

}  // namespace cairn::emu
