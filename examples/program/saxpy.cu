// A whole CUDA program: y = a x + y, checked on the host. It knows nothing of Cairn.
//
//   nvcc saxpy.cu -o saxpy && ./saxpy                 on a GPU
//   cairn-nvcc saxpy.cu -o saxpy && ./saxpy           on the emulator
//   cairn run saxpy.cu --check                        with every access looked at
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 100000;
  std::vector<float> x(n), y(n, 1);
  for (int i = 0; i < n; ++i) x[i] = i % 100;

  float *on_x, *on_y;
  cudaMalloc(&on_x, n * sizeof(float));
  cudaMalloc(&on_y, n * sizeof(float));
  cudaMemcpy(on_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(on_y, y.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  saxpy<<<(n + 255) / 256, 256>>>(n, 2, on_x, on_y);
  cudaMemcpy(y.data(), on_y, n * sizeof(float), cudaMemcpyDeviceToHost);

  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += y[i] != 2 * x[i] + 1;
  std::printf("%d elements, %d wrong: %s\n", n, wrong, cudaGetErrorString(cudaGetLastError()));
  return wrong == 0 ? 0 : 1;
}
