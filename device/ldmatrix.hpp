// ldmatrix: a warp loads matrices of 8 rows of 16 bytes from shared memory, distributed over its lanes as mma reads
// them. sm_75.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

namespace cairn {

// Lane 8 i + r gives the address of row r of matrix i, a multiple of 16; the other lanes' addresses are ignored.
// Register i of lane l becomes two neighbouring 16-bit words of matrix i: row l / 4, words l % 4 * 2 and the next.
template <int count> __device__ __forceinline__ void load_matrices(std::uint32_t (&to)[count], const void* row) {
  static_assert(count == 1 || count == 2 || count == 4, "ldmatrix loads 1, 2 or 4 matrices");
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
  const auto from = static_cast<unsigned>(__cvta_generic_to_shared(row));
  if constexpr (count == 1) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(to[0]) : "r"(from) : "memory");
  } else if constexpr (count == 2) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(to[0]), "=r"(to[1])
                 : "r"(from)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
  }
#else
  __trap();  // compiled for an older GPU, which the card of a rung that needs this excludes
#endif
}

// The same, and each matrix of 8 x 8 words of 16 bits is transposed: lane l gets column l / 4, rows l % 4 * 2 and the
// next.
template <int count> __device__ __forceinline__ void load_transposed(std::uint32_t (&to)[count], const void* row) {
  static_assert(count == 1 || count == 2 || count == 4, "ldmatrix loads 1, 2 or 4 matrices");
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
  const auto from = static_cast<unsigned>(__cvta_generic_to_shared(row));
  if constexpr (count == 1) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(to[0]) : "r"(from) : "memory");
  } else if constexpr (count == 2) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(to[0]), "=r"(to[1])
                 : "r"(from)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
  }
#else
  __trap();
#endif
}

}  // namespace cairn
