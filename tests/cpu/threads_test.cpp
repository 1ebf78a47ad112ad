// The pool of threads: every part is done once, whatever the threads do.
#include "src/cpu/threads.hpp"

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/in_child.hpp"

namespace cairn::cpu {
namespace {

// Whether every element was visited once.
bool shares_all(int workers, std::int64_t count, std::int64_t chunk) {
  std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
  std::vector<std::atomic<int>> busy(static_cast<std::size_t>(workers));
  std::atomic<bool> right{true};
  share(workers, count, chunk, [&](int worker, std::int64_t begin, std::int64_t end) {
    if (busy.at(static_cast<std::size_t>(worker))++ != 0) right = false;  // two threads with one number
    for (std::int64_t i = begin; i < end; ++i) ++visits.at(static_cast<std::size_t>(i));
    --busy.at(static_cast<std::size_t>(worker));
  });
  for (const auto& count_of : visits) right = right && count_of == 1;
  return right;
}

TEST(Threads, EveryPartIsDoneOnceByOneWorker) {
  for (const int workers : {1, 2, 3, 8})
    for (const std::int64_t count : {0, 1, 2, 7, 1000})
      for (const std::int64_t chunk : {1, 3, 2000})
        EXPECT_TRUE(shares_all(workers, count, chunk)) << workers << ", " << count << ", " << chunk;
}

TEST(Threads, SpreadCallsEachPartOnce) {
  std::mutex mutex;
  std::set<std::pair<int, std::int64_t>> seen;
  spread(4, 10, [&](int part, std::int64_t begin, std::int64_t end) {
    const std::lock_guard lock(mutex);
    seen.emplace(part, begin * 100 + end);
  });
  EXPECT_EQ(seen, (std::set<std::pair<int, std::int64_t>>{{0, 3}, {1, 306}, {2, 608}, {3, 810}}));
}

TEST(Threads, ManyCallersAndNestedCallsShareThePool) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round)
        if (!shares_all(3, 50, 2)) ++wrong;
    });
  }
  spread(3, 3, [&](int, std::int64_t, std::int64_t) {
    for (int round = 0; round < 50; ++round)
      if (!shares_all(2, 20, 1)) ++wrong;
  });
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, AChildOfForkHasAPoolOfItsOwn) {
  ASSERT_TRUE(shares_all(3, 100, 1));
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) EXPECT_TRUE(shares_all(3, 100, 1));
  });
  for (int round = 0; round < 10; ++round) {
    EXPECT_EQ(in_child([] { return shares_all(3, 100, 1) ? 0 : 1; }), 0) << "round " << round;
  }
  stop = true;
  busy.join();
}

}  // namespace
}  // namespace cairn::cpu
