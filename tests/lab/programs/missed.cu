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

// Nobody sets what these read.
__global__ void unset_sum(float* x, int n) {
  float sum;
  for (int i = 0; i < n; ++i) sum += x[i];
  x[63] = sum;
}
__global__ void unset_array(float* x, int n) {
  float all[8];
  for (int i = 0; i < n; ++i) all[i] = 1;
  x[63] = all[threadIdx.x + 7];
}

// Local arrays: by index, and through a pointer that a function of its own, or one inlined, takes past the end.
__device__ __noinline__ void fill(float* to, int n) {
  for (int i = 0; i < n; ++i) to[i] = i;  // <- written
}
__device__ __noinline__ float total(const float* from, int n) {
  float sum = 0;
  for (const float* end = from + n; from != end; ++from) sum += *from;  // <- read
  return sum;
}
__device__ __forceinline__ void fill_inlined(float* to, int n) {
  for (int i = 0; i < n; ++i) to[i] = i;  // <- inlined
}
__global__ void indexed(float* x, int n) {
  float own[32];
  for (int i = 0; i < n; ++i) own[i] = n - i;  // <- indexed
  x[threadIdx.x] = own[31 - threadIdx.x];
}
__global__ void indexed_shared(float* x, int n) {
  __shared__ float row[2][32];
  for (int i = 0; i < n; ++i) row[0][i] = n - i;  // <- indexed shared
  x[threadIdx.x] = row[0][31 - threadIdx.x];
}
__global__ void by_pointer(float* x, int written, int read) {
  float own[32];
  fill(own, written);
  x[threadIdx.x] = total(own, read);
}
__global__ void inlined(float* x, int n) {
  float own[32];
  fill_inlined(own, n);
  x[threadIdx.x] = own[threadIdx.x % 32];
}
__global__ void cleared(float* x, int bytes) {
  float own[32];
  memset(own, 0, bytes);
  x[threadIdx.x] = own[threadIdx.x % 32];
}  // <- cleared

// In bounds, up to pointers one past the end; the stack of a function that has returned is used again.
struct Point {
  float at[3];
};
__device__ __noinline__ float deeper(int depth) {
  float own[5];
  fill(own, 5);
  return depth == 0 ? total(own, 5) : total(own, 5) + deeper(depth - 1);
}
template <int n> __device__ __noinline__ float of(Point by) {
  float own[n][3];
  for (float(*row)[3] = own; row != &own[n]; ++row) {
    for (float* at = *row; at != &(*row)[3]; ++at) *at = by.at[at - *row];
  }
  return total(own[0], 3 * n);
}
__global__ void arrays(float* x) {
  extern __shared__ float dynamic[];
  dynamic[threadIdx.x + 32] = 1;
  __syncthreads();
  const Point by = {{1, 2, 3}};
  float sum = deeper(3) + of<1>(by) + of<7>(by) + deeper(1) + of<2>(by) + of<9>(by) + of<4>(by);
  if (threadIdx.x == 0) x[62] = sum * dynamic[63];
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
  if (is("unset sum")) unset_sum<<<1, 1>>>(x, 4);
  if (is("unset array")) unset_array<<<1, 1>>>(x, 4);
  if (is("indexed")) indexed<<<1, 32>>>(x, 40);
  if (is("indexed shared")) indexed_shared<<<1, 1>>>(x, 40);
  if (is("written")) by_pointer<<<1, 32>>>(x, 40, 32);
  if (is("read")) by_pointer<<<1, 32>>>(x, 32, 40);
  if (is("inlined")) inlined<<<1, 32>>>(x, 40);
  if (is("cleared")) cleared<<<1, 32>>>(x, 160);
  if (is("")) {
    lanes<<<1, 48>>>(x, 16);
    arrays<<<1, 32, 64 * sizeof(float)>>>(x);
    indexed<<<1, 32>>>(x, 32);
    inlined<<<1, 32>>>(x, 32);
    cleared<<<1, 32>>>(x, 128);
    by_pointer<<<1, 32>>>(x, 32, 32);
  }
  cudaMemcpy(ones, x, sizeof ones, cudaMemcpyDeviceToHost);
  std::printf("done: %s, %g %g\n", cudaGetErrorName(cudaGetLastError()), ones[62], ones[63]);
  return 0;
}
