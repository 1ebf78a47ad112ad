// Runs work on several threads: the calling one, and those of a pool that wait for the next call. Waking a thread
// costs tens of microseconds, so callers ask for several only when each has much more than that to do.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace cairn::cpu {

// Calls work(context, worker) on the calling thread, as worker 0, and at the same time on up to workers - 1 others, each
// with a number of its own. A thread that is not free before worker 0 is done is not waited for, so worker 0 must be
// able to do everything alone. Returns when all calls have. `work` must not throw.
void run_on_threads(int workers, void (*work)(const void* context, int worker), const void* context);

// Calls f(worker, begin, end) for parts of 0 … count-1 of at most `chunk`, each taken by the worker that is free next: a
// thread that starts late or is interrupted holds up one part. No two calls with the same worker run at once. f must
// not throw.
template <class F> void share(int workers, std::int64_t count, std::int64_t chunk, const F& f) {
  if (workers <= 1) {
    if (count > 0) f(0, std::int64_t{0}, count);
    return;
  }
  std::atomic<std::int64_t> next{0};
  const auto take = [&](int worker) {
    for (std::int64_t begin = 0; (begin = next.fetch_add(chunk, std::memory_order_relaxed)) < count;)
      f(worker, begin, std::min(begin + chunk, count));
  };
  run_on_threads(
      workers, [](const void* context, int worker) { (*static_cast<const decltype(take)*>(context))(worker); },
      &take);
}

// Calls f(part, begin, end) once for each of `parts` equal parts of 0 … count-1, on as many threads.
template <class F> void spread(int parts, std::int64_t count, const F& f) {
  const auto begin = [&](std::int64_t part) { return count / parts * part + std::min(part, count % parts); };
  if (parts <= 1) return f(0, std::int64_t{0}, count);
  share(parts, parts, 1,
        [&](int, std::int64_t part, std::int64_t) { f(static_cast<int>(part), begin(part), begin(part + 1)); });
}

}  // namespace cairn::cpu
