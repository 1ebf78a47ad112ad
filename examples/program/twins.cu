// Two kernels that should compute the same: cairn run twins.cu --compare reference,tiled
// With --flag=-DFORGET_TAIL the second forgets to load the last of an odd number of tiles: every access is allowed, and
// C is wrong.
#include <cstdio>
#include <vector>

constexpr int kTile = 16;

__global__ void reference(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

// While one tile of A and B is multiplied, the next is loaded into the other half of shared memory.
__global__ void tiled(const float* A, const float* B, float* C, int n) {
  __shared__ float tile_a[2][kTile][kTile], tile_b[2][kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + x;
  const auto load = [&](int step) {
    tile_a[step % 2][y][x] = A[row * n + step * kTile + x];
    tile_b[step % 2][y][x] = B[(step * kTile + y) * n + col];
  };
  const int steps = n / kTile;
#ifdef FORGET_TAIL
  const int loaded = steps / 2 * 2;
#else
  const int loaded = steps;
#endif
  float sum = 0;
  load(0);
  for (int step = 0; step < steps; ++step) {
    __syncthreads();
    if (step + 1 < loaded) load(step + 1);
    for (int k = 0; k < kTile; ++k) sum += tile_a[step % 2][y][k] * tile_b[step % 2][k][x];
  }
  C[row * n + col] = sum;
}

int main() {
  const int n = 5 * kTile;
  const std::size_t bytes = sizeof(float) * n * n;
  std::vector<float> host(n * n);
  for (int i = 0; i < n * n; ++i) host[i] = static_cast<float>(i % 17) / 17 - 0.5f;
  float *A, *B, *C, *C_ref;
  cudaMalloc(&A, bytes), cudaMalloc(&B, bytes), cudaMalloc(&C, bytes), cudaMalloc(&C_ref, bytes);
  cudaMemcpy(A, host.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(B, host.data(), bytes, cudaMemcpyHostToDevice);
  const dim3 grid(n / kTile, n / kTile), block(kTile, kTile);
  reference<<<grid, block>>>(A, B, C_ref, n);
  tiled<<<grid, block>>>(A, B, C, n);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
