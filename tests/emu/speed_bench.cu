// Prints what the emulator costs: multiply-adds a second of a register-tiled kernel on one OS thread, nanoseconds for
// a switch of fibers, and for what a warp or a warpgroup does as one. Not a test: nothing is asserted.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "device/launch.hpp"
#include "device/ldmatrix.hpp"
#include "device/mma.hpp"
#include "device/wgmma.hpp"
#include "emu/emulator.hpp"
#include "emu/machine/fiber.hpp"
#include "emu/machine/settings.hpp"

namespace {

constexpr int kBlock = 128, kDepth = 8, kThread = 8, kThreads = 256;

// C = A * B, all n x n: a block computes 128 x 128, a thread 8 x 8 of it in registers.
__global__ void __launch_bounds__(kThreads) register_tile(const float* A, const float* B, float* C, int n) {
  __shared__ float sA[kDepth][kBlock];  // (k, m)
  __shared__ float sB[kDepth][kBlock];  // (k, n)
  const int thread = static_cast<int>(threadIdx.x);
  const int row0 = static_cast<int>(blockIdx.y) * kBlock, col0 = static_cast<int>(blockIdx.x) * kBlock;
  const int row = thread / 16 * kThread, col = thread % 16 * kThread;
  float acc[kThread][kThread] = {};

  for (int k0 = 0; k0 < n; k0 += kDepth) {
    const int a_row = thread / 2, a_k = thread % 2 * 4, b_k = thread / 32, b_col = thread % 32 * 4;
    const float4 a = *reinterpret_cast<const float4*>(&A[(row0 + a_row) * n + k0 + a_k]);
    sA[a_k + 0][a_row] = a.x;
    sA[a_k + 1][a_row] = a.y;
    sA[a_k + 2][a_row] = a.z;
    sA[a_k + 3][a_row] = a.w;
    *reinterpret_cast<float4*>(&sB[b_k][b_col]) = *reinterpret_cast<const float4*>(&B[(k0 + b_k) * n + col0 + b_col]);
    __syncthreads();

#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      float rA[kThread], rB[kThread];
#pragma unroll
      for (int i = 0; i < kThread; ++i) rA[i] = sA[k][row + i];
#pragma unroll
      for (int j = 0; j < kThread; ++j) rB[j] = sB[k][col + j];
#pragma unroll
      for (int i = 0; i < kThread; ++i)
#pragma unroll
        for (int j = 0; j < kThread; ++j) acc[i][j] += rA[i] * rB[j];
    }
    __syncthreads();
  }

  for (int i = 0; i < kThread; ++i)
    for (int j = 0; j < kThread; ++j) C[(row0 + row + i) * n + col0 + col + j] = acc[i][j];
}

__global__ void only_barriers(int count) {
  for (int i = 0; i < count; ++i) __syncthreads();
}

template <class In> __global__ void only_products(int count, float* out) {
  const std::uint32_t a[4] = {}, b[2] = {};
  float sums[4] = {};
  for (int i = 0; i < count; ++i) cairn::mma<In>(sums, a, b);
  out[threadIdx.x] = sums[0];
}

__global__ void only_matrices(int count, float* out) {
  alignas(16) __shared__ float rows[32][4];
  for (float& x : rows[threadIdx.x % 32]) x = 0;
  __syncthreads();
  std::uint32_t words[4];
  for (int i = 0; i < count; ++i) cairn::load_matrices(words, rows[threadIdx.x % 32]);
  out[threadIdx.x] = static_cast<float>(words[0]);
}

// Four products to a group, as of a tile of 128 bytes of k, and one group left when the next is issued.
template <class In> __global__ void only_group_products(int count, float* out) {
  constexpr int a_bytes = 64 * 128, b_bytes = 256 * 128;
  alignas(1024) __shared__ unsigned char memory[a_bytes + b_bytes];
  for (int i = static_cast<int>(threadIdx.x); i < a_bytes + b_bytes; i += 128) memory[i] = 0;
  __syncthreads();
  const cairn::MatrixDescriptor a = cairn::matrix_descriptor(memory, cairn::Swizzle::b128, 1024),
                                b = cairn::matrix_descriptor(memory + a_bytes, cairn::Swizzle::b128, 1024);
  float sums[128] = {};
  for (int i = 0; i < count; i += 4) {
    cairn::wgmma_fence();
    for (int step = 0; step < 4; ++step) cairn::wgmma<In, 256>(sums, a.at(32 * step), b.at(32 * step), true);
    cairn::wgmma_commit();
    cairn::wgmma_wait<1>();
  }
  cairn::wgmma_wait<0>();
  out[threadIdx.x] = sums[0];
}

// Seconds of processor time: others may be using the machine. One OS thread runs all blocks, the caller's own.
double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) / kBlock * kBlock : 512;
  cairn::emu::configure({.seed = 1, .threads = 1});

  float *A, *B, *C;
  const std::vector<float> ones(static_cast<std::size_t>(n) * n, 1.0f);
  for (float** p : {&A, &B, &C}) cudaMalloc(p, ones.size() * sizeof(float));
  for (float* p : {A, B}) cudaMemcpy(p, ones.data(), ones.size() * sizeof(float), cudaMemcpyHostToDevice);
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const double start = now();
    const cairn::Status status =
        cairn::launch({n / kBlock, n / kBlock}, kThreads, 0, nullptr, register_tile, A, B, C, n);
    const double took = now() - start;
    if (!status.ok()) return std::fprintf(stderr, "%s\n", status.message().c_str()), 1;
    best = std::min(best, took);
  }
  std::vector<float> result(ones.size());
  cudaMemcpy(result.data(), C, result.size() * sizeof(float), cudaMemcpyDeviceToHost);
  for (const float x : result)
    if (x != static_cast<float>(n)) return std::fprintf(stderr, "wrong result\n"), 1;
  std::printf("register tile 128x128x8 8x8, %d cubed, one OS thread: %.2f GFMA/s\n", n,
              static_cast<double>(n) * n * n / best / 1e9);

  for (const int threads : {32, 256, 1024}) {
    const int count = 1000000 / threads;
    double fastest = 1e9;
    for (int repeat = 0; repeat < 3; ++repeat) {
      const double start = now();
      (void)cairn::launch({1}, static_cast<unsigned>(threads), 0, nullptr, only_barriers, count);
      fastest = std::min(fastest, now() - start);
    }
    std::printf("__syncthreads, %4d threads (%s): %.1f ns a thread\n", threads, cairn::emu::Fiber::kKind,
                fastest * 1e9 / count / threads);
  }

  constexpr int kProducts = 20000, kGroupProducts = 400;
  const auto seconds = [&](bool faithful, void (*kernel)(int, float*), int count) {
    cairn::emu::configure({.seed = 1, .threads = 1, .faithful_tensor = faithful});
    double fastest = 1e9;
    for (int repeat = 0; repeat < 3; ++repeat) {
      const double start = now();
      (void)cairn::launch({1}, 128, 0, nullptr, kernel, count, C);
      fastest = std::min(fastest, now() - start);
    }
    return fastest;
  };
  const auto print_each = [&](const char* what, bool faithful, void (*kernel)(int, float*)) {
    std::printf("%s: %.0f ns a warp\n", what, seconds(faithful, kernel, kProducts / 4) * 1e9 / kProducts);
  };
  const auto print_group = [&](const char* what, bool faithful, void (*kernel)(int, float*)) {
    std::printf("%s: %.1f us a warpgroup\n", what, seconds(faithful, kernel, kGroupProducts) * 1e6 / kGroupProducts);
  };
  print_each("mma of f16, 16x8x16", false, &only_products<__half>);
  print_each("mma of f16, faithful", true, &only_products<__half>);
  print_each("mma of tf32, 16x8x8", false, &only_products<cairn::Tf32>);
  print_each("ldmatrix of four", false, &only_matrices);
  print_group("wgmma of f16, 64x256x16", false, &only_group_products<__half>);
  print_group("wgmma of f16, faithful", true, &only_group_products<__half>);
  print_group("wgmma of tf32, 64x256x8", false, &only_group_products<cairn::Tf32>);
  print_group("wgmma of e4m3, 64x256x32", false, &only_group_products<cairn::E4m3>);
  return 0;
}
