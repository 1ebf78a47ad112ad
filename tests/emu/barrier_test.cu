// The block's barriers: no thread passes before all have arrived, and predicates are counted.
#include "device/barrier.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

// Every thread writes, and after the barrier reads what its opposite wrote; often enough that a barrier that lets a
// single thread through early is seen.
__global__ void exchange(int rounds, int* wrong) {
  __shared__ int cell[1024];
  const int n = static_cast<int>(blockDim.x), me = static_cast<int>(threadIdx.x);
  for (int round = 0; round < rounds; ++round) {
    cell[me] = round * n + me;
    __syncthreads();
    const int other = (me + round + 1) % n;
    if (cell[other] != round * n + other) atomicAdd(wrong, 1);
    __syncthreads();
  }
}
TEST(Barrier, HoldsEverybody) {
  for (const unsigned threads : {1u, 31u, 32u, 100u, 1024u}) {
    Array<int> wrong(1);
    run({3}, threads, 0, exchange, 50, wrong.data());
    EXPECT_EQ(wrong.host()[0], 0) << threads;
  }
}

__global__ void votes(int3* out) {
  const int me = static_cast<int>(threadIdx.x), n = static_cast<int>(blockDim.x);
  for (int limit = 0; limit <= n; ++limit) {
    const int count = __syncthreads_count(me < limit ? 7 : 0);
    const int all = __syncthreads_and(me < limit);
    const int any = __syncthreads_or(me < limit);
    if (me == limit % n) out[limit] = make_int3(count, all != 0, any != 0);
  }
}
TEST(Barrier, CountsPredicates) {
  constexpr int n = 96;
  Array<int3> out(n + 1);
  run({1}, n, 0, votes, out.data());
  const std::vector<int3> got = out.host();
  for (int limit = 0; limit <= n; ++limit) {
    EXPECT_EQ(got[limit].x, limit);
    EXPECT_EQ(got[limit].y, limit == n) << limit;
    EXPECT_EQ(got[limit].z, limit > 0) << limit;
  }
}

// The first half makes, the second half uses: a ring of two buffers, one pair of named barriers for each.
__global__ void producer_consumer(int rounds, int* wrong) {
  __shared__ int buffer[2][64];
  const int half = 64, me = static_cast<int>(threadIdx.x);
  const bool makes = me < half;
  const int lane = me % half;
  for (int round = 0; round < rounds; ++round) {
    const int b = round % 2, full = 1 + b, empty = 3 + b;
    if (makes) {
      if (round >= 2) bar_sync(empty, 2 * half);
      buffer[b][lane] = round * half + lane;
      __threadfence_block();
      bar_arrive(full, 2 * half);
    } else {
      bar_sync(full, 2 * half);
      const int other = half - 1 - lane;
      if (buffer[b][other] != round * half + other) atomicAdd(wrong, 1);
      if (round + 2 < rounds) bar_arrive(empty, 2 * half);
    }
  }
}
TEST(Barrier, NamedOnesJoinWhoUsesThem) {
  Array<int> wrong(1);
  run({2}, 128, 0, producer_consumer, 40, wrong.data());
  EXPECT_EQ(wrong.host()[0], 0);
}

// Two halves, each with a barrier of its own, any number of times: neither waits for the other.
__global__ void two_crowds(int* out) {
  __shared__ int sum[2];
  const int side = static_cast<int>(threadIdx.x) / 64;
  if (threadIdx.x % 64 == 0) sum[side] = 0;
  bar_sync(1 + side, 64);
  for (int i = 0; i < (side == 0 ? 5 : 9); ++i) {
    if (threadIdx.x % 64 == 0) sum[side] += 1;
    bar_sync(1 + side, 64);
  }
  if (threadIdx.x % 64 == 1) out[side] = sum[side];
}
TEST(Barrier, NamedOnesAreIndependent) {
  Array<int> out(2);
  run({1}, 128, 0, two_crowds, out.data());
  EXPECT_EQ(out.host(), (std::vector<int>{5, 9}));
}

}  // namespace
}  // namespace cairn::emu_test
