// wgmma and stmatrix with one bug each, and twins without it. Lines that a report must name end in "// <- word".
#include <cuda_runtime.h>

#include "device/barrier.hpp"
#include "device/stmatrix.hpp"
#include "device/tma.hpp"
#include "device/wgmma.hpp"
#include "tests/emu/traced/kernels.hpp"

namespace cairn::planted {

namespace {

constexpr int kRows = 64, kCols = 8, kElements = (kRows + kCols) * 16;  // of A and of B, 32 bytes of k each

// A product of all ones, its operands in `memory`.
__device__ void multiply(float (&sums)[4], const __half* memory) {
  const MatrixDescriptor a = matrix_descriptor(memory, Swizzle::b32, 256),
                         b = matrix_descriptor(memory + kRows * 16, Swizzle::b32, 256);
  wgmma_fence();
  wgmma<__half, kCols>(sums, a, b, false);  // <- wgmma issued
  wgmma_commit();
}

}  // namespace

// Stored again before the product is waited for: ordered behind its issue, not behind its end.
template <bool bug> __global__ void operand_overwritten(float* out) {
  alignas(1024) __shared__ __half memory[kElements];
  const int t = static_cast<int>(threadIdx.x);
  for (int i = t; i < kElements; i += 128) memory[i] = __half(1);
  fence_proxy_async();
  __syncthreads();
  float sums[4];
  multiply(sums, memory);
  if (!bug) wgmma_wait<0>();
  __syncthreads();
  memory[t] = __half(2);  // <- operand overwritten
  if (bug) wgmma_wait<0>();
  out[t] = sums[0];
}

template <bool bug> __global__ void operand_no_fence(float* out) {
  alignas(1024) __shared__ __half memory[kElements];
  const int t = static_cast<int>(threadIdx.x);
  for (int i = t; i < kElements; i += 128) memory[i] = __half(1);  // <- operand not fenced
  if (!bug) fence_proxy_async();
  __syncthreads();
  float sums[4];
  multiply(sums, memory);
  wgmma_wait<0>();
  out[t] = sums[0];
}

template <bool bug> __global__ void operand_no_barrier(float* out) {
  alignas(1024) __shared__ __half memory[kElements];
  const int t = static_cast<int>(threadIdx.x);
  for (int i = t; i < kElements; i += 128) memory[i] = __half(1);  // <- operand not ordered
  fence_proxy_async();
  if (!bug) __syncthreads();
  float sums[4];
  multiply(sums, memory);
  wgmma_wait<0>();
  out[t] = sums[0];
}

template <bool bug> __global__ void operand_unset(float* out) {
  alignas(1024) __shared__ __half memory[kElements];
  const int t = static_cast<int>(threadIdx.x);
  for (int i = t; i < kElements; i += 128) {
    if (!bug || i < kElements - 8) memory[i] = __half(1);
  }
  fence_proxy_async();
  __syncthreads();
  float sums[4];
  multiply(sums, memory);
  wgmma_wait<0>();
  out[t] = sums[0];
}

// Another warpgroup refills the operands once the first has waited, which one of its warps tells it.
template <bool bug> __global__ void operand_refilled(float* out) {
  alignas(1024) __shared__ __half memory[kElements];
  const int t = static_cast<int>(threadIdx.x);
  for (int i = t; i < kElements; i += 256) memory[i] = __half(1);
  fence_proxy_async();
  __syncthreads();
  if (t < 128) {
    float sums[4];
    multiply(sums, memory);
    wgmma_wait<0>();
    if (!bug && t < 32) bar_arrive(1, 160);
    out[t] = sums[0];
  } else {
    if (!bug) bar_sync(1, 160);
    memory[t] = __half(2);  // <- operand refilled
  }
}

// A ring of stages that TMA fills: one thread of the warpgroup arrives at "empty" of a stage, once all but the
// newest product are done: the stage of the one before. Or it tells it too early, of the newest.
constexpr int kRounds = 6, kStage = (kRows + kCols) * 8;  // floats
template <bool bug> __global__ void stage_freed(const __grid_constant__ TensorMap map, float* out) {
  alignas(1024) __shared__ float stage[2][kStage];
  __shared__ Mbarrier full[2], empty[2];
  const int t = static_cast<int>(threadIdx.x);
  if (t == 0) {
    for (int i = 0; i < 2; ++i) mbarrier_init(&full[i], 1), mbarrier_init(&empty[i], 1);
    fence_mbarrier_init();
  }
  __syncthreads();
  if (t >= 128) {
    for (int round = 0; t == 128 && round < kRounds; ++round) {
      mbarrier_wait(&empty[round % 2], (static_cast<unsigned>(round / 2) & 1) ^ 1);
      const int at[] = {0, round * (kRows + kCols)};
      mbarrier_arrive_expect_tx(&full[round % 2], sizeof stage[0]);
      tma_load(stage[round % 2], map, at, &full[round % 2]);  // <- stage filled again
    }
    return;
  }
  float sums[4];
  for (int round = 0; round < kRounds; ++round) {
    mbarrier_wait(&full[round % 2], static_cast<unsigned>(round / 2) & 1);
    const MatrixDescriptor a = matrix_descriptor(stage[round % 2], Swizzle::b32, 256);
    wgmma_fence();
    wgmma<Tf32, kCols>(sums, a, a.at(kRows * 32), round > 0);  // <- stage multiplied
    wgmma_commit();
    wgmma_wait<1>();
    const int freed = bug ? round : round - 1;
    if (t == 40 && freed >= 0) mbarrier_arrive(&empty[freed % 2]);
  }
  wgmma_wait<0>();
  out[t] = sums[0];
}

// Rows stored by some lanes and read by others: stmatrix waits for the lanes, and orders nothing.
template <bool bug> __global__ void rows_no_syncwarp(float* out) {
  alignas(16) __shared__ float rows[32][4];
  const int t = static_cast<int>(threadIdx.x);
  const std::uint32_t words[4] = {};
  store_matrices(rows[t], words);  // <- rows stored
  if (!bug) __syncwarp();
  out[t] = rows[(t + 1) % 32][0];  // <- rows read
}

// A row that one warp stores again while the other may still read it.
template <bool bug> __global__ void rows_not_met(float* out) {
  alignas(16) __shared__ float rows[32][4];
  const int t = static_cast<int>(threadIdx.x);
  const std::uint32_t words[4] = {};
  if (t < 32) store_matrices(rows[t], words);
  __syncthreads();
  out[t] = rows[t % 32][1];  // <- rows still read
  if (!bug) __syncthreads();
  if (t >= 32) store_transposed(rows[t - 32], words);  // <- rows stored again
}

template <bool bug> __global__ void rows_past_the_end(float* out) {
  alignas(16) __shared__ float rows[16][4];
  const int t = static_cast<int>(threadIdx.x);
  const std::uint32_t words[2] = {};
  store_matrices(rows[0] + 4 * (t + (bug && t == 15 ? 1 : 0)), words);  // <- row past the end
  __syncwarp();
  out[t] = rows[t % 16][0];
}

// What is counted.
__global__ void group_counts(float* out) {
  alignas(1024) __shared__ __half memory[kElements];
  alignas(128) __shared__ __half apart[32][64], padded[32][72];
  const int t = static_cast<int>(threadIdx.x);
  for (int i = t; i < kElements; i += 128) memory[i] = __half(1);
  fence_proxy_async();
  __syncthreads();
  float sums[4];
  for (int i = 0; i < 3; ++i) {
    multiply(sums, memory);
    wgmma_wait<0>();
  }
  const std::uint32_t four[4] = {}, two[2] = {};
  if (t < 32) {
    store_matrices(&apart[t][0], four);    // <- stored apart
    store_matrices(&padded[t][0], four);   // <- stored padded
    store_transposed(&padded[t][8], two);  // <- two stored
  }
  out[t] = sums[0];
}

namespace {

template <class... P, class... A> void go(dim3 grid, dim3 block, void (*kernel)(P...), A... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid, config.blockDim = block;
  (void)cudaLaunchKernelEx(&config, kernel, arguments...);
}

template <bool bug> void run_one(const std::string& name, const float* in, float* out) {
  TensorMap map;
  const TensorBox box{.base = in,
                      .type = Type::f32,
                      .sizes = {8, kRounds * (kRows + kCols)},
                      .strides = {0, 32},
                      .box = {8, kRows + kCols},
                      .swizzle = Swizzle::b32};
  (void)make_tensor_map(map, box);
  if (name == "stage_freed") go(1, 160, stage_freed<bug>, map, out);
  if (name == "operand_overwritten") go(1, 128, operand_overwritten<bug>, out);
  if (name == "operand_no_fence") go(1, 128, operand_no_fence<bug>, out);
  if (name == "operand_no_barrier") go(1, 128, operand_no_barrier<bug>, out);
  if (name == "operand_unset") go(1, 128, operand_unset<bug>, out);
  if (name == "operand_refilled") go(1, 256, operand_refilled<bug>, out);
  if (name == "rows_no_syncwarp") go(1, 32, rows_no_syncwarp<bug>, out);
  if (name == "rows_not_met") go(1, 64, rows_not_met<bug>, out);
  if (name == "rows_past_the_end") go(1, 32, rows_past_the_end<bug>, out);
  if (name == "group_counts") go(1, 128, group_counts, out);
}

}  // namespace

void run_wgmma(const std::string& name, bool bug, const float* in, float* out) {
  bug ? run_one<true>(name, in, out) : run_one<false>(name, in, out);
}

}  // namespace cairn::planted
