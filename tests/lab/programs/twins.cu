// Pairs of kernels that should write the same, for `cairn run --compare`: right ones, and ones with a mistake that no
// detector can see. The argument says what is launched.
#include <cstdio>
#include <cstring>

#include <cuda_fp16.h>

constexpr int kTile = 8, kSize = 24;  // three tiles: an odd number

__device__ int calls = 0;

__global__ void reference(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

// Two stages. Without its tail the last step of an odd number of them is computed from what the stage had before.
template <bool tail> __global__ void staged(const float* a, const float* b, float* c, int n) {
  __shared__ float as[2][kTile][kTile], bs[2][kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + x;
  const auto load = [&](int step) {
    as[step % 2][y][x] = a[row * n + step * kTile + x];
    bs[step % 2][y][x] = b[(step * kTile + y) * n + col];
  };
  const int steps = n / kTile, loaded = tail ? steps : steps / 2 * 2;
  float sum = 0;
  load(0);
  for (int step = 0; step < steps; ++step) {
    __syncthreads();
    if (step + 1 < loaded) load(step + 1);
    for (int k = 0; k < kTile; ++k) sum += as[step % 2][y][k] * bs[step % 2][k][x];
  }
  c[row * n + col] = sum;
}

// The same sum from the other end.
__global__ void backward(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = n; k-- > 0;) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

// Leaves the last row alone.
__global__ void unfinished(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  if (row < n - 1) c[row * n + col] = sum;
}

namespace mine {
// C += A B, in place; and counts its launches.
template <class T> __global__ void add(const T* a, const T* b, T* c, int n, T times) {
  const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
  T sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] += times * sum;
  if (row == 0 && col == 0) ++calls;
}
}  // namespace mine
__global__ void add_backward(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = n; k-- > 0;) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] += sum;
  if (row == 0 && col == 0) ++calls;
}

__global__ void half_forward(const float* a, const float* b, __half* c, int n) {
  const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = __float2half(sum);
}
__global__ void half_of_halves(const float* a, const float* b, __half* c, int n) {
  const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += __half2float(__float2half(a[row * n + k] * b[k * n + col]));
  c[row * n + col] = __float2half(sum);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  constexpr int n = kSize;
  static float host[n * n];
  float *a, *b, *c, *c_reference;
  __half* narrow;
  const auto upload = [&](float* to, int factor) {
    for (int i = 0; i < n * n; ++i) host[i] = static_cast<float>(i * factor % 101) / 101.0f - 0.5f;
    cudaMemcpy(to, host, sizeof host, cudaMemcpyHostToDevice);
  };
  cudaMalloc(&a, sizeof host), cudaMalloc(&b, sizeof host), cudaMalloc(&c, sizeof host);
  cudaMalloc(&c_reference, sizeof host), cudaMalloc(&narrow, sizeof host / 2);
  upload(a, 37), upload(b, 53), upload(c, 11);
  const dim3 grid(n / kTile, n / kTile), block(kTile, kTile);

  reference<<<grid, block>>>(a, b, c_reference, n);
  if (std::strcmp(what, "tail") == 0) staged<true><<<grid, block>>>(a, b, c, n);
  if (std::strcmp(what, "no tail") == 0) staged<false><<<grid, block>>>(a, b, c, n);
  if (std::strcmp(what, "both") == 0) {
    staged<true><<<grid, block>>>(a, b, c, n);
    staged<false><<<grid, block>>>(a, b, c, n);
  }
  if (std::strcmp(what, "backward") == 0) backward<<<grid, block>>>(a, b, c, n);
  if (std::strcmp(what, "unfinished") == 0) {
    for (int i = 0; i < 3; ++i) reference<<<grid, block>>>(a, b, c, n);
    unfinished<<<grid, block>>>(a, b, c, n);
  }
  if (std::strcmp(what, "rounds") == 0) {
    for (int i = 0; i < 3; ++i) {
      upload(a, 41 + i);
      reference<<<grid, block>>>(a, b, c_reference, n);
      staged<true><<<grid, block>>>(a, b, c, n);
    }
  }
  if (std::strcmp(what, "in place") == 0) {
    mine::add<float><<<grid, block>>>(a, b, c, n, 1);
    upload(a, 41);
    add_backward<<<grid, block>>>(a, b, c, n);
  }
  if (std::strcmp(what, "half") == 0) {
    half_forward<<<grid, block>>>(a, b, narrow, n);
    half_of_halves<<<grid, block>>>(a, b, narrow, n);
  }
  int counted = 0;
  cudaMemcpyFromSymbol(&counted, calls, sizeof counted);
  cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n * n; ++i) sum += (i % 7 + 1) * static_cast<double>(host[i]);
  std::printf("%.9g %d\n", sum, counted);
  return 0;
}
