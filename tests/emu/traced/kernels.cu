// Kernels with one bug each, and their twins without it. Lines that a report must name end in "// <- word".
#include <cuda_runtime.h>

#include "tests/emu/traced/kernels.hpp"

namespace cairn::planted {

// The mistake of public collections: a loop over tiles that ends in __syncwarp, so that a quick warp refills the tile
// while a slow one still reads it.
template <bool bug> __global__ void refill(const float* in, float* out, int rounds) {
  __shared__ float tile[128];
  const int t = static_cast<int>(threadIdx.x);
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    tile[t] = in[round * 128 + t];  // <- store
    __syncthreads();
    sum += tile[127 - t];  // <- load
    if (bug) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }
  out[blockIdx.x * 128 + t] = sum;
}

// A stage of two that is refilled in the round in which it is read.
template <bool bug> __global__ void stages(const float* in, float* out, int rounds) {
  __shared__ float stage[2][64];
  const int t = static_cast<int>(threadIdx.x);
  stage[0][t] = in[t];
  __syncthreads();
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    const int next = bug ? round % 2 : (round + 1) % 2;
    if (round + 1 < rounds) stage[next][t] = in[(round + 1) * 64 + t];  // <- refill
    sum += stage[round % 2][63 - t];                                    // <- use
    __syncthreads();
  }
  out[t] = sum;
}

template <bool bug> __global__ void past_the_end(const float* in, float* out, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (bug ? i <= count : i < count) {
    out[i % 4096] = in[i];  // <- past the end
  }
}

template <bool bug> __global__ void past_the_tile(float* out) {
  __shared__ float tile[32];
  const int t = static_cast<int>(threadIdx.x);
  float* to = tile + (bug ? 1 : 0);
  to[t] = static_cast<float>(t);  // <- past the tile
  __syncthreads();
  out[t] = tile[t];
}

template <bool bug> __global__ void vectors(const float* in, float* out) {
  const auto* four = reinterpret_cast<const float4*>(in + (bug ? 1 : 0));
  const float4 x = four[threadIdx.x];  // <- vector
  out[threadIdx.x] = x.x + x.w;
}

// A register tile indexed past its end, by a count that belongs to another array.
template <int count> __global__ void registers(const float* in, float* out) {
  float acc[4] = {};
  for (int i = 0; i < count; ++i) acc[i] += in[i];  // <- index
  out[threadIdx.x] = acc[0] + acc[3];
}

template <bool bug> __global__ void unset_shared(float* out) {
  __shared__ float tile[64];
  const int t = static_cast<int>(threadIdx.x);
  if (!bug || t != 5) tile[t] = 1;
  __syncthreads();
  out[t] = tile[t];  // <- unset
}

template <bool bug> __global__ void early_return(float* out, int count) {
  const int t = static_cast<int>(threadIdx.x);
  if (bug && t >= count) return;
  __syncthreads();  // <- barrier
  if (t < count) out[t] = 1;
}

template <bool bug> __global__ void leaves_out(float* out, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < (bug ? count - 1 : count)) out[i] = 1;
}

// Blocks that add to one number.
template <bool bug> __global__ void sum_up(float* sum) {
  if (bug) {
    if (threadIdx.x == 0) *sum += 1;  // <- blocks
  } else {
    atomicAdd(sum, 1.0F);
  }
}

// One block leaves a number for another, and says so with a flag.
template <bool bug> __global__ void released_at(float* out, int* flag) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    out[1] = 5;  // <- left
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (!bug && atomicAdd(flag, 0) == 0) {}
    out[2] = bug ? 0 : 1;
    if (bug) __nanosleep(100);
    out[3] = out[1];  // <- taken
  }
}

// What each lane reads is its neighbour's: fine between lanes that have met, a race between lanes that have not.
template <bool bug> __global__ void neighbours(float* out) {
  __shared__ float tile[32];
  const int t = static_cast<int>(threadIdx.x);
  tile[t] = static_cast<float>(t);  // <- lane store
  if (!bug) __syncwarp();
  out[t] = tile[(t + 1) % 32];  // <- lane load
}

// What is counted: A loads scattered over rows, B a broadcast, C scattered.
__global__ void patterns(const float* in, float* out) {
  const int t = static_cast<int>(threadIdx.x);
  float sum = in[t * 32];                                   // <- scattered
  sum += in[t];                                             // <- coalesced
  sum += in[7];                                             // <- broadcast
  sum += in[t + 1];                                         // <- off by one
  const float4 x = reinterpret_cast<const float4*>(in)[t];  // <- wide
  out[t] = sum + x.y;                                       // <- stored
}

template <int ld> __global__ void columns(float* out) {
  __shared__ float tile[32][ld];
  const int t = static_cast<int>(threadIdx.x);
  for (int i = 0; i < 32; ++i) tile[i][t] = 1;  // <- rows
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 32; ++i) sum += tile[t][i];  // <- columns
  out[t] = sum;
}

// Lanes that part and do different numbers of rounds.
__global__ void parted(const float* in, float* out) {
  const int t = static_cast<int>(threadIdx.x);
  float sum = 0;
  for (int i = 0; i < t % 4 * 1000; ++i) sum += in[i];  // <- rounds
  out[t] = sum;
}

namespace {

template <class... P, class... A> void go(dim3 grid, dim3 block, void (*kernel)(P...), A... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = block;
  (void)cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <bool bug> void run_one(const std::string& name, const float* in, float* out) {
  if (name == "refill") go(2, 128, refill<bug>, in, out, 3);
  if (name == "stages") go(1, 64, stages<bug>, in, out, 4);
  if (name == "past_the_end") go(kFloats / 128 + 1, 128, past_the_end<bug>, in, out, kFloats);
  if (name == "past_the_tile") go(1, 32, past_the_tile<bug>, out);
  if (name == "vectors") go(1, 32, vectors<bug>, in, out);
  if (name == "registers") go(1, 32, registers < bug ? 5 : 4 >, in, out);
  if (name == "unset_shared") go(1, 64, unset_shared<bug>, out);
  if (name == "early_return") go(1, 64, early_return<bug>, out, 40);
  if (name == "leaves_out") go(1, 128, leaves_out<bug>, out, 100);
  if (name == "sum_up") go(4, 32, sum_up<bug>, out);
  if (name == "handed_on") go(2, 32, released_at<bug>, out, reinterpret_cast<int*>(out + 64));
  if (name == "neighbours") go(1, 32, neighbours<bug>, out);
  if (name == "patterns") go(1, 32, patterns, in, out);
  if (name == "columns") go(1, 32, columns < bug ? 32 : 33 >, out);
  if (name == "parted") go(1, 32, parted, in, out);
}

}  // namespace

void run(const std::string& name, bool bug, const float* in, float* out) {
  bug ? run_one<true>(name, in, out) : run_one<false>(name, in, out);
}

}  // namespace cairn::planted
