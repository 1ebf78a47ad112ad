// cuda::barrier, cuda::pipeline and cuda::atomic with one bug each, and their twins without it. Lines that a report
// must name end in "// <- word".
#include <cooperative_groups.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include "tests/emu/traced/kernels.hpp"

namespace cairn::planted {

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

// What threads store before they arrive is there for those that wait, and not for those that only arrive.
template <bool bug> __global__ void barrier_arrives(const float* in, float* out) {
  __shared__ Barrier barrier;
  __shared__ float cells[64];
  const auto t = static_cast<int>(threadIdx.x);
  if (t == 0) init(&barrier, 64);
  __syncthreads();
  cells[t] = in[t];  // <- barrier store
  auto token = barrier.arrive();
  if (!bug) barrier.wait(std::move(token));
  out[t] = cells[63 - t];  // <- barrier load
}

// A warp that uses a barrier before it has synchronized with the one that makes it. Asking whether it is there orders
// nothing.
template <bool bug> __global__ void barrier_made(float* out) {
  __shared__ Barrier barrier;
  __shared__ cuda::atomic<int, cuda::thread_scope_block> there;
  if (threadIdx.x == 0) there.store(0);
  __syncthreads();
  if (threadIdx.x == 0) {
    init(&barrier, 1);  // <- barrier made
    there.store(1, cuda::memory_order_relaxed);
  }
  if (!bug) __syncthreads();
  while (there.load(cuda::memory_order_relaxed) == 0) {}
  if (threadIdx.x == 40) (void)barrier.arrive();  // <- barrier used
  __syncthreads();
  out[threadIdx.x] = 1;
}

template <bool bug> __global__ void barrier_twice(float* out) {
  __shared__ Barrier barrier;
  const auto t = static_cast<int>(threadIdx.x);
  if (bug ? t % 32 == 0 : t == 0) init(&barrier, 64);  // <- made by each warp
  __syncthreads();
  barrier.arrive_and_wait();
  out[t] = 1;
}

// A copy of each thread, read before the wait; after a wait for another barrier; by threads that leave the wait to one.
enum class Early { before, other, left_to_one };
template <bool bug, Early early> __global__ void barrier_copies(const float* in, float* out) {
  __shared__ Barrier full, idle;
  __shared__ cuda::atomic<int, cuda::thread_scope_block> waited;
  __shared__ float cells[64];
  const auto t = static_cast<int>(threadIdx.x);
  if (t == 0) {
    init(&full, 64);
    init(&idle, 64);
    waited.store(0);
  }
  __syncthreads();
  cuda::memcpy_async(&cells[t], &in[t], sizeof(float), full);  // <- tied copy
  auto token = full.arrive();
  if (bug && early == Early::other) idle.arrive_and_wait();
  if (bug && early == Early::left_to_one) {
    if (t == 5) {
      full.wait_parity(false);
      waited.store(1, cuda::memory_order_relaxed);
    }
    while (waited.load(cuda::memory_order_relaxed) == 0) {}
  }
  if (!bug) full.wait(std::move(token));
  out[t] = cells[63 - t];  // <- early read
  if (bug) full.wait_parity(false);
}

// One copy of the group, whose own thread reads its own word without a wait.
template <bool bug> __global__ void barrier_own_word(const float* in, float* out) {
  __shared__ Barrier full;
  alignas(16) __shared__ float cells[64];
  const cg::thread_block block = cg::this_thread_block();
  const auto t = static_cast<int>(threadIdx.x);
  if (t == 0) init(&full, 64);
  block.sync();
  cuda::memcpy_async(block, cells, in, cuda::aligned_size_t<16>(sizeof cells), full);  // <- group copy
  (void)full.arrive();
  if (!bug) full.wait_parity(false);
  if (t < 16) out[t] = cells[4 * t];  // <- own word
  if (bug) full.wait_parity(false);
}

// A stage that is copied to again while threads may still read it.
template <bool bug> __global__ void barrier_refill(const float* in, float* out) {
  __shared__ Barrier full;
  __shared__ float cells[64];
  const auto t = static_cast<int>(threadIdx.x);
  if (t == 0) init(&full, 64);
  __syncthreads();
  float sum = 0;
  for (int tile = 0; tile < 4; ++tile) {
    cuda::memcpy_async(&cells[t], &in[64 * tile + t], sizeof(float), full);  // <- tied refill
    full.arrive_and_wait();
    sum += cells[63 - t];  // <- stage still read
    if (!bug) __syncthreads();
  }
  out[t] = sum;
}

// A stage of a pipeline is released before it is read.
template <bool bug> __global__ void pipeline_release(const float* in, float* out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ float cells[2][64];
  const cg::thread_block block = cg::this_thread_block();
  const auto t = static_cast<int>(threadIdx.x);
  auto pipe = cuda::make_pipeline(block, &state, std::size_t{32});
  float sum = 0;
  for (int tile = 0; tile < 6; ++tile) {
    if (t < 32) {
      pipe.producer_acquire();
      cuda::memcpy_async(&cells[tile % 2][t], &in[64 * tile + t], sizeof(float), pipe);  // <- produced
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      if (bug) pipe.consumer_release();
      sum += cells[tile % 2][63 - t];  // <- consumed
      if (!bug) pipe.consumer_release();
    }
  }
  out[t] = sum;
}

// Consumers of a unified pipeline that do not wait.
template <bool bug> __global__ void pipeline_wait(const float* in, float* out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ float cells[64];
  const auto t = static_cast<int>(threadIdx.x);
  auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state);
  pipe.producer_acquire();
  cuda::memcpy_async(&cells[t], &in[t], sizeof(float), pipe);  // <- committed
  pipe.producer_commit();
  if (!bug) pipe.consumer_wait();
  out[t] = cells[t ^ 1];  // <- not waited for
  if (bug) pipe.consumer_wait();
  pipe.consumer_release();
}

// A thread's own pipeline: its wait is for its own copies, and the others' take a barrier.
template <bool bug> __global__ void pipeline_own(const float* in, float* out) {
  __shared__ float cells[64];
  const auto t = static_cast<int>(threadIdx.x);
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&cells[t], &in[t], sizeof(float), pipe);  // <- own copy
  pipe.producer_commit();
  pipe.consumer_wait();
  if (!bug) __syncthreads();
  out[t] = cells[63 - t];  // <- other's copy
  pipe.consumer_release();
}

template <bool bug> __global__ void primitives(const float* in, float* out) {
  __shared__ float cells[2];
  for (int i = 0; i < 2; ++i) {
    __pipeline_memcpy_async(&cells[i], &in[i], sizeof(float));  // <- primitive copy
    __pipeline_commit();
  }
  __pipeline_wait_prior(bug ? 1 : 0);
  out[0] = cells[1];  // <- primitive read
  __pipeline_wait_prior(0);
}

// A flag that is raised without a release, or seen without an acquire, orders nothing in a block.
template <bool bug> __global__ void atomic_flag(float* out) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> flag;
  __shared__ float cell;
  if (threadIdx.x == 0) flag.store(0);
  __syncthreads();
  if (threadIdx.x == 0) {
    cell = 3;  // <- before the flag
    flag.store(1, bug ? cuda::memory_order_relaxed : cuda::memory_order_release);
  } else if (threadIdx.x == 40) {
    while (flag.load(cuda::memory_order_acquire) == 0) {}
    out[0] = cell;  // <- after the flag
  }
}

// A counter that two blocks share; the last one adds up what both have left.
template <bool bug> __global__ void atomic_last(float* out) {
  if (threadIdx.x != 0) return;
  out[1 + blockIdx.x] = 2;  // <- left by a block
  const cuda::atomic_ref<float, cuda::thread_scope_device> count(out[0]);
  if (bug ? blockIdx.x == 0 : count.fetch_add(1.0F, cuda::memory_order_acq_rel) == 1.0F)
    out[3] = out[1] + out[2];  // <- added up
}

namespace {

template <class... P, class... A> void go(unsigned grid, unsigned block, void (*kernel)(P...), A... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = block;
  (void)cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <bool bug> void run_one(const std::string& name, const float* in, float* out) {
  if (name == "barrier_arrives") go(1, 64, barrier_arrives<bug>, in, out);
  if (name == "barrier_made") go(1, 64, barrier_made<bug>, out);
  if (name == "barrier_twice") go(1, 64, barrier_twice<bug>, out);
  if (name == "barrier_before") go(1, 64, barrier_copies<bug, Early::before>, in, out);
  if (name == "barrier_other") go(1, 64, barrier_copies<bug, Early::other>, in, out);
  if (name == "barrier_left_to_one") go(1, 64, barrier_copies<bug, Early::left_to_one>, in, out);
  if (name == "barrier_own_word") go(1, 64, barrier_own_word<bug>, in, out);
  if (name == "barrier_refill") go(1, 64, barrier_refill<bug>, in, out);
  if (name == "pipeline_release") go(1, 64, pipeline_release<bug>, in, out);
  if (name == "pipeline_wait") go(1, 64, pipeline_wait<bug>, in, out);
  if (name == "pipeline_own") go(1, 64, pipeline_own<bug>, in, out);
  if (name == "primitives") go(1, 1, primitives<bug>, in, out);
  if (name == "atomic_flag") go(1, 64, atomic_flag<bug>, out);
  if (name == "atomic_last") {
    const float zero = 0;
    (void)cudaMemcpy(out, &zero, sizeof zero, cudaMemcpyHostToDevice);
    go(2, 32, atomic_last<bug>, out);
  }
}

}  // namespace

void run_cuda(const std::string& name, bool bug, const float* in, float* out) {
  bug ? run_one<true>(name, in, out) : run_one<false>(name, in, out);
}

}  // namespace cairn::planted
