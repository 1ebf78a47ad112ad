// Runs work on threads that live for one call. Starting a thread costs tens of microseconds, so
// callers ask for several only when each has much more than that to do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace cairn::cpu {

// Calls f(worker, begin, end) for `workers` equal parts of 0 … count-1, the first on the calling
// thread, and returns when all are done. If a thread cannot be started, its part runs on the calling
// thread. f must not throw.
template <class F> void spread(int workers, std::int64_t count, const F& f) {
  const auto begin = [&](int worker) {
    return count / workers * worker + std::min<std::int64_t>(worker, count % workers);
  };
  std::vector<std::jthread> threads;  // joined as it goes
  if (workers > 1) threads.reserve(static_cast<std::size_t>(workers - 1));
  for (int worker = 1; worker < workers; ++worker) {
    try {
      threads.emplace_back([&, worker] { f(worker, begin(worker), begin(worker + 1)); });
    } catch (const std::exception&) {
      f(worker, begin(worker), begin(worker + 1));
    }
  }
  f(0, begin(0), begin(1));
}

}  // namespace cairn::cpu
