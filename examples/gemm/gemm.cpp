// The README's example: a product of two bf16 matrices on the first GPU.
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

#include "cairn/cairn.hpp"

int main() {
  constexpr std::int64_t n = 4096;
  std::vector<cairn::bf16> host(n * n, cairn::bf16(1.0f));
  const std::size_t bytes = host.size() * sizeof(cairn::bf16);
  cairn::bf16 *A = nullptr, *B = nullptr, *C = nullptr;
  for (cairn::bf16** matrix : {&A, &B, &C}) {
    if (cudaMalloc(matrix, bytes) != cudaSuccess) return std::puts("there is no GPU here, or no memory on it"), 77;
    cudaMemcpy(*matrix, host.data(), bytes, cudaMemcpyHostToDevice);
  }

  cairn::Handle handle;
  cairn::Status status = cairn::Handle::open(0, handle);  // the first GPU
  if (status.ok()) {  // C = 1 * A * transposed(B) + 0 * C, row-major, leading dimensions n
    status = cairn::gemm(handle, cairn::Op::none, cairn::Op::transpose, n, n, n, 1, A, n, B, n, 0, C, n);
  }
  if (!status.ok()) return std::puts(status.message().c_str()), 1;

  cudaMemcpy(host.data(), C, bytes, cudaMemcpyDeviceToHost);
  std::printf("C[0] = %g\n", static_cast<double>(static_cast<float>(host[0])));  // 4096
}
