// The order in which threads and blocks run: random, but the same for the same seed;
// and which blocks are co-resident.
#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>
#include <string>

#include "emu/machine/settings.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

// Leaves the emulator as it found it.
class Order : public testing::Test {
 protected:
  void TearDown() override { emu::configure({}); }
};

// The order in which threads come by, between barriers; an atomic would let others run.
__global__ void come_by(int rounds, int* next, int* order) {
  for (int round = 0; round < rounds; ++round) {
    const int turn = (*next)++;
    order[turn] = static_cast<int>(threadIdx.x);
    __syncthreads();
  }
}
std::vector<int> order_of_threads(std::uint64_t seed, int rounds) {
  emu::configure({.seed = seed, .threads = 1});
  Array<int> next(1), order(static_cast<std::size_t>(64 * rounds));
  run({1}, 64, 0, come_by, rounds, next.data(), order.data());
  return order.host();
}
TEST_F(Order, OfThreadsFollowsTheSeed) {
  std::set<std::vector<int>> seen;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const std::vector<int> order = order_of_threads(seed, 1);
    EXPECT_EQ(order, order_of_threads(seed, 1)) << seed;
    std::vector<int> sorted = order;
    std::ranges::sort(sorted);
    EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end()) << "each thread once";
    seen.insert(order);
  }
  EXPECT_EQ(seen.size(), 10u);
}
TEST_F(Order, OfThreadsChangesWithEveryBarrier) {
  const std::vector<int> order = order_of_threads(3, 8);
  std::set<std::vector<int>> rounds;
  for (int i = 0; i < 8; ++i) rounds.insert({order.begin() + 64 * i, order.begin() + 64 * (i + 1)});
  EXPECT_EQ(rounds.size(), 8u);
}

__global__ void blocks_come_by(int* next, int* order) { order[(*next)++] = static_cast<int>(blockIdx.x); }
TEST_F(Order, OfBlocksFollowsTheSeed) {
  std::set<std::vector<int>> seen;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    emu::configure({.seed = seed, .threads = 1});
    for (const int blocks : {1, 7, 64, 210}) {
      Array<int> next(1), order(static_cast<std::size_t>(blocks));
      run({blocks}, 1, 0, blocks_come_by, next.data(), order.data());
      std::vector<int> sorted = order.host(), want(static_cast<std::size_t>(blocks));
      if (blocks == 64) seen.insert(sorted);
      std::ranges::sort(sorted);
      std::iota(want.begin(), want.end(), 0);
      EXPECT_EQ(sorted, want) << "each block once";
    }
  }
  EXPECT_EQ(seen.size(), 6u);
}

// A missing barrier: right in one order, wrong in most. A fixed order would hide it.
__global__ void missing_barrier(int* out) {
  __shared__ int cell[32];
  cell[threadIdx.x] = static_cast<int>(threadIdx.x);
  out[threadIdx.x] = cell[(threadIdx.x + 1) % 32];
}
TEST_F(Order, AMissingBarrierGivesWrongResults) {
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    emu::configure({.seed = seed});
    Array<int> out(32);
    run({1}, 32, 0, missing_barrier, out.data());
    const std::vector<int> got = out.host();
    for (int i = 0; i < 32; ++i) {
      if (got[i] == (i + 1) % 32) continue;
      EXPECT_EQ(got[i], -1) << "what nobody has written yet is all ones, not what an earlier block left";
      ++wrong;
    }
  }
  EXPECT_GT(wrong, 100);
}

// A block that reads its dynamic shared memory unwritten finds no trace of the one before.
__global__ void stale(float* out, int write) {
  extern __shared__ float words[];
  if (write != 0) words[threadIdx.x] = 1.0f;
  out[threadIdx.x] = words[threadIdx.x];
}
TEST_F(Order, SharedMemoryIsPoisonedForEveryBlock) {
  emu::configure({.threads = 1});
  Array<float> out(32);
  run({1}, 32, 32 * sizeof(float), stale, out.data(), 1);
  EXPECT_EQ(out.host()[3], 1.0f);
  run({1}, 32, 32 * sizeof(float), stale, out.data(), 0);
  for (const float x : out.host()) EXPECT_NE(x, x);
}

// Two threads of a block, then two blocks, pass a counter back and forth.
__global__ void ping_pong(int* flag, int rounds, bool by_block) {
  const int side = static_cast<int>(by_block ? blockIdx.x : threadIdx.x);
  if (side > 1) return;
  for (int i = 0; i < rounds; ++i) {
    while (atomicAdd(flag, 0) % 2 != side) __nanosleep(10);
    atomicAdd(flag, 1);
  }
}
TEST_F(Order, ThreadsCanWaitForEachOther) {
  Array<int> flag(1);
  run({1}, 64, 0, ping_pong, flag.data(), 100, false);
  EXPECT_EQ(flag.host()[0], 200);
}
TEST_F(Order, BlocksCanWaitForEachOther) {
  for (const int threads : {1, 2, 4}) {
    emu::configure({.threads = threads});
    Array<int> flag(1);
    run({2}, 1, 0, ping_pong, flag.data(), 500, true);
    EXPECT_EQ(flag.host()[0], 1000);
  }
}

// All blocks of a grid meet. As many as the device holds are run side by side, however few OS threads there were.
__global__ void meet(int* come, int* out) {
  if (threadIdx.x == 0) {
    atomicAdd(come, 1);
    while (atomicAdd(come, 0) != static_cast<int>(gridDim.x)) __nanosleep(10);
  }
  __syncthreads();
  if (threadIdx.x == 1) out[blockIdx.x] = 1;
}
TEST_F(Order, ResidentBlocksCanMeet) {
  emu::configure({.threads = 2, .sms = 4});
  int each = 0;
  ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, meet, 1024, 0), cudaSuccess);
  const int blocks = 4 * each;
  Array<int> come(1), out(static_cast<std::size_t>(blocks));
  run({blocks}, 1024, 0, meet, come.data(), out.data());
  EXPECT_EQ(out.host(), std::vector<int>(static_cast<std::size_t>(blocks), 1));
  // One more than the device holds never meets, here as there.
  Array<int> again(1), more(static_cast<std::size_t>(blocks + 1));
  const Status status = launch({blocks + 1}, 1024, 0, nullptr, meet, again.data(), more.data());
  EXPECT_NE(status.message().find("stuck"), std::string::npos) << status.message();
}

long resident_kilobytes() {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  return -1;
}
__global__ void all_alive(long* kilobytes, long (*measure)()) {
  volatile char frame[2048];
  for (int i = 0; i < 2048; ++i) frame[i] = 1;
  __syncthreads();
  if (threadIdx.x == 0) *kilobytes = frame[0] * measure();
  __syncthreads();
}
TEST_F(Order, ABlockOf1024ThreadsIsSmall) {
  emu::configure({.threads = 1});
  Array<long> kilobytes(1);
  run({1}, 1024, 0, all_alive, kilobytes.data(), &resident_kilobytes);
  EXPECT_GT(kilobytes.host()[0], 0);
  EXPECT_LT(kilobytes.host()[0], 200 * 1024);
}

}  // namespace
}  // namespace cairn::emu_test
