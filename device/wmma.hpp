// Fragments: tiles of 16 x 16 spread over the lanes of a warp in a way CUDA does not say, loaded, multiplied and
// stored by the warp as one. How it is all the same: `cairn info fragment --op wmma`. sm_80 (f16 alone would do with
// sm_70).
#pragma once

#include <mma.h>

namespace cairn {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
namespace wmma = nvcuda::wmma;
#else
// Compiled for an older GPU, where the card of a rung that needs this refuses: the same names, and nothing behind
// them.
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
