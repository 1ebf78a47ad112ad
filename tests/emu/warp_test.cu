// Warp collectives, each against a few lines that say what it means.
#include <functional>

#include <cuda_fp16.h>

#include "device/elect.hpp"
#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

constexpr unsigned kAll = 0xffffffffu;

enum Kind { index, up, down, other };

template <class T> __global__ void shuffle(Kind kind, const T* in, T* out, int by, int width) {
  const T mine = in[threadIdx.x];
  T got = mine;
  if (kind == index) got = __shfl_sync(kAll, mine, by, width);
  if (kind == up) got = __shfl_up_sync(kAll, mine, static_cast<unsigned>(by), width);
  if (kind == down) got = __shfl_down_sync(kAll, mine, static_cast<unsigned>(by), width);
  if (kind == other) got = __shfl_xor_sync(kAll, mine, by, width);
  out[threadIdx.x] = got;
}

// The lane that is read; the caller's own where the book says the value does not change.
int source(Kind kind, int lane, int by, int width) {
  const int segment = lane / width * width, place = lane % width;
  switch (kind) {
    case index: return segment + (by & (width - 1));
    case up: return place - by < 0 ? lane : lane - by;
    case down: return place + by >= width ? lane : lane + by;
    case other: return (lane ^ by) >= segment + width ? lane : lane ^ by;
  }
  return lane;
}

template <class T> void check_shuffles() {
  std::vector<T> values(64);
  for (int i = 0; i < 64; ++i) values[i] = static_cast<T>(1000 + i * 3);
  const Array<T> in(values);
  const Array<T> out(64);
  for (const Kind kind : {index, up, down, other})
    for (const int width : {1, 2, 4, 8, 16, 32})
      for (const int by : {0, 1, 2, 5, 16, 31}) {
        run({1}, 64, 0, shuffle<T>, kind, in.data(), out.data(), by, width);
        const std::vector<T> got = out.host();
        for (int i = 0; i < 64; ++i) {
          const T want = values[i / 32 * 32 + source(kind, i % 32, by, width)];
          ASSERT_TRUE(got[i] == want) << "kind " << kind << " width " << width << " by " << by << " lane " << i;
        }
      }
}
TEST(Warp, ShufflesInts) { check_shuffles<int>(); }
TEST(Warp, ShufflesUnsignedLongs) { check_shuffles<unsigned long long>(); }
TEST(Warp, ShufflesFloats) { check_shuffles<float>(); }
TEST(Warp, ShufflesDoubles) { check_shuffles<double>(); }

__global__ void elect(int* out) { out[threadIdx.x] = elect_one() ? 1 : 0; }
TEST(Warp, ElectsOneLane) {
  const Array<int> out(96);
  run({1}, 96, 0, elect, out.data());
  const std::vector<int> got = out.host();
  for (int warp = 0; warp < 3; ++warp) {
    int leaders = 0;
    for (int lane = 0; lane < 32; ++lane) leaders += got[warp * 32 + lane];
    EXPECT_EQ(leaders, 1) << "warp " << warp;
  }
}

__global__ void shuffle_half(const float* in, float* out) {
  out[threadIdx.x] = __half2float(__shfl_xor_sync(kAll, __float2half(in[threadIdx.x]), 7));
}
TEST(Warp, ShufflesHalves) {
  std::vector<float> values(32);
  for (int i = 0; i < 32; ++i) values[i] = 0.5f * static_cast<float>(i);
  const Array<float> in(values), out(32);
  run({1}, 32, 0, shuffle_half, in.data(), out.data());
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out.host()[i], values[i ^ 7]);
}

struct Votes {
  unsigned ballot;
  int any, all;
  unsigned match_any, match_all;
  int equal;
  unsigned add, low, high, both, either, odd;
  int slow, shigh;
};

__global__ void vote(const int* in, Votes* out, unsigned mask) {
  if ((mask >> threadIdx.x & 1) == 0) return;
  const int mine = in[threadIdx.x];
  const auto bits = static_cast<unsigned>(mine);
  Votes v;
  v.ballot = __ballot_sync(mask, mine & 1);
  v.any = __any_sync(mask, mine == 3) != 0;
  v.all = __all_sync(mask, mine != 3) != 0;
  v.match_any = __match_any_sync(mask, mine);
  v.match_all = __match_all_sync(mask, mine, &v.equal);
  v.equal = v.equal != 0;
  v.add = __reduce_add_sync(mask, bits);
  v.low = __reduce_min_sync(mask, bits);
  v.high = __reduce_max_sync(mask, bits);
  v.both = __reduce_and_sync(mask, bits);
  v.either = __reduce_or_sync(mask, bits);
  v.odd = __reduce_xor_sync(mask, bits);
  v.slow = __reduce_min_sync(mask, mine);
  v.shigh = __reduce_max_sync(mask, mine);
  out[threadIdx.x] = v;
}

void check_votes(const std::vector<int>& values, unsigned mask) {
  const Array<int> in(values);
  const Array<Votes> out(32);
  run({1}, 32, 0, vote, in.data(), out.data(), mask);
  const std::vector<Votes> got = out.host();
  Votes want{};
  want.all = want.equal = 1;
  want.low = want.both = ~0u;
  want.slow = INT32_MAX, want.shigh = INT32_MIN;
  int first = -1;
  for (int i = 0; i < 32; ++i) {
    if ((mask >> i & 1) == 0) continue;
    if (first < 0) first = i;
    const auto bits = static_cast<unsigned>(values[i]);
    want.ballot |= (bits & 1) << i;
    want.any |= values[i] == 3;
    want.all &= values[i] != 3;
    want.equal &= values[i] == values[first];
    want.add += bits;
    want.low = std::min(want.low, bits), want.high = std::max(want.high, bits);
    want.both &= bits, want.either |= bits, want.odd ^= bits;
    want.slow = std::min(want.slow, values[i]), want.shigh = std::max(want.shigh, values[i]);
  }
  for (int i = 0; i < 32; ++i) {
    if ((mask >> i & 1) == 0) continue;
    unsigned same = 0;
    for (int j = 0; j < 32; ++j) same |= (mask >> j & 1 & (values[j] == values[i])) << j;
    const Votes& g = got[i];
    EXPECT_EQ(g.ballot, want.ballot);
    EXPECT_EQ(g.any, want.any);
    EXPECT_EQ(g.all, want.all);
    EXPECT_EQ(g.match_any, same);
    EXPECT_EQ(g.equal, want.equal);
    EXPECT_EQ(g.match_all, want.equal != 0 ? mask : 0u);
    EXPECT_EQ(g.add, want.add);
    EXPECT_TRUE(g.low == want.low && g.high == want.high && g.slow == want.slow && g.shigh == want.shigh);
    EXPECT_TRUE(g.both == want.both && g.either == want.either && g.odd == want.odd);
  }
}
TEST(Warp, VotesMatchesAndReductions) {
  Values random(7);
  for (const unsigned mask : {kAll, 1u, 0x0000ffffu, 0x80000001u, 0x0ff0a5c3u}) {
    check_votes(std::vector<int>(32, 3), mask);
    check_votes(std::vector<int>(32, -8), mask);
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::vector<int> values(32);
      for (int& x : values) x = static_cast<int>(random.next() % 5) - 2;
      check_votes(values, mask);
    }
  }
}

// Two parts of a warp on different paths, each with its own mask, and then all together.
__global__ void split(int* out) {
  const int lane = static_cast<int>(threadIdx.x);
  int sum = lane;
  if (lane < 8) {
    for (int by = 4; by > 0; by /= 2) sum += __shfl_xor_sync(0x000000ffu, sum, by);
  } else {
    for (int i = 0; i < 3; ++i) sum = __shfl_sync(0xffffff00u, sum, 31);
  }
  __syncwarp();
  out[lane] = __shfl_sync(kAll, sum, lane ^ 31);
}
TEST(Warp, PartsGoTheirOwnWay) {
  const Array<int> out(32);
  run({1}, 32, 0, split, out.data());
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out.host()[i], (i ^ 31) < 8 ? 28 : 31) << i;
}

// Lanes that have returned, or never were, are not waited for.
__global__ void some_return(unsigned* out) {
  if (threadIdx.x % 4 == 3) {
    for (int i = 0; i < 3; ++i) __nanosleep(100);  // the others are waiting by now
    return;
  }
  const unsigned lanes = __ballot_sync(kAll, 1);
  __syncwarp();
  out[threadIdx.x] = lanes;
}
TEST(Warp, ReturnedLanesAreNotWaitedFor) {
  const Array<unsigned> out(48);
  run({1}, 48, 0, some_return, out.data());
  const std::vector<unsigned> got = out.host();
  for (int i = 0; i < 48; ++i) EXPECT_EQ(got[i], i % 4 == 3 ? 0u : i < 32 ? 0x77777777u : 0x7777u) << i;
}

// __syncwarp orders the memory of a warp.
__global__ void through_shared(int* out) {
  __shared__ int cell[64];
  const int me = static_cast<int>(threadIdx.x);
  for (int round = 0; round < 20; ++round) {
    cell[me] = me * round;
    __syncwarp();
    const int got = cell[me ^ 1];
    __syncwarp();
    if (got != (me ^ 1) * round) out[me] = 1;
  }
}
TEST(Warp, SyncwarpHoldsTheWarp) {
  const Array<int> out(64);
  run({1}, 64, 0, through_shared, out.data());
  EXPECT_EQ(out.host(), std::vector<int>(64));
}

// Whatever __activemask answers, this adds up.
__global__ void aggregated(int* sum) {
  if (threadIdx.x % 3 == 0) return;
  const unsigned active = __activemask();
  const int leader = __ffs(static_cast<int>(active)) - 1;
  if (static_cast<int>(threadIdx.x % 32) == leader) atomicAdd(sum, __popc(active));
}
TEST(Warp, ActivemaskNamesTheCaller) {
  const Array<int> sum(1);
  run({1}, 96, 0, aggregated, sum.data());
  EXPECT_EQ(sum.host()[0], 64);
}

}  // namespace
}  // namespace cairn::emu_test
