// Faults within a thread and between the lanes of a warp: one for each argument, and none without.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>

namespace cg = cooperative_groups;

__global__ void returned(float* x) {
  if (threadIdx.x >= 16) return;
  x[threadIdx.x] += __shfl_down_sync(~0u, x[threadIdx.x], 8);  // <- returned
}
// A block of 48 threads: its second warp has 16 lanes.
__global__ void partial(float* x) {
  float sum = x[threadIdx.x];
  for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(~0u, sum, by);  // <- partial
  if (threadIdx.x % 32 == 0) x[threadIdx.x] = sum;
}
__global__ void broadcast(int* x) {
  if (threadIdx.x == 0) return;
  x[threadIdx.x] = __shfl_sync(~0u, x[threadIdx.x], 0);  // <- broadcast
}
__global__ void tile(float* x) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  if (threadIdx.x % 2 == 1) return;
  x[threadIdx.x] = warp.shfl_xor(x[threadIdx.x], 1);  // <- tile
}

// Lanes that are gone are excused from synchronizing and from votes, and a mask or a width may leave them out.
__global__ void lanes(float* x, int n) {
  const unsigned mask = __ballot_sync(~0u, threadIdx.x < n);
  const float first = __shfl_sync(~0u, x[threadIdx.x], 0, 16);
  if (threadIdx.x >= n) return;
  __syncwarp();
  if (__any_sync(~0u, x[threadIdx.x] != 1)) x[0] = -1;
  float sum = first - 1 + x[threadIdx.x];
  for (int by = 8; by > 0; by /= 2)
    sum += __shfl_down_sync(mask, sum, by);  // lane 0 has the sum, others what is undefined
  sum = __shfl_sync(mask, sum, 0);
  sum = __shfl_xor_sync(~0u, sum, 8) + __shfl_up_sync(~0u, sum, 1) - sum;
  const auto half = cg::tiled_partition<16>(cg::this_thread_block());
  if (half.ballot(threadIdx.x < n) == 0) x[0] = -1;
  sum = half.shfl(sum, 0);
  if (threadIdx.x == 0) x[63] = sum;
}

int main(int argc, char** argv) {
  const char* fault = argc > 1 ? argv[1] : "";
  const auto is = [&](const char* name) { return std::strcmp(fault, name) == 0; };
  float ones[64], *x;
  for (float& one : ones) one = 1;
  cudaMalloc(&x, sizeof ones);
  cudaMemcpy(x, ones, sizeof ones, cudaMemcpyHostToDevice);
  if (is("returned")) returned<<<1, 32>>>(x);
  if (is("partial")) partial<<<1, 48>>>(x);
  if (is("broadcast")) broadcast<<<1, 32>>>(reinterpret_cast<int*>(x));
  if (is("tile")) tile<<<1, 32>>>(x);
  if (is("")) lanes<<<1, 48>>>(x, 16);
  cudaMemcpy(ones, x, sizeof ones, cudaMemcpyDeviceToHost);
  std::printf("done: %s, %g\n", cudaGetErrorName(cudaGetLastError()), ones[63]);
  return 0;
}
