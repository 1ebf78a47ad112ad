// What detectors must not take for faults: shared arrays outside of kernels, and blocks that synchronize by variables of
// the device. With an argument the same arrays and variables have a fault each.
#include <cstdio>
#include <cstring>

__shared__ float at_file_scope[64];
__device__ unsigned ticket = 0;
__device__ volatile int ready = 0;

__device__ float block_sum(float mine) {
  __shared__ float all[64];
  all[threadIdx.x] = mine;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 64; ++i) sum += all[i];
  return sum;
}

__device__ float unset() {
  __shared__ float nobody_writes[64];
  if (threadIdx.x > 64) nobody_writes[0] = 1;
  return nobody_writes[threadIdx.x];  // <- unset
}

// The last block adds up what all have written: a ticket after a fence.
__global__ void total(const float* in, float* part, float* out, bool fenced) {
  __shared__ bool last;
  at_file_scope[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  const float sum = block_sum(at_file_scope[63 - threadIdx.x]);
  if (threadIdx.x == 0) {
    part[blockIdx.x] = sum;
    __threadfence();
    last = fenced ? atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1 : blockIdx.x == 0;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    *out = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) *out += part[i];  // <- ticket
  }
}

// Block 1 waits for block 0.
__global__ void hand_over(float* out) {
  if (blockIdx.x == 0) {
    *out = 2;
    __threadfence();
    ready = 1;
  } else {
    while (ready == 0) {}
    __threadfence();
    *out += 1;
  }
}

__global__ void beyond(float* out) {
  float* row = at_file_scope;
  row[threadIdx.x + 1] = 1;  // <- file scope
  __syncthreads();
  out[threadIdx.x] = at_file_scope[threadIdx.x];
}
__global__ void next_to_it(float* out) {
  __shared__ float own[32];
  own[threadIdx.x] = 1;
  __syncthreads();
  const float* row = own;
  out[threadIdx.x] = row[threadIdx.x + 1];  // <- own
}
__global__ void read_unset(float* out) { out[threadIdx.x] = unset(); }

int main(int argc, char** argv) {
  const char* fault = argc > 1 ? argv[1] : "";
  float ones[512], *in, *part, *out, result = 0;
  for (float& one : ones) one = 1;
  cudaMalloc(&in, sizeof ones);
  cudaMalloc(&part, 8 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemcpy(in, ones, sizeof ones, cudaMemcpyHostToDevice);
  total<<<8, 64>>>(in, part, out, std::strcmp(fault, "ticket") != 0);
  cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
  hand_over<<<2, 1>>>(out);
  float handed = 0;
  cudaMemcpy(&handed, out, sizeof handed, cudaMemcpyDeviceToHost);
  if (std::strcmp(fault, "file scope") == 0) beyond<<<1, 64>>>(out);
  if (std::strcmp(fault, "own") == 0) next_to_it<<<1, 32>>>(out);
  if (std::strcmp(fault, "unset") == 0) read_unset<<<1, 64>>>(out);
  std::printf("%g %g\n", result, handed);
  return 0;
}
