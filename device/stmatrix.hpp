// stmatrix: a warp stores matrices of 8 rows of 16 bytes to shared memory, the inverse of ldmatrix. sm_90.
#pragma once

#include <cstdint>

#include "device/sm90.hpp"

namespace cairn {

// Lane 8 i + r gives the address of row r of matrix i, a multiple of 16; other lanes' addresses are ignored. Register
// i of lane l holds two neighbouring 16-bit words of matrix i: row l / 4, words l % 4 * 2 and the next.
template <int count> __device__ __forceinline__ void store_matrices(void* row, const std::uint32_t (&from)[count]) {
  static_assert(count == 1 || count == 2 || count == 4, "stmatrix stores 1, 2 or 4 matrices");
#if CAIRN_SM90A
  const unsigned to = shared_address(row);
  if constexpr (count == 1) {
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(to), "r"(from[0]) : "memory");
  } else if constexpr (count == 2) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(to), "r"(from[0]), "r"(from[1])
                 : "memory");
  } else {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(from[0]),
                 "r"(from[1]), "r"(from[2]), "r"(from[3])
                 : "memory");
  }
#else
  __trap();
#endif
}

// The same with each matrix transposed: register i of lane l holds column l / 4, rows l % 4 * 2 and the next.
template <int count> __device__ __forceinline__ void store_transposed(void* row, const std::uint32_t (&from)[count]) {
  static_assert(count == 1 || count == 2 || count == 4, "stmatrix stores 1, 2 or 4 matrices");
#if CAIRN_SM90A
  const unsigned to = shared_address(row);
  if constexpr (count == 1) {
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(to), "r"(from[0]) : "memory");
  } else if constexpr (count == 2) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(to), "r"(from[0]),
                 "r"(from[1])
                 : "memory");
  } else {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(from[0]),
                 "r"(from[1]), "r"(from[2]), "r"(from[3])
                 : "memory");
  }
#else
  __trap();
#endif
}

}  // namespace cairn
