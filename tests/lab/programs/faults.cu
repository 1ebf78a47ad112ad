// One fault for each argument, and none without: what `cairn run --check` is to find.
#include <cstdio>
#include <cstring>

__global__ void race(int* sum) { *sum += 1; }                      // <- race
__global__ void beyond(int* x, int n) { x[n + threadIdx.x] = 1; }  // <- beyond
__global__ void ptx(int* x) {
  asm volatile("vadd.u32.u32.u32 %0, %0, 1;" : "+r"(x[0]));  // <- ptx
}
__global__ void barrier() {
  if (threadIdx.x < 16) __syncthreads();  // <- barrier
}
__global__ void fine(int* x) { x[threadIdx.x] = 1; }

int main(int argc, char** argv) {
  const char* fault = argc > 1 ? argv[1] : "";
  int* x;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMemset(x, 0, 64 * sizeof(int));
  if (std::strcmp(fault, "race") == 0) race<<<1, 64>>>(x);
  if (std::strcmp(fault, "beyond") == 0) beyond<<<1, 64>>>(x, 1);
  if (std::strcmp(fault, "ptx") == 0) ptx<<<1, 32>>>(x);
  if (std::strcmp(fault, "barrier") == 0) barrier<<<1, 32>>>();
  fine<<<1, 64>>>(x);
  std::printf("done: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
