// A program as people write them around a kernel: the kernel's product, in row order, against that of cuBLAS, which is in
// column order. Exits with 1 where they differ.
#include <cstdio>
#include <nvToolsExt.h>
#include <vector>

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include "device/launch.hpp"

namespace {

int failures = 0;

void expect(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "failed: %s\n", what);
  ++failures;
}

__global__ void naive(int m, int n, int k, float alpha, const float* A, const float* B, float beta, float* C) {
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int col = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int kk = 0; kk < k; ++kk) sum += A[row * k + kk] * B[kk * n + col];
  C[row * n + col] = alpha * sum + beta * C[row * n + col];
}

// Small whole numbers: both products are exact, in whatever order they are summed.
std::vector<float> numbers(int count, int step) {
  std::vector<float> x(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i * step % 17 - 8);
  return x;
}

float* on_device(const std::vector<float>& x) {
  float* device = nullptr;
  expect(cudaMalloc(reinterpret_cast<void**>(&device), x.size() * sizeof(float)) == cudaSuccess, "cudaMalloc");
  expect(cublasSetVector(static_cast<int>(x.size()), sizeof(float), x.data(), 1, device, 1) == CUBLAS_STATUS_SUCCESS,
         "cublasSetVector");
  return device;
}

}  // namespace

int main() {
  constexpr int m = 37, n = 29, k = 53;
  const std::vector<float> c = numbers(m * n, 5);
  float* A = on_device(numbers(m * k, 3));
  float* B = on_device(numbers(k * n, 7));
  float* C = on_device(c);
  float* reference = on_device(c);
  const float alpha = 2, beta = -1;

  nvtxRangePushA("kernel");
  const cairn::Status launched =
      cairn::launch({(n + 15) / 16, (m + 15) / 16}, {16, 16}, 0, nullptr, naive, m, n, k, alpha, A, B, beta, C);
  expect(launched.ok() && cudaDeviceSynchronize() == cudaSuccess, "the kernel");
  nvtxRangePop();

  cublasHandle_t handle = nullptr;
  expect(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS, "cublasCreate");
  cudaStream_t stream = nullptr;
  expect(cudaStreamCreate(&stream) == cudaSuccess, "cudaStreamCreate");
  expect(cublasSetStream(handle, stream) == CUBLAS_STATUS_SUCCESS, "cublasSetStream");
  expect(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &alpha, B, n, A, k, &beta, reference, n) ==
             CUBLAS_STATUS_SUCCESS,
         "cublasSgemm");

  std::vector<float> got(c.size()), want(c.size());
  const std::size_t bytes = c.size() * sizeof(float);
  expect(cudaMemcpy(got.data(), C, bytes, cudaMemcpyDeviceToHost) == cudaSuccess, "copy of the result");
  expect(cudaMemcpy(want.data(), reference, bytes, cudaMemcpyDeviceToHost) == cudaSuccess, "copy of the reference");
  expect(want != c, "cublasSgemm wrote nothing");
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (got[i] == want[i]) continue;  // which a NaN is not
    std::fprintf(stderr, "element %zu is %g and not %g\n", i, static_cast<double>(got[i]),
                 static_cast<double>(want[i]));
    return 1;
  }
  expect(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS, "cublasDestroy");
  expect(cudaStreamDestroy(stream) == cudaSuccess, "cudaStreamDestroy");
  for (float* matrix : {A, B, C, reference}) expect(cudaFree(matrix) == cudaSuccess, "cudaFree");
  return failures == 0 ? 0 : 1;
}
