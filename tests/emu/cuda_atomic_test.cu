// cuda::atomic and cuda::atomic_ref: what each operation leaves and returns, and what threads hand over with them.
#include <limits>

#include <cuda/atomic>
#include <cuda/std/atomic>

#include "tests/emu/support.hpp"

namespace cairn::emu_test {
namespace {

// Every operation of one thread, each result and what it leaves.
template <class T> __global__ void operations(T* cell, T* out) {
  cuda::atomic_ref<T, cuda::thread_scope_device> at(*cell);
  const auto note = [&](T returned) {
    *out++ = returned;
    *out++ = at.load(cuda::memory_order_relaxed);
  };
  at.store(T{12}, cuda::std::memory_order_release);
  note(at.exchange(T{40}));
  note(at.fetch_add(T{5}, cuda::memory_order_acq_rel));
  note(at.fetch_sub(T{7}, cuda::std::memory_order_acquire));
  note(at += T{2});
  T expected{41};
  note(at.compare_exchange_strong(expected, T{1}) ? T{1} : T{0});
  note(expected);
  note(at.compare_exchange_weak(expected, T{6}, cuda::memory_order_release, cuda::memory_order_relaxed) ? T{1}
                                                                                                        : T{0});
  if constexpr (std::is_integral_v<T>) {
    note(at.fetch_or(T{9}));
    note(at.fetch_and(T{13}));
    note(at.fetch_xor(T{7}));
    note(at.fetch_min(T{3}));
    note(at.fetch_max(static_cast<T>(-1)));
    note(at.fetch_min(static_cast<T>(-5)));
    note(++at);
    note(at--);
  }
}
template <class T> void expect_operations() {
  Array<T> cell(1), out(30);
  run({1}, 1, 0, operations<T>, cell.data(), out.data());
  std::vector<T> want = {T{12}, T{40}, T{40}, T{45}, T{45}, T{38}, T{40},
                         T{40}, T{0},  T{40}, T{40}, T{40}, T{1},  T{6}};
  if (std::is_integral_v<T>) {
    const T minus_one = static_cast<T>(-1), minus_five = static_cast<T>(-5), minus_four = static_cast<T>(-4);
    const T most = std::is_signed_v<T> ? T{3} : minus_one;
    const T rest[] = {T{6}, T{15}, T{15}, T{13},      T{13},      T{10},      T{10},      T{3},
                      T{3}, most,  most,  minus_five, minus_four, minus_four, minus_four, minus_five};
    want.insert(want.end(), std::begin(rest), std::end(rest));
  }
  want.resize(30);
  EXPECT_EQ(out.host(), want);
}
TEST(CudaAtomic, OperationsOfAllTypes) {
  expect_operations<int>();
  expect_operations<unsigned>();
  expect_operations<long>();
  expect_operations<unsigned long>();
  expect_operations<long long>();
  expect_operations<unsigned long long>();
  expect_operations<float>();
  expect_operations<double>();
}

__global__ void counted(cuda::atomic<unsigned, cuda::thread_scope_device>* all, cuda::std::atomic<float>* sum,
                        int* out) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> here;
  if (threadIdx.x == 0) here = 0;
  __syncthreads();
  here++;
  all->fetch_add(1, cuda::memory_order_relaxed);
  sum->fetch_add(0.5F, cuda::std::memory_order_relaxed);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = here;
}
TEST(CudaAtomic, NothingIsLost) {
  const Array<unsigned> all(1);
  const Array<float> sum(1);
  const Array<int> out(6);
  run({6}, 100, 0, counted, reinterpret_cast<cuda::atomic<unsigned, cuda::thread_scope_device>*>(all.data()),
      reinterpret_cast<cuda::std::atomic<float>*>(sum.data()), out.data());
  EXPECT_EQ(all.host()[0], 600u);
  EXPECT_EQ(sum.host()[0], 300.0F);
  EXPECT_EQ(out.host(), std::vector<int>(6, 100));
}

// A thread polls, and the one that answers is of the same warp, the same block, or another block.
template <bool waits> __global__ void asks(int* flag, int* data, int* out) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  const unsigned answers = gridDim.x > 1 ? 0 : blockDim.x - 1;
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == answers) {
    *data = 7;
    ready.store(1, cuda::memory_order_release);
    ready.notify_all();
  } else {
    if (waits)
      ready.wait(0, cuda::memory_order_acquire);
    else
      while (ready.load(cuda::memory_order_acquire) == 0) {}
    out[blockIdx.x * blockDim.x + threadIdx.x] = *data;
  }
}
TEST(CudaAtomic, PollingLetsTheOthersRun) {
  for (const unsigned blocks : {1u, 2u, 3u}) {
    for (const unsigned threads : {2u, 70u}) {
      const Array<int> flag(1), data(1), out(blocks * threads);
      run({blocks}, threads, 0, blocks % 2 == 0 ? asks<true> : asks<false>, flag.data(), data.data(), out.data());
      int sum = 0;
      for (const int x : out.host()) sum += x;
      EXPECT_EQ(sum, 7 * static_cast<int>(blocks * threads - 1)) << blocks << " " << threads;
    }
  }
}

// Shared among threads of a lock.
__global__ void locked(int* out) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> lock;
  __shared__ int sum;
  if (threadIdx.x == 0) {
    lock.store(0);
    sum = 0;
  }
  __syncthreads();
  int open = 0;
  while (!lock.compare_exchange_weak(open, 1, cuda::memory_order_acquire)) open = 0;
  sum = sum + static_cast<int>(threadIdx.x);
  lock.store(0, cuda::memory_order_release);
  __syncthreads();
  if (threadIdx.x == 0) *out = sum;
}
TEST(CudaAtomic, MakesALock) {
  const Array<int> out(1);
  run({1}, 96, 0, locked, out.data());
  EXPECT_EQ(out.host()[0], 95 * 96 / 2);
}

}  // namespace
}  // namespace cairn::emu_test
