// Polling with plain loads, in a build that does not see them: the preemption timer interrupts the thread.
#include <cmath>
#include <string>

#include "emu/machine/settings.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

class Polling : public ::testing::Test {
 protected:
  ~Polling() override { emu::configure({}); }
};

__global__ void asks_a_neighbour(volatile int* flag, int* out) {
  if (threadIdx.x == 0) {
    while (*flag == 0) {}
    *out = 7;
  } else if (threadIdx.x == 40) {
    *flag = 1;
  }
}
TEST_F(Polling, IsAnsweredByAThreadOfTheBlock) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    emu::configure({.seed = seed});
    Array<int> flag(1), out(1);
    run({1}, 64, 0, asks_a_neighbour, flag.data(), out.data());
    EXPECT_EQ(out.host()[0], 7);
  }
}

// All threads of a block poll, and one OS thread has to run both blocks.
__global__ void asks_a_block(volatile int* flag, int* out) {
  if (blockIdx.x == 0) {
    while (*flag == 0) {}
    out[threadIdx.x] = 7;
  } else if (threadIdx.x == 5) {
    *flag = 1;
  }
}
TEST_F(Polling, IsAnsweredByABlock) {
  for (const std::uint64_t seed : {1, 2}) {
    emu::configure({.seed = seed, .threads = 1});
    Array<int> flag(1), out(8);
    run({2}, 8, 0, asks_a_block, flag.data(), out.data());
    EXPECT_EQ(out.host(), std::vector<int>(8, 7));
  }
}

__global__ void asks_nobody(volatile int* flag) {
  if (threadIdx.x == 3) {
    while (*flag == 0) {}
  }
  __syncthreads();
}
TEST_F(Polling, ThatNobodyAnswersIsReported) {
  emu::configure({.patience = 0.3});
  Array<int> flag(1);
  const Status status = launch({2}, 64, 0, nullptr, asks_nobody, flag.data());
  EXPECT_EQ(status.code(), Code::device_error);
  for (const char* part : {"asks_nobody, block (", "stuck, no thread of any running block has changed anything",
                           "\n  thread 3: polling with plain loads, or in an endless loop",
                           "\n  threads 0-2, 4-63: waiting at __syncthreads"})
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
  Array<int> set(std::vector<int>{1});
  run({2}, 64, 0, asks_nobody, set.data());
}

// Threads that compute for long are interrupted too, and lose nothing by it.
__global__ void computes(double* out, int rounds) {
  __shared__ double all[8];
  double a = threadIdx.x, b = 1;
  for (int i = 0; i < rounds; ++i) {
    a = a * 0.5 + b;
    b = b * 0.25 + a * 0.125;
  }
  all[threadIdx.x] = a + b;
  __syncthreads();
  out[threadIdx.x] = all[(threadIdx.x + 1) % 8];
}
TEST_F(Polling, InterruptionsLeaveComputationsAlone) {
  constexpr int kRounds = 4'000'000;
  Array<double> out(8);
  run({1}, 8, 0, computes, out.data(), kRounds);
  const std::vector<double> got = out.host();
  for (unsigned t = 0; t < 8; ++t) {
    double a = (t + 1) % 8, b = 1;
    for (int i = 0; i < kRounds; ++i) {
      a = std::fma(a, 0.5, b);
      b = std::fma(b, 0.25, a * 0.125);
    }
    EXPECT_NEAR(got[t], a + b, 1e-9) << t;
  }
}

}  // namespace
}  // namespace cairn::emu_test
