// cuda::barrier and the copies that are tied to it: they arrive when a thread waits for the barrier's phase, and what
// never comes is reported.
#include <cooperative_groups.h>
#include <numeric>
#include <string>

#include <cuda/barrier>

#include "emu/machine/errors.hpp"
#include "tests/emu/support.hpp"

namespace cg = cooperative_groups;

namespace cairn::emu_test {
namespace {

#pragma nv_diag_suppress static_var_with_dynamic_init

using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr unsigned kPoison = 0xffffffffu;

template <class... P, class... A> std::string report_of(dim3 block, void (*kernel)(P...), const A&... arguments) {
  const Status status = launch({1}, block, 0, nullptr, kernel, arguments...);
  EXPECT_EQ(status.code(), Code::device_error);
  EXPECT_TRUE(emu::take_failure().ok()) << "launch has told it already";
  return status.message();
}
void expect_parts(const std::string& report, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    EXPECT_NE(report.find(part), std::string::npos) << "no \"" << part << "\" in:\n" << report;
}

// Arrivals in five ways, phase after phase. Each thread reads what another has written in the same phase.
enum class How { together, split, parity, polling, several };
template <How how> __global__ void phases(int rounds, int* out) {
  __shared__ cuda::barrier<cuda::thread_scope::thread_scope_block> barrier;
  __shared__ int cells[2][96];
  const cg::thread_block block = cg::this_thread_block();
  const int t = static_cast<int>(block.thread_rank());
  if (t == 0) init(&barrier, how == How::several ? 3 * block.size() : block.size());
  block.sync();
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    int(&mine)[96] = cells[round % 2];
    mine[t] = round * round + t;
    if (how == How::together) barrier.arrive_and_wait();
    if (how == How::split || how == How::several) {
      Barrier::arrival_token token = barrier.arrive(how == How::several ? 3 : 1);
      sum += 1;
      barrier.wait(std::move(token));
    }
    if (how == How::parity) {
      (void)barrier.arrive();
      barrier.wait_parity(round % 2 == 1);
    }
    if (how == How::polling) {
      (void)barrier.arrive();
      while (!barrier.try_wait_parity(round % 2 == 1)) {}
    }
    sum = 3 * sum + mine[(t + 40) % 96];
  }
  out[t] = sum;
}
template <How how> void expect_phases() {
  for (const int rounds : {1, 2, 7}) {
    const Array<int> out(96);
    run({2}, 96, 0, phases<how>, rounds, out.data());
    for (int t = 0; t < 96; ++t) {
      int sum = 0;
      for (int round = 0; round < rounds; ++round)
        sum = 3 * (sum + (how == How::split || how == How::several ? 1 : 0)) + round * round + (t + 40) % 96;
      EXPECT_EQ(out.host()[static_cast<std::size_t>(t)], sum) << rounds << ": " << t;
    }
  }
}
TEST(CudaBarrier, PhasesFollowEachOther) {
  expect_phases<How::together>();
  expect_phases<How::split>();
  expect_phases<How::parity>();
  expect_phases<How::polling>();
  expect_phases<How::several>();
}

// Threads leave one after the other.
__global__ void dropping(int* out) {
  __shared__ Barrier barrier;
  __shared__ int cells[32];
  const int t = static_cast<int>(threadIdx.x);
  if (t == 0) init(&barrier, 32);
  __syncthreads();
  for (int round = 0; round < t; ++round) barrier.arrive_and_wait();
  cells[t] = t;
  if (t < 31) {
    barrier.arrive_and_drop();
    return;
  }
  int sum = 0;
  for (const int cell : cells) sum += cell;
  *out = sum;
}
TEST(CudaBarrier, ThreadsThatDropAreNotWaitedFor) {
  const Array<int> out(1);
  run({1}, 32, 0, dropping, out.data());
  EXPECT_EQ(out.host()[0], 31 * 32 / 2);
}

// Two stages and two barriers that change places, as in a ladder of products of matrices: one word a thread by a copy
// of its own, and four by the group.
__global__ void double_buffer(const float* in, int tiles, float* out) {
  __shared__ Barrier a, b;
  alignas(16) __shared__ float own[2][64], group[2][256];
  const cg::thread_block block = cg::this_thread_block();
  const int t = static_cast<int>(threadIdx.x);
  Barrier *front = &a, *back = &b;
  if (t == 0) {
    init(front, blockDim.x);
    init(back, blockDim.x);
  }
  __syncthreads();
  const auto fetch = [&](int tile, Barrier& barrier) {
    const float* from = in + tile * 320;
    cuda::memcpy_async(&own[tile % 2][t], from + t, cuda::aligned_size_t<sizeof(float)>(sizeof(float)), barrier);
    cuda::memcpy_async(block, group[tile % 2], from + 64, cuda::aligned_size_t<16>(sizeof group[0]), barrier);
  };
  float sum = 0;
  fetch(0, *front);
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) fetch(tile + 1, *back);
    front->arrive_and_wait();
    for (int i = 0; i < 64; ++i) sum += own[tile % 2][i] * group[tile % 2][(4 * i + t) % 256];
    std::swap(front, back);
    __syncthreads();
  }
  out[t] = sum;
}
TEST(CudaBarrier, StagesAreCopiedWhileOthersAreUsed) {
  Values values(1);
  std::vector<float> in(5 * 320);
  for (float& x : in) x = static_cast<float>(values.next() % 16);
  for (const int tiles : {1, 2, 5}) {
    const Array<float> from(in), out(64);
    run({2}, 64, 0, double_buffer, from.data(), tiles, out.data());
    for (std::size_t t = 0; t < 64; ++t) {
      float sum = 0;
      for (std::size_t tile = 0; tile < static_cast<std::size_t>(tiles); ++tile) {
        for (std::size_t i = 0; i < 64; ++i) sum += in[tile * 320 + i] * in[tile * 320 + 64 + (4 * i + t) % 256];
      }
      EXPECT_EQ(out.host()[t], sum) << tiles << ": " << t;
    }
  }
}

// Any number of bytes from any address.
__global__ void any_bytes(const unsigned char* in, unsigned to_at, unsigned from_at, unsigned bytes,
                          unsigned char* out) {
  __shared__ Barrier barrier;
  alignas(16) __shared__ unsigned char cells[256];
  const cg::thread_block block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&barrier, 32);
  for (unsigned i = threadIdx.x; i < 256; i += 32) cells[i] = 7;
  __syncthreads();
  cuda::memcpy_async(block, cells + to_at, in + from_at, bytes, barrier);
  barrier.arrive_and_wait();
  for (unsigned i = threadIdx.x; i < 256; i += 32) out[i] = cells[i];
}
TEST(CudaBarrier, AGroupCopiesAnyNumberOfBytes) {
  std::vector<unsigned char> in(256);
  std::iota(in.begin(), in.end(), static_cast<unsigned char>(0));
  const unsigned cases[][3] = {{0, 0, 0},    {0, 0, 1},   {3, 5, 77},  {16, 32, 160},
                               {8, 24, 100}, {4, 20, 63}, {16, 16, 94}};
  for (const auto& [to, from, bytes] : cases) {
    const Array<unsigned char> source(in), out(256);
    run({1}, 32, 0, any_bytes, source.data(), to, from, bytes, out.data());
    std::vector<unsigned char> want(256, 7);
    std::copy_n(in.begin() + from, bytes, want.begin() + to);
    EXPECT_EQ(out.host(), want) << to << " " << from << " " << bytes;
  }
}

// Read without a wait: before it, and after a wait for another barrier.
template <bool other> __global__ void too_early(const unsigned* in, unsigned* out) {
  __shared__ Barrier barrier, idle;
  __shared__ unsigned word;
  init(&barrier, 1);
  init(&idle, 1);
  cuda::memcpy_async(&word, in, sizeof word, barrier);
  auto token = barrier.arrive();
  if (other) idle.arrive_and_wait();
  out[0] = word;
  barrier.wait(std::move(token));
  out[1] = word;
}
TEST(CudaBarrier, WithoutItsWaitACopyHasNotArrived) {
  for (const bool other : {false, true}) {
    const Array<unsigned> in(std::vector<unsigned>{7}), out(2);
    run({1}, 1, 0, other ? too_early<true> : too_early<false>, in.data(), out.data());
    EXPECT_EQ(out.host(), (std::vector<unsigned>{kPoison, 7})) << other;
  }
}

// By a thread of each row, as in published kernels.
__global__ void made_by_rows(unsigned more, int* out) {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, 64 + more * threadIdx.y);
  __syncthreads();
  if (threadIdx.y == 3) out[threadIdx.x] = 5;
  barrier.arrive_and_wait();
  if (threadIdx.y == 2) ++out[15 - threadIdx.x];
}
TEST(CudaBarrier, MayBeInitialisedAgainBeforeItsUse) {
  const Array<int> out(16);
  run({1}, dim3(16, 4), 0, made_by_rows, 0u, out.data());
  EXPECT_EQ(out.host(), std::vector<int>(16, 6));
  expect_parts(report_of(dim3(16, 4), made_by_rows, 1u, out.data()), {"has been initialised already"});
}

__global__ void never_waits(const unsigned* in) {
  __shared__ Barrier barrier;
  __shared__ unsigned word;
  init(&barrier, 1);
  cuda::memcpy_async(&word, in, sizeof word, barrier);
  (void)barrier.arrive();
}
TEST(CudaBarrier, ACopyThatNoThreadWaitsForIsReported) {
  const Array<unsigned> in(1);
  expect_parts(report_of(1, never_waits, in.data()),
               {"the block ends while the barrier at byte 0 of ", "never_waits(unsigned int const*)::barrier",
                "waits for a copy that is in flight, issued at tests/emu/cuda_barrier_test.cu:"});
}

__global__ void one_stays_away() {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  if (threadIdx.x != 5) barrier.arrive_and_wait();
}
TEST(CudaBarrier, AThreadThatNeverArrivesIsADeadlock) {
  expect_parts(report_of(64, one_stays_away),
               {"deadlock, none of its 64 threads can go on",
                "\n  threads 0-4, 6-63: waiting at barrier.arrive_and_wait, tests/emu/cuda_barrier_test.cu:",
                "one_stays_away()::barrier, parity 0 (1 arrival is missing)", "\n  thread 5: returned"});
}
__global__ void polls_for_ever() {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, 2);
  __syncthreads();
  if (threadIdx.x != 0) return;
  auto token = barrier.arrive();
  while (!barrier.try_wait(std::move(token))) {}
}
TEST(CudaBarrier, OneThatIsPolledForIsReportedToo) {
  expect_parts(report_of(32, polls_for_ever), {"stuck", "thread 0: polling with barrier.try_wait, tests/emu/"});
}

__global__ void arrives_twice(const unsigned* in) {
  __shared__ Barrier barrier;
  __shared__ unsigned word;
  init(&barrier, 1);
  cuda::memcpy_async(&word, in, sizeof word, barrier);
  (void)barrier.arrive();
  (void)barrier.arrive();
}
__global__ void arrives_too_often() {
  __shared__ Barrier barrier;
  init(&barrier, 2);
  (void)barrier.arrive(3);
}
__global__ void not_initialised() {
  __shared__ Barrier barrier;
  barrier.arrive_and_wait();
}
__global__ void not_shared(Barrier* barrier) { init(barrier, 1); }
__global__ void misaligned(const unsigned* in) {
  __shared__ Barrier barrier;
  alignas(16) __shared__ unsigned words[8];
  init(&barrier, 1);
  cuda::memcpy_async(words, in + 1, cuda::aligned_size_t<16>(16), barrier);
}
TEST(CudaBarrier, WrongCallsAreReported) {
  const Array<unsigned> in(8);
  expect_parts(report_of(1, arrives_twice, in.data()),
               {"all of the 1 arrival", "no thread has waited for its copies"});
  expect_parts(report_of(1, arrives_too_often), {"more than the 2 arrivals that this phase lacks"});
  expect_parts(report_of(1, not_initialised), {"no thread has initialised the barrier at byte 0 of"});
  expect_parts(report_of(1, not_shared, reinterpret_cast<Barrier*>(in.data())), {"8 bytes of shared memory"});
  expect_parts(report_of(1, misaligned, in.data()), {"both addresses are multiples", "cuda_barrier_test.cu:"});
}

}  // namespace
}  // namespace cairn::emu_test
