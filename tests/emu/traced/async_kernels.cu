// Asynchronous copies with one bug each, and their twins without it. Lines that a report
// must name end in "// <- word".
#include <cuda_runtime.h>

#include "device/async_copy.hpp"
#include "tests/emu/traced/kernels.hpp"

namespace cairn::planted {

// A mistake of public collections: `wait_group 1` also on the last tile, when there is
// no younger group it could mean.
template <bool bug> __global__ void short_wait(const float* in, float* out, int rounds) {
  __shared__ float stage[2][64];
  const int t = static_cast<int>(threadIdx.x);
  async_copy<4>(&stage[0][t], in + t);
  async_commit();
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    if (round + 1 < rounds) {
      async_copy<4>(&stage[(round + 1) % 2][t], in + (round + 1) * 64 + t);  // <- issued
      async_commit();
    }
    if (bug || round + 1 < rounds) {
      async_wait<1>();
    } else {
      async_wait<0>();
    }
    __syncthreads();
    sum += stage[round % 2][63 - t];  // <- not arrived
    __syncthreads();
  }
  out[t] = sum;
}

// Another: a stage refilled with no barrier before it, so that a quick warp copies over what a slow one still reads.
template <bool bug> __global__ void early_refill(const float* in, float* out, int rounds) {
  __shared__ float stage[2][64];
  const int t = static_cast<int>(threadIdx.x);
  async_copy<4>(&stage[0][t], in + t);
  async_commit();
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    if (round + 1 < rounds) async_copy<4>(&stage[(round + 1) % 2][t], in + (round + 1) * 64 + t);  // <- refilled
    async_commit();
    async_wait<1>();
    __syncthreads();
    sum += stage[round % 2][63 - t];  // <- still read
    if (!bug) __syncthreads();
  }
  out[t] = sum;
}

// What a thread has waited for has arrived for that thread; the others meet it at a barrier.
template <bool bug> __global__ void no_barrier(const float* in, float* out) {
  __shared__ float tile[64];
  const int t = static_cast<int>(threadIdx.x);
  async_copy<4>(&tile[t], in + t);  // <- arrived for one
  async_wait_all();
  if (!bug) __syncthreads();
  out[t] = tile[63 - t];  // <- read by another
}

// The wait and the barrier in the wrong order: all meet, and then each waits for its own. The others read what has
// arrived, but only because they look at a counter: nothing orders the two for memory.
template <bool bug> __global__ void late_wait(const float* in, float* out) {
  __shared__ float tile[32];
  __shared__ int done;
  const int t = static_cast<int>(threadIdx.x);
  if (t < 32) async_copy<4>(&tile[t], in + t);  // <- waited for late
  if (t == 0) done = 0;
  __syncthreads();
  if (t < 32) {
    async_wait_all();
    atomicAdd(&done, 1);
  }
  if (!bug) __syncthreads();
  if (t >= 32) {
    while (atomicAdd(&done, 0) < 32) {}
    out[t] = tile[t - 32];  // <- read at once
  }
}

// A refill that comes after all reads of the stage, but again only by a counter.
template <bool bug> __global__ void counted_refill(const float* in, float* out) {
  __shared__ float stage[32];
  __shared__ int done;
  const int t = static_cast<int>(threadIdx.x);
  if (t < 32) stage[t] = in[t];
  if (t == 0) done = 0;
  __syncthreads();
  if (t < 32) {
    out[t] = stage[t];  // <- read before
    atomicAdd(&done, 1);
  }
  if (!bug) __syncthreads();
  if (t >= 32) {
    while (atomicAdd(&done, 0) < 32) {}
    async_copy<4>(&stage[t - 32], in + t);  // <- refilled after
    async_wait_all();
    out[t] = stage[t - 32];
  }
}

// A store to where a copy is on its way: which of the two stays is chance.
template <bool bug> __global__ void stored_over(const float* in, float* out) {
  __shared__ float tile[64];
  const int t = static_cast<int>(threadIdx.x);
  async_copy<4>(&tile[t], in + t);  // <- in flight
  if (!bug) async_wait_all();
  tile[t] = 2;  // <- stored over
  async_wait_all();
  out[t] = tile[t];
}

// A second copy to where the first is on its way.
template <bool bug> __global__ void copied_over(const float* in, float* out) {
  __shared__ float tile[64];
  const int t = static_cast<int>(threadIdx.x);
  async_copy<4>(&tile[t], in + t);  // <- first copy
  if (!bug) async_wait_all();
  async_copy<4>(&tile[t], in + 64 + t);  // <- second copy
  async_wait_all();
  out[t] = tile[t];
}

template <bool bug> __global__ void copy_past_the_end(const float* in, float* out, int count) {
  __shared__ float tile[64];
  const int t = static_cast<int>(threadIdx.x), at = count - 40 + t;
  const bool there = at < count || (bug && at == count);
  async_copy<4>(&tile[t], in + at, there ? 4 : 0);  // <- copy past the end
  async_wait_all();
  out[t] = tile[t];
}

template <bool bug> __global__ void copy_past_the_tile(const float* in, float* out) {
  __shared__ float tile[32];
  const int t = static_cast<int>(threadIdx.x);
  float* to = tile + (bug ? 1 : 0);
  async_copy<4>(to + t, in + t);  // <- copy past the tile
  async_wait_all();
  out[t] = tile[t];
}

template <bool bug> __global__ void copy_to_global(const float* in, float* out) {
  __shared__ float tile[32];
  const int t = static_cast<int>(threadIdx.x);
  async_copy<4>(bug ? out + t : tile + t, in + t);  // <- copy to global
  async_wait_all();
  out[t] = 1;
}

template <bool bug> __global__ void copy_of_unset(float* out) {
  __shared__ float tile[32];
  const int t = static_cast<int>(threadIdx.x);
  if (!bug || t != 5) out[t] = 1;
  async_copy<4>(&tile[t], out + t);  // <- copy of unset
  async_wait_all();
  out[64 + t] = tile[t];
}

// What is counted: 16 bytes a lane; 4 bytes a lane, transposed into one bank and into 32; and a warp half of whose
// lanes only fill with zeros.
__global__ void copies(const float* in, float* out) {
  alignas(16) __shared__ float wide[128];
  __shared__ float column[32][32], padded[32][33], half[32];
  const int t = static_cast<int>(threadIdx.x);
  async_copy<16>(&wide[4 * t], in + 4 * t);         // <- 16 bytes
  async_copy<4>(&column[t][0], in + t);             // <- one bank
  async_copy<4>(&padded[t][0], in + t);             // <- padded
  async_copy<4>(&half[t], in + t, t < 16 ? 4 : 0);  // <- half
  async_wait_all();
  out[t] = wide[4 * t] + column[t][0] + padded[t][0] + half[t];
}

namespace {

template <class... P, class... A> void go(dim3 grid, dim3 block, void (*kernel)(P...), A... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = block;
  (void)cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <bool bug> void run_one(const std::string& name, const float* in, float* out) {
  if (name == "short_wait") go(1, 64, short_wait<bug>, in, out, 3);
  if (name == "early_refill") go(1, 64, early_refill<bug>, in, out, 5);
  if (name == "no_barrier") go(1, 64, no_barrier<bug>, in, out);
  if (name == "late_wait") go(1, 64, late_wait<bug>, in, out);
  if (name == "counted_refill") go(1, 64, counted_refill<bug>, in, out);
  if (name == "stored_over") go(1, 64, stored_over<bug>, in, out);
  if (name == "copied_over") go(1, 64, copied_over<bug>, in, out);
  if (name == "copy_past_the_end") go(1, 64, copy_past_the_end<bug>, in, out, kFloats);
  if (name == "copy_past_the_tile") go(1, 32, copy_past_the_tile<bug>, in, out);
  if (name == "copy_to_global") go(1, 32, copy_to_global<bug>, in, out);
  if (name == "copy_of_unset") go(1, 32, copy_of_unset<bug>, out);
  if (name == "copies") go(1, 32, copies, in, out);
}

}  // namespace

void run_async(const std::string& name, bool bug, const float* in, float* out) {
  bug ? run_one<true>(name, in, out) : run_one<false>(name, in, out);
}

}  // namespace cairn::planted
