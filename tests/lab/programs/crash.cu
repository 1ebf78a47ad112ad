// Kernels that leave their memory so far that the operating system ends a program for it. The fault's name is the argument.
#include <cstdio>
#include <cstring>

__global__ void none(int* p) {
  if (threadIdx.x == 5) *p = 1;
}
__global__ void far(int* p) { p[(threadIdx.x + 1) * (1ll << 36)] = 1; }

__device__ int deeper(volatile int* p, int depth) {
  volatile int mine[64];
  mine[depth % 64] = depth;
  return depth == 0 ? *p : deeper(p, depth - 1) + mine[depth % 64];
}
__global__ void deep(int* p, int depth) { *p = deeper(p, depth); }

__global__ void divided(int* p) { *p = 8 / *p; }

int main(int count, char** arguments) {
  const char* fault = count > 1 ? arguments[1] : "";
  int* p = nullptr;
  cudaMalloc(&p, 4);
  cudaMemset(p, 0, 4);
  if (std::strcmp(fault, "none") == 0) none<<<2, 32>>>(nullptr);
  if (std::strcmp(fault, "called") == 0) {
    int* nothing = nullptr;
    void* parameters[] = {&nothing};
    cudaLaunchKernel(reinterpret_cast<void*>(&none), dim3(2), dim3(32), parameters, 0, nullptr);
  }
  if (std::strcmp(fault, "far") == 0) far<<<1, 8>>>(p);
  if (std::strcmp(fault, "deep") == 0) deep<<<1, 1>>>(p, 1 << 20);
  if (std::strcmp(fault, "divided") == 0) divided<<<1, 1>>>(p);
  std::printf("ended by %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  if (std::strcmp(fault, "host") == 0) *static_cast<volatile int*>(nullptr) = 1;
  cudaGetLastError();
  deep<<<1, 1>>>(p, 4);
  int sum = -1;
  cudaMemcpy(&sum, p, 4, cudaMemcpyDeviceToHost);
  std::printf("then %s, %d\n", cudaGetErrorName(cudaDeviceSynchronize()), sum);
  if (std::strcmp(fault, "last") == 0) deep<<<1, 1>>>(p, 1 << 20);  // and nobody asks
}
