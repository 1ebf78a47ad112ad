// Launches in all the ways that programs write them. Exits with 0 if every kernel ran as often as it was launched.
#include <cstdio>
#include <cstring>
#include <vector>

#include "launches.cuh"

namespace mine {
template <class T, int n> __global__ void __launch_bounds__(n) add(T* sum, T by = T(1)) {
  __shared__ T all[n];
  extern __shared__ unsigned char dynamic[];
  all[threadIdx.x] = by;
  dynamic[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0 && dynamic[n - 1] == 1) {
    for (int i = 0; i < n; ++i) *sum += all[i];
  }
}
template <class T> struct Table {
  template <int n> static void launch(T* sum, T by) { add<T, n><<<dim3(1), dim3(n), n>>>(sum, by); }
};
}  // namespace mine

template <class T> __global__ void deduced(T* sum, T by) { *sum += by; }
__global__ void deduced(double* sum, double by);
__global__ void deduced(double* sum, double by) { *sum += 2 * by; }
static __global__ void one(float* sum) { *sum += 1; }
__global__ void by_address(float* sum, float by) { *sum += by; }
__constant__ float factor = 1;
__global__ void scaled(float* sum) { *sum += factor; }

#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)

int evaluated = 0;
float argument() {
  ++evaluated;
  return 4;
}

int main(int argc, char** argv) {
  float *sum, host = 0;
  cudaMalloc(&sum, sizeof host);
  cudaMemcpy(sum, &host, sizeof host, cudaMemcpyHostToDevice);

  mine::add<float, 32><<<1, 32, 32>>>(sum, 2);  // 64
  mine::Table<float>::launch<64>(sum, 1.0f);    // 64
  deduced<<<1, 1>>>(sum, argument());           // 4
  void (*kernel)(float*) = one;
  kernel<<<1, 1>>>(sum);  // 1
  (*kernel)<<<1,
              1>>>(sum);  // 1
  LAUNCH(one, sum);       // 1
  const std::vector<void (*)(float*)> all = {one, scaled};
  for (std::size_t i = 0; i < all.size(); ++i) all[i]<<<1, 1>>>(sum);  // 2
  const float two = 2;
  cudaMemcpyToSymbol(factor, &two, sizeof two);
  scaled<<<1, 1>>>(sum);          // 2
  add_from_another_file(sum, 5);  // 5
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  one<<<1, 1, 0, stream>>>(sum);  // 1

  float by = 7;
  void* arguments[] = {&sum, &by};
  cudaLaunchKernel((const void*)by_address, 1, 1, arguments, 0, 0);  // 7

  double* other;
  cudaMalloc(&other, sizeof(double));
  cudaMemset(other, 0, sizeof(double));
  deduced<<<1, 1>>>(other, 3.0);  // the overload: 6
  double seen = 0;
  cudaMemcpy(&seen, other, sizeof seen, cudaMemcpyDeviceToHost);
  cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%g %g, argument() called %d time(s), %d argument(s)\n", host, seen, evaluated, argc - 1);
  if (argc > 1 && std::strcmp(argv[1], "7") == 0) return 7;
  return host == 152 && seen == 6 && evaluated == 1 ? 0 : 1;
}
