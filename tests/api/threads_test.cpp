// Separate handles on separate threads, at once: right results, and (built with ThreadSanitizer) no data race.
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cairn/cairn.h"
#include "cairn/cairn.hpp"

namespace cairn {
namespace {

// Products of ones: every element of C is k.
template <class T> bool multiply(Handle& handle, std::int64_t size, std::int64_t batch) {
  const auto count = static_cast<std::size_t>(size * size * batch);
  const std::vector<T> A(count, T(1.0f)), B(count, T(1.0f));
  std::vector<T> C(count, T(0.0f));
  const std::int64_t stride = size * size;
  const Status s = gemm_batched(handle, Op::none, Op::transpose, size, size, size, 1, A.data(), size, stride,
                                B.data(), size, stride, 0, C.data(), size, stride, batch);
  if (!s.ok()) return false;
  for (const T& c : C) {
    if (static_cast<double>(c) != static_cast<double>(size)) return false;
  }
  return true;
}

TEST(Threads, SeparateHandlesMultiplyAtOnce) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&wrong, t] {
      Handle handle;
      if (!Handle::open(kCpu, handle).ok()) ++wrong;
      for (int round = 0; round < 5; ++round) {
        const std::int64_t size = 16 + 16 * ((t + round) % 4);
        if (!multiply<float>(handle, size, 1)) ++wrong;
        if (!multiply<double>(handle, size, 3)) ++wrong;
        if (!multiply<f16>(handle, size, 2)) ++wrong;
        if (!multiply<bf16>(handle, size, 1)) ++wrong;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, OnePlanIsSharedByManyHandles) {
  Handle maker;
  ASSERT_TRUE(Handle::open(kCpu, maker).ok());
  Plan plan;
  ASSERT_TRUE(cairn::plan(maker, Problem::packed(Type::f16, Op::none, Op::none, 32, 32, 32), plan).ok());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      Handle handle;
      if (!Handle::open(kCpu, handle).ok()) ++wrong;
      const std::vector<f16> A(1024, f16(1.0f)), B(1024, f16(1.0f));
      std::vector<f16> C(1024, f16(0.0f));
      for (int round = 0; round < 5; ++round) {
        if (!run(handle, plan, 1, A.data(), B.data(), 0, C.data()).ok()) ++wrong;
        if (static_cast<float>(C[1023]) != 32.0f) ++wrong;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, EachThreadHasItsOwnLastError) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&wrong, t] {
      for (int round = 0; round < 100; ++round) {
        cairn_problem p = CAIRN_PROBLEM_INIT;
        if (cairn_problem_parse(&p, t % 2 == 0 ? "bad" : "worse") != CAIRN_INVALID_ARGUMENT) ++wrong;
        const std::string said = cairn_last_error();
        if (said.find(t % 2 == 0 ? "'bad'" : "'worse'") == std::string::npos) ++wrong;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace cairn
