#include "src/cpu/threads.hpp"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>

namespace cairn::cpu {
namespace {

// A call of run_on_threads, on the stack of its caller.
struct Job {
  void (*work)(const void* context, int worker);
  const void* context;
  int workers;
  int taken = 1;   // worker numbers given out
  int inside = 0;  // pool threads that are in work()
};

class Pool {
 public:
  static Pool& instance();
  Pool() = default;
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wanted_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void run(Job& job) {
    std::list<Job*> mine{&job};  // allocated before the lock is taken
    const auto place = mine.begin();
    {
      const std::lock_guard lock(mutex_);
      jobs_.splice(jobs_.end(), mine);
      start_threads(static_cast<std::size_t>(job.workers) - 1);
    }
    wanted_.notify_all();
    job.work(job.context, 0);
    std::unique_lock lock(mutex_);
    mine.splice(mine.end(), jobs_, place);  // nobody joins from here on
    done_.wait(lock, [&] { return job.inside == 0; });
  }

 private:
  void start_threads(std::size_t most) {
    while (threads_.size() < most) {
      try {
        threads_.emplace_back([this] { serve(); });
      } catch (const std::exception&) {
        return;  // those that are there must do
      }
    }
  }

  Job* next_job() {
    for (Job* job : jobs_)
      if (job->taken < job->workers) return job;
    return nullptr;
  }

  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      Job* job = nullptr;
      wanted_.wait(lock, [&] { return closing_ || (job = next_job()) != nullptr; });
      if (closing_) return;
      const int worker = job->taken++;
      ++job->inside;
      lock.unlock();
      job->work(job->context, worker);
      lock.lock();
      if (--job->inside == 0) done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable wanted_, done_;
  std::list<Job*> jobs_;  // that may still take a thread
  std::vector<std::thread> threads_;
  bool closing_ = false;
};

// A child of fork() has none of its parent's threads, and may have found the lock held by one of them: it leaves that
// pool alone and makes one of its own. No static local, which it may find half made.
std::atomic<Pool*> pool{nullptr};
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { pool = nullptr; });
const struct AtExit {
  ~AtExit() { delete pool.exchange(nullptr); }
} at_exit;

Pool& Pool::instance() {
  Pool* found = pool.load();
  if (found != nullptr) return *found;
  auto made = std::make_unique<Pool>();
  return pool.compare_exchange_strong(found, made.get()) ? *made.release() : *found;
}

}  // namespace

void run_on_threads(int workers, void (*work)(const void* context, int worker), const void* context) {
  if (workers <= 1) return work(context, 0);
  Job job{work, context, workers};
  Pool::instance().run(job);
}

}  // namespace cairn::cpu
