#include "emu/machine/thread_pool.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <system_error>

namespace cairn::emu {

namespace {

// No static local: a child of fork() may find one half made.
std::atomic<ThreadPool*> pool{nullptr};
const struct AtExit {
  ~AtExit() { delete pool.exchange(nullptr); }
} at_exit;

}  // namespace

ThreadPool& ThreadPool::instance() {
  ThreadPool* found = pool.load();
  if (found != nullptr) return *found;
  std::unique_ptr<ThreadPool> made(new ThreadPool);
  return pool.compare_exchange_strong(found, made.get()) ? *made.release() : *found;
}

void ThreadPool::abandon() { pool = nullptr; }

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wanted_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool ThreadPool::help(Grid& grid) {
  const std::lock_guard lock(mutex_);
  if (requests_.size() >= idle_) {  // every idle thread has a request waiting for it already
    if (threads_.size() >= kMostThreads) return false;
    try {
      threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
      return false;
    }
  }
  requests_.push_back(&grid);
  wanted_.notify_one();
  return true;
}

void ThreadPool::finish(Grid& grid) {
  std::unique_lock lock(mutex_);
  std::erase(requests_, &grid);
  done_.wait(lock, [&] { return std::ranges::find(at_work_, &grid) == at_work_.end(); });
}

void ThreadPool::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    wanted_.wait(lock, [&] { return closing_ || !requests_.empty(); });
    --idle_;
    if (closing_) return;
    Grid* grid = requests_.front();
    requests_.pop_front();
    at_work_.push_back(grid);
    lock.unlock();
    grid->work();
    lock.lock();
    at_work_.erase(std::ranges::find(at_work_, grid));
    done_.notify_all();
  }
}

}  // namespace cairn::emu
