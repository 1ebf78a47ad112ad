// Shared memory of a block that is used as the block ends or after it: one fault for each argument, and none without.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <cuda.h>
#include <cuda_runtime.h>

constexpr int kRows = 8, kColumns = 32;

__device__ std::uint32_t offset_of(const void* shared) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}

// Every thread writes a row, which TMA stores.
__global__ void store(const __grid_constant__ CUtensorMap map, bool waits) {
  __shared__ alignas(128) float rows[kRows][kColumns];
  for (int i = 0; i < kColumns; ++i) rows[threadIdx.x][i] = threadIdx.x * kColumns + i;
  asm volatile("fence.proxy.async.shared::cta;\n");
  __syncthreads();
  if (threadIdx.x > 0) return;
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n" ::"l"(&map), "r"(0),
               "r"(0), "r"(offset_of(rows)));  // <- unread
  asm volatile("cp.async.bulk.commit_group;\n");
  if (waits) asm volatile("cp.async.bulk.wait_group.read 0;\n");
}

// Each block of a pair arrives at the other's mbarrier. Only with `stays` does it wait for the other before it ends.
__global__ void __cluster_dims__(2, 1, 1) arrive(float* out, bool stays) {
  __shared__ alignas(8) std::uint64_t barrier;
  const std::uint32_t at = offset_of(&barrier);
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n" ::"r"(at));
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;\n");
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote], 1;\n"
      "}\n" ::"r"(at),
      "r"(1 - blockIdx.x));  // <- left
  if (stays) asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;\n");
  out[blockIdx.x] += 1;
}

int main(int argc, char** argv) {
  const char* fault = argc > 1 ? argv[1] : "";
  float host[kRows * kColumns] = {}, *x;
  cudaMalloc(&x, sizeof host);
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  CUtensorMap map;
  const std::uint64_t sizes[] = {kColumns, kRows}, strides[] = {kColumns * sizeof(float)};
  const std::uint32_t box[] = {kColumns, kRows}, steps[] = {1, 1};
  cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, x, sizes, strides, box, steps,
                         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  store<<<1, kRows>>>(map, std::strcmp(fault, "unread") != 0);
  arrive<<<2, 1>>>(x, std::strcmp(fault, "left") != 0);
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("done: %s, %g %g %g\n", cudaGetErrorName(cudaGetLastError()), host[0], host[1], host[255]);
  return 0;
}
