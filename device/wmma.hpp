// WMMA, CUDA's interface to tensor cores: a warp loads, multiplies and stores fragments, tiles of 16 x 16 that are spread
// over its lanes. CUDA does not document how; `cairn info fragment --op wmma` prints it. sm_80 (f16 alone needs
// sm_70).
#pragma once

#include <mma.h>

namespace cairn {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
namespace wmma = nvcuda::wmma;
#else
// Compiled for an older GPU, which the card of a rung that needs this excludes: the same names without bodies.
namespace wmma {
struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}
template <class Use, int m, int n, int k, class T, class Layout = void> struct fragment {
  static constexpr int num_elements = 1;
  float x[num_elements];
};
inline __device__ float __float_to_tf32(float x) { return x; }
template <class... Any> __device__ void fill_fragment(Any&&...) { __trap(); }
template <class... Any> __device__ void load_matrix_sync(Any&&...) { __trap(); }
template <class... Any> __device__ void store_matrix_sync(Any&&...) { __trap(); }
template <class... Any> __device__ void mma_sync(Any&&...) { __trap(); }
}  // namespace wmma
#endif

}  // namespace cairn
