// Atomics, from many blocks at once.
#include <algorithm>

#include <cuda_fp16.h>

#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

constexpr int kBlocks = 24, kThreads = 96, kAll = kBlocks * kThreads;

template <class T> struct Results { T add, sub, low, high, both, either, odd, count_up, count_down, cas; };

__global__ void integers(Results<int>* i, Results<unsigned>* u, Results<unsigned long long>* l, float* f, double* d) {
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  const int s = static_cast<int>(id) - kAll / 2;
  atomicAdd(&i->add, s);
  atomicSub(&i->sub, s);
  atomicMin(&i->low, s);
  atomicMax(&i->high, s);
  atomicAnd(&i->both, ~(1 << id % 20));
  atomicOr(&i->either, 1 << id % 20);
  atomicXor(&i->odd, static_cast<int>(id));

  atomicAdd(&u->add, id);
  atomicSub(&u->sub, id);
  atomicMin(&u->low, id + 5);
  atomicMax(&u->high, id);
  atomicInc(&u->count_up, 99);
  atomicDec(&u->count_down, 99);
  for (unsigned seen = u->cas; true;) {  // a sum by hand
    const unsigned before = atomicCAS(&u->cas, seen, seen + 3);
    if (before == seen) break;
    seen = before;
  }

  atomicAdd(&l->add, static_cast<unsigned long long>(id) << 32);
  atomicMax(&l->high, static_cast<unsigned long long>(id) << 32);
  atomicXor(&l->odd, static_cast<unsigned long long>(id) << 40);
  atomicAdd(f, 0.25f);
  atomicAdd(d, 0.5);
}
TEST(Atomics, AddUpAcrossBlocks) {
  Array<Results<int>> i(1);
  Array<Results<unsigned>> u(std::vector<Results<unsigned>>{{0, 0, ~0u, 0, 0, 0, 0, 0, 0, 0}});
  Array<Results<unsigned long long>> l(1);
  Array<float> f(1);
  Array<double> d(1);
  run({kBlocks}, kThreads, 0, integers, i.data(), u.data(), l.data(), f.data(), d.data());

  const long long sum = static_cast<long long>(kAll) * (kAll - 1) / 2;
  unsigned odd = 0;
  for (unsigned id = 0; id < kAll; ++id) odd ^= id;
  const Results<int> gi = i.host()[0];
  EXPECT_EQ(gi.add, sum - static_cast<long long>(kAll) * (kAll / 2));
  EXPECT_EQ(gi.sub, -gi.add);
  EXPECT_EQ(gi.low, -kAll / 2);
  EXPECT_EQ(gi.high, kAll / 2 - 1);
  EXPECT_EQ(gi.both, 0);
  EXPECT_EQ(gi.either, (1 << 20) - 1);
  EXPECT_EQ(gi.odd, static_cast<int>(odd));
  const Results<unsigned> gu = u.host()[0];
  EXPECT_EQ(gu.add, sum);
  EXPECT_EQ(gu.sub, 0u - static_cast<unsigned>(sum));
  EXPECT_EQ(gu.low, 5u);
  EXPECT_EQ(gu.high, kAll - 1u);
  EXPECT_EQ(gu.count_up, kAll % 100u);
  EXPECT_EQ(gu.count_down, (100u - kAll % 100u) % 100u);
  EXPECT_EQ(gu.cas, 3u * kAll);
  const Results<unsigned long long> gl = l.host()[0];
  EXPECT_EQ(gl.add, static_cast<unsigned long long>(sum) << 32);
  EXPECT_EQ(gl.high, static_cast<unsigned long long>(kAll - 1) << 32);
  EXPECT_EQ(gl.odd, static_cast<unsigned long long>(odd) << 40);
  EXPECT_EQ(f.host()[0], 0.25f * kAll);
  EXPECT_EQ(d.host()[0], 0.5 * kAll);
}

// Every ticket is handed out once, and an exchange loses nothing.
__global__ void tickets(int* next, int* taken, int* chain) {
  const int ticket = atomicAdd(next, 1);
  taken[ticket] += 1;
  const int before = atomicExch(chain, ticket + 1);
  taken[kAll + before] += 1;
}
TEST(Atomics, GiveEachValueOnce) {
  Array<int> next(1), taken(2 * kAll + 1), chain(1);
  run({kBlocks}, kThreads, 0, tickets, next.data(), taken.data(), chain.data());
  std::vector<int> got = taken.host();
  got[kAll + chain.host()[0]] += 1;
  EXPECT_EQ(got, std::vector<int>(2 * kAll + 1, 1));
}

// A lock, held over several steps by one thread of each block.
__global__ void locked(int* lock, int* counter) {
  if (threadIdx.x != 0) return;
  for (int i = 0; i < 5; ++i) {
    while (atomicCAS(lock, 0, 1) != 0) __nanosleep(20);
    __threadfence();
    const int seen = *static_cast<volatile int*>(counter);
    __nanosleep(10);
    *static_cast<volatile int*>(counter) = seen + 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}
TEST(Atomics, ALockExcludes) {
  Array<int> lock(1), counter(1);
  run({kBlocks}, 64, 0, locked, lock.data(), counter.data());
  EXPECT_EQ(counter.host()[0], 5 * kBlocks);
}

__global__ void add_halves(half2* sum) { atomicAdd(sum, __floats2half2_rn(1.0f, 2.0f)); }
TEST(Atomics, AddHalves) {
  Array<unsigned> sum(1);
  run({4}, 64, 0, add_halves, reinterpret_cast<half2*>(sum.data()));
  EXPECT_EQ(sum.host()[0], 0x60005c00u);  // (256, 512)
}

}  // namespace
}  // namespace cairn::emu_test
