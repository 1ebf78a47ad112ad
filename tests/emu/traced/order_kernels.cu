// The happens-before order: kernels in which threads synchronize in other ways than by __syncthreads, with one
// bug each, and their twins without it. Lines that a report must name end in "// <- word".
#include <cuda_runtime.h>

#include "device/barrier.hpp"
#include "tests/emu/traced/kernels.hpp"

namespace cairn::planted {

// A warp that comes to a barrier and does not wait hands on what it did before, and not what it does afterwards.
template <bool bug> __global__ void arrives(const float* in, float* out) {
  __shared__ float tile[32];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  if (warp == 0) {
    tile[lane] = in[lane];
    bar_arrive(1, 64);
    if (bug) tile[lane] = 2;  // <- after the arrival
  } else {
    bar_sync(1, 64);
    out[lane] = tile[31 - lane];  // <- behind the barrier
  }
}

// One warp fills a tile, two use it and say so, one of them after a collective of its own.
template <bool bug> __global__ void ring(const float* in, float* out) {
  __shared__ float tile[32];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  float sum = 0;
  for (int round = 0; round < 3; ++round) {
    const int filled = 1 + round, used = 4 + round;
    if (warp == 0) {
      if (round > 0 && !bug) bar_sync(used - 1, 96);
      tile[lane] = in[32 * round + lane];  // <- refilled too soon
      bar_arrive(filled, 96);
    } else {
      bar_sync(filled, 96);
      if (warp == 2) __syncwarp();
      sum += tile[lane];  // <- used by two
      if (!bug) bar_arrive(used, 96);
    }
  }
  out[threadIdx.x] = sum;
}

// Two lanes of one store.
template <bool bug> __global__ void same_word(float* out) {
  const int t = static_cast<int>(threadIdx.x);
  out[bug ? t / 2 : t] = 1;  // <- twice
}

// One word for `share` lanes, and one of them writes it.
template <bool bug> __global__ void broadcast(const float* in, float* out, int share, int writer) {
  __shared__ float words[32];
  const int t = static_cast<int>(threadIdx.x);
  words[t] = in[t];
  __syncthreads();
  out[t] = words[1 + t / share];  // <- read by all
  if (!bug) __syncwarp();
  if (t == writer) words[1] = 2;  // <- written by one
}

// Lanes that go three ways, one of which loads nothing.
__global__ void sides(const float* in, float* out) {
  const int t = static_cast<int>(threadIdx.x);
  float x = 0;
  if (t < 16) {
    x = in[t];  // <- low side
  } else if (t < 24) {
    x = in[64 + t];  // <- high side
  }
  if (t < 24) out[t] = x;
}

// Rows of 16 bytes a lane.
template <bool bug> __global__ void wide(const float* in, float* out) {
  __shared__ float4 tile[64];
  const int t = static_cast<int>(threadIdx.x);
  tile[t] = reinterpret_cast<const float4*>(in)[t];  // <- wide store
  if (!bug) __syncthreads();
  reinterpret_cast<float4*>(out)[t] = tile[(t + 32) % 64];  // <- wide load
}

// Neighbours that share a word, each with a half of its own; then both halves at once.
template <bool bug> __global__ void halves(float* out) {
  __shared__ unsigned short tile[64];
  const int t = static_cast<int>(threadIdx.x);
  tile[t] = static_cast<unsigned short>(t);  // <- a half
  tile[t] = static_cast<unsigned short>(tile[t] + 1);
  if (!bug) __syncthreads();
  if (t < 32) out[t] = static_cast<float>(reinterpret_cast<const unsigned*>(tile)[t]);  // <- both halves
  __syncthreads();
  if (t < 32) reinterpret_cast<unsigned*>(tile)[t] = 0;
  __syncthreads();
  out[t] = tile[63 - t];
}

// One thread leaves a number for another of its block, and says so with a flag.
template <bool bug> __global__ void handed_within(float* out, int* flag) {
  if (threadIdx.x == 0) {
    out[1] = 5;  // <- left within
    __threadfence_block();
    atomicExch(flag, 1);
  } else if (threadIdx.x == 32) {
    while (atomicAdd(flag, 0) == 0) {}
    if (!bug) __threadfence_block();
    out[2] = out[1];  // <- taken within
  }
}

// What is read before the flag was seen is not ordered by it.
template <bool bug> __global__ void too_soon(float* out, int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[1] = 5;  // <- left late
    __threadfence();
    atomicExch(flag, 1);
  } else {
    const float early = bug ? out[1] : 0;  // <- taken too soon
    while (atomicAdd(flag, 0) == 0) {}
    out[3] = out[1] + early;
  }
}

// Nor is what another thread of the block read before.
template <bool bug> __global__ void others_too_soon(float* out, int* flag) {
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    out[1] = 5;  // <- left later
    __threadfence();
    atomicExch(flag, 1);
  } else if (threadIdx.x == 32) {
    if (bug) out[3] = out[1];  // <- taken by another
    __threadfence();           // it is looked at now, and not when the flag may have been set
  } else if (threadIdx.x == 0) {
    for (int i = 0; i < 200; ++i) __nanosleep(20);  // the other thread runs
    while (atomicAdd(flag, 0) == 0) {}
  }
}

// The same idiom with a volatile flag: between blocks, and within one.
template <bool bug> __global__ void polled(float* out, volatile int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[1] = 5;  // <- left for a poll
    __threadfence();
    *flag = 1;
  } else {
    while (!bug && *flag == 0) {}
    if (!bug) __threadfence();
    out[3] = out[1];  // <- taken after a poll
  }
}

template <bool bug> __global__ void polled_within(float* out, volatile int* flag) {
  if (threadIdx.x == 40) {
    out[1] = 5;  // <- left for a neighbour
    __threadfence_block();
    *flag = 1;
  } else if (threadIdx.x == 0) {
    while (!bug && *flag == 0) {}
    if (!bug) __threadfence_block();
    out[3] = out[1];  // <- taken from a neighbour
  }
}

// A plain store to a word that another thread polls is a race, whatever the poll is.
template <bool bug> __global__ void plain_flag(float* out, int* flag) {
  if (threadIdx.x == 40) {
    if (bug) {
      *flag = 1;  // <- plain store of a flag
    } else {
      *static_cast<volatile int*>(flag) = 1;
    }
  } else if (threadIdx.x == 0) {
    while (*static_cast<volatile int*>(flag) == 0) {}  // <- poll of a flag
    out[0] = 1;
  }
}

// A sum over a warp from the days when its lanes ran in step.
template <bool bug> __global__ void old_habit(const float* in, float* out) {
  __shared__ float tile[32];
  volatile float* sums = tile;
  const int lane = static_cast<int>(threadIdx.x);
  sums[lane] = in[lane];
  for (int step = 16; step > 0; step /= 2) {
    if (!bug) __syncwarp();
    const float other = sums[(lane + step) % 32];  // <- no longer in step
    if (!bug) __syncwarp();
    sums[lane] = sums[lane] + other;  // <- and its store
  }
  if (lane == 0) *out = tile[0];
}

__global__ void never(volatile int* flag) {
  if (threadIdx.x == 3) {
    while (*flag == 0) {}  // <- for ever
  }
  __syncthreads();
}

namespace {

template <class... P, class... A> void go(dim3 grid, dim3 block, void (*kernel)(P...), A... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = block;
  (void)cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <bool bug> void run_one(const std::string& name, const float* in, float* out) {
  int* flag = reinterpret_cast<int*>(out + 64);
  if (name == "arrives") go(1, 64, arrives<bug>, in, out);
  if (name == "ring") go(1, 96, ring<bug>, in, out);
  if (name == "same_word") go(1, 32, same_word<bug>, out);
  if (name == "broadcast") go(1, 32, broadcast<bug>, in, out, 32, 0);
  if (name == "broadcast_by_halves") go(1, 32, broadcast<bug>, in, out, 16, 0);
  if (name == "sides") go(1, 32, sides, in, out);
  if (name == "wide") go(1, 64, wide<bug>, in, out);
  if (name == "halves") go(1, 64, halves<bug>, out);
  if (name == "handed_within") go(1, 64, handed_within<bug>, out, flag);
  if (name == "too_soon") go(2, 32, too_soon<bug>, out, flag);
  if (name == "others_too_soon") go(2, 64, others_too_soon<bug>, out, flag);
  if (name == "polled") go(2, 32, polled<bug>, out, flag);
  if (name == "polled_within") go(1, 64, polled_within<bug>, out, flag);
  if (name == "plain_flag") go(1, 64, plain_flag<bug>, out, flag);
  if (name == "old_habit") go(1, 32, old_habit<bug>, in, out);
  if (name == "never") go(2, 64, never, flag);
}

}  // namespace

void run_order(const std::string& name, bool bug, const float* in, float* out) {
  (void)cudaMemset(out, 0, 100 * sizeof(float));
  bug ? run_one<true>(name, in, out) : run_one<false>(name, in, out);
}

}  // namespace cairn::planted
