// Hopper's instructions as public kernels have them: tensor maps of the driver API, TMA by inline PTX and by
// cuda::device::experimental, wgmma, and clusters by __cluster_dims__. Prints "hopper: N wrong".
#include <cstdint>
#include <cstdio>

#include <cuda.h>
#include <cuda/barrier>
#include <cudaTypedefs.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

using bf16 = __nv_bfloat16;
namespace cde = cuda::device::experimental;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int M = 64, N = 64, K = 64;

CUtensorMap map_of(const bf16* matrix, int rows, int columns) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
  cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &result);
  const auto encode = reinterpret_cast<PFN_cuTensorMapEncodeTiled>(found);
  CUtensorMap map;
  const std::uint64_t sizes[] = {static_cast<std::uint64_t>(columns), static_cast<std::uint64_t>(rows)};
  const std::uint64_t strides[] = {sizeof(bf16) * static_cast<std::uint64_t>(columns)};
  const std::uint32_t box[] = {64, 64}, steps[] = {1, 1};
  const CUresult made = encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<bf16*>(matrix), sizes, strides,
                               box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (made != CUDA_SUCCESS) std::printf("no tensor map: %d\n", made);
  return map;
}

__device__ std::uint64_t descriptor(const bf16* tile) {
  const auto part = [](std::uint64_t x) { return (x & 0x3ffff) >> 4; };
  return part(__cvta_generic_to_shared(tile)) | part(16) << 16 | part(1024) << 32 | 1ull << 62;
}

__device__ void multiply(float (&d)[4][8], const bf16* a, const bf16* b) {
  asm volatile(
      "{\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"
      " %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31},"
      " %32, %33, %34, %35, %36, %37, %38;\n"
      "}\n"
      : "+f"(d[0][0]), "+f"(d[0][1]), "+f"(d[0][2]), "+f"(d[0][3]), "+f"(d[0][4]), "+f"(d[0][5]), "+f"(d[0][6]),
        "+f"(d[0][7]), "+f"(d[1][0]), "+f"(d[1][1]), "+f"(d[1][2]), "+f"(d[1][3]), "+f"(d[1][4]), "+f"(d[1][5]),
        "+f"(d[1][6]), "+f"(d[1][7]), "+f"(d[2][0]), "+f"(d[2][1]), "+f"(d[2][2]), "+f"(d[2][3]), "+f"(d[2][4]),
        "+f"(d[2][5]), "+f"(d[2][6]), "+f"(d[2][7]), "+f"(d[3][0]), "+f"(d[3][1]), "+f"(d[3][2]), "+f"(d[3][3]),
        "+f"(d[3][4]), "+f"(d[3][5]), "+f"(d[3][6]), "+f"(d[3][7])
      : "l"(descriptor(a)), "l"(descriptor(b)), "n"(1), "n"(1), "n"(1), "n"(0), "n"(0));
}

__device__ void product_of(const bf16* a, const bf16* b, float* c) {
  float d[4][8] = {};
  asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
  for (int k = 0; k < K; k += 16) multiply(d, a + k, b + k);
  asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;\n" ::: "memory");
  const int row = static_cast<int>(threadIdx.x) / 32 * 16 + static_cast<int>(threadIdx.x) % 32 / 4;
  for (int w = 0; w < 4; ++w) {
    for (int i = 0; i < 8; ++i) {
      const int column = 16 * w + 2 * static_cast<int>(threadIdx.x % 4) + i / 4 * 8 + i % 2;
      c[(row + i / 2 % 2 * 8) * N + column] = d[w][i];
    }
  }
}

// C = A B^T by TMA through inline PTX.
__global__ void by_ptx(float* c, const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b) {
  __shared__ alignas(128) bf16 tiles[2][64 * 64];
  __shared__ alignas(8) std::uint64_t full;
  const auto barrier = static_cast<std::uint32_t>(__cvta_generic_to_shared(&full));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(barrier), "n"(1));
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(barrier), "r"(2 * 64 * 64 * 2));
    for (int i = 0; i < 2; ++i) {
      asm volatile(
          "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
          " [%0], [%1, {%3, %4}], [%2];" ::"r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(tiles[i]))),
          "l"(i == 0 ? &a : &b), "r"(barrier), "n"(0), "r"(0)
          : "memory");
    }
  }
  asm volatile(
      "{\n"
      ".reg .pred P1;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
      "@P1 bra DONE;\n"
      "bra LAB_WAIT;\n"
      "DONE:\n"
      "}\n" ::"r"(barrier),
      "r"(0));
  product_of(tiles[0], tiles[1], c);
}

// The same by functions.
__global__ void by_functions(float* c, const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b) {
  __shared__ alignas(128) bf16 tiles[2][64 * 64];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier full;
  if (threadIdx.x == 0) {
    init(&full, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(tiles[0], &a, 0, 0, full);
    cde::cp_async_bulk_tensor_2d_global_to_shared(tiles[1], &b, 0, 0, full);
    token = cuda::device::barrier_arrive_tx(full, 1, sizeof tiles);
  } else {
    token = full.arrive();
  }
  full.wait(std::move(token));
  product_of(tiles[0], tiles[1], c);
}

// Each block of a cluster arrives at an mbarrier of the next one, as often as its rank says and once more, and waits at
// its own.
template <int size> __global__ void __cluster_dims__(size, 1, 1) around(unsigned* out) {
  __shared__ alignas(8) std::uint64_t mine;
  const auto barrier = static_cast<std::uint32_t>(__cvta_generic_to_shared(&mine));
  unsigned rank, cluster;
  asm volatile("mov.u32 %0, %cluster_ctarank;\n" : "=r"(rank));
  asm volatile("mov.u32 %0, %clusterid.x;\n" : "=r"(cluster));
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(barrier), "r"(1 + (rank + size - 1) % size));
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;\n");
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote], %2;\n"
      "}\n" ::"r"(barrier),
      "r"((rank + 1) % size), "r"(1 + rank));
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\n"
        "  selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(barrier));
  }
  out[blockIdx.x] = cluster * 10 + rank;
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;\n");
}

int main() {
  bf16 *a, *b;
  float* c;
  unsigned* out;
  cudaMallocManaged(&a, M * K * sizeof(bf16));
  cudaMallocManaged(&b, N * K * sizeof(bf16));
  cudaMallocManaged(&c, M * N * sizeof(float));
  cudaMallocManaged(&out, 8 * sizeof(unsigned));
  for (int i = 0; i < M * K; ++i) a[i] = static_cast<float>(i * 7 % 13 - 6);
  for (int i = 0; i < N * K; ++i) b[i] = static_cast<float>(i * 5 % 11 - 5);
  int wrong = 0;
  const auto check = [&](const char* what) {
    cudaDeviceSynchronize();
    int here = 0;
    for (int i = 0; i < M; ++i) {
      for (int j = 0; j < N; ++j) {
        float sum = 0;
        for (int k = 0; k < K; ++k) sum += __bfloat162float(a[i * K + k]) * __bfloat162float(b[j * K + k]);
        here += c[i * N + j] != sum;
        c[i * N + j] = -1;
      }
    }
    if (here > 0) std::printf("%s: %d wrong\n", what, here);
    wrong += here;
  };
  const CUtensorMap map_a = map_of(a, M, K), map_b = map_of(b, N, K);
  by_ptx<<<1, 128>>>(c, map_a, map_b);
  check("by PTX");
  by_functions<<<1, 128>>>(c, map_a, map_b);
  check("by functions");
  around<4><<<8, 1>>>(out);
  cudaDeviceSynchronize();
  for (unsigned i = 0; i < 8; ++i) wrong += out[i] != i / 4 * 10 + i % 4;
  std::printf("hopper: %d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
