// wgmma: a warpgroup (four warps, the first with a number that is a multiple of four) multiplies 64 rows of A by 8 to
// 256 columns of B, 32 bytes of k at a time. B is in shared memory, A there or in registers, the accumulators are
// registers. The instruction is asynchronous: a warpgroup issues some, commits them as a group, and waits for the
// group before it reads the accumulators or reuses the operands' memory. sm_90a.
//
// Accumulators: thread t of the warpgroup has acc[4 j + 0, 1] in row t / 32 * 16 + t % 32 / 4, columns
// 8 j + t % 4 * 2 and the next; acc[4 j + 2, 3] in the row 8 below.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "device/e4m3.hpp"
#include "device/sm90.hpp"
#include "device/tensor_map.hpp"
#include "device/tf32.hpp"
#include "device/wgmma_shapes.hpp"

namespace cairn {

// The contiguous dimension of an operand: k, or the rows of A (the columns of B). MN-major is for 16-bit types only.
enum class Major : std::uint8_t { k, mn };

// The matrix descriptor of an operand in shared memory. Rows are 128, 64 or 32 bytes, swizzled as a TMA box of that
// swizzle (device/tensor_map.hpp). Eight rows form a group, which begins at a multiple of its bytes.
//
// Major::k: a row is a row of the operand along k; `stride` is the bytes from one group of rows to the next, and
// `leading` is ignored. The next 32 bytes of k are at(32).
// Major::mn: a row is 64, 32 or 16 rows of the operand at one k; `stride` is the bytes from one group of 8 of k to
// the next, `leading` those from one such width of rows of the operand to the next.
struct MatrixDescriptor {
  std::uint64_t bits;

  __device__ __forceinline__ MatrixDescriptor at(int bytes) const {
    return {bits + static_cast<std::uint64_t>(static_cast<unsigned>(bytes) >> 4)};
  }
};
__device__ __forceinline__ MatrixDescriptor matrix_descriptor(const void* shared, Swizzle swizzle, int stride,
                                                              int leading = 16) {
  constexpr unsigned most = 0x3ffff, codes[] = {0, 3, 2, 1};
  return {std::uint64_t{(shared_address(shared) & most) >> 4} |
          std::uint64_t{static_cast<unsigned>(leading) >> 4} << 16 |
          std::uint64_t{static_cast<unsigned>(stride) >> 4} << 32 |
          std::uint64_t{codes[static_cast<int>(swizzle)]} << 62};
}

// Before the first wgmma, and before one whose registers have been accessed since.
__device__ __forceinline__ void wgmma_fence() {
#if CAIRN_SM90A
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#else
  __trap();
#endif
}
// Commits all wgmma that the warpgroup has issued since the last commit as one group.
__device__ __forceinline__ void wgmma_commit() {
#if CAIRN_SM90A
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#else
  __trap();
#endif
}
// Waits until all but the newest `left` groups are complete.
template <int left> __device__ __forceinline__ void wgmma_wait() {
#if CAIRN_SM90A
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
#else
  __trap();
#endif
}
// Keeps the compiler from moving these registers past a wgmma_fence() or wgmma_wait(). No instruction.
template <int count> __device__ __forceinline__ void wgmma_fence_operand(float (&acc)[count]) {
#if CAIRN_SM90A
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("" : "+f"(acc[i])::"memory");
#endif
}

namespace detail {
template <class In, int n> struct Wgmma;

#if CAIRN_SM90A
// Accumulates or overwrites, by a predicate.
#define CAIRN_PREDICATED(add, text) \
  "{\n.reg .pred adds;\nsetp.ne.b32 adds, " add ", 0;\nwgmma.mma_async.sync.aligned." text ";\n}"

// 16-bit types: operands may be transposed (ta, tb).
#define CAIRN_WGMMA_16(In, kind, n, j, o0, o1, o2, o3, o4, o5, o6)                                                   \
  template <> struct Wgmma<In, n> {                                                                                  \
    template <int ta, int tb>                                                                                        \
    static __device__ __forceinline__ void multiply(float (&acc)[n / 2], std::uint64_t a, std::uint64_t b,           \
                                                    int add) {                                                       \
      asm volatile(                                                                                                  \
          CAIRN_PREDICATED(o2, "m64n" #n kind " {" CAIRN_REGISTERS_##j "}, " o0 ", " o1 ", adds, 1, 1, " o3 ", " o4) \
          : CAIRN_ACC_##j                                                                                            \
          : "l"(a), "l"(b), "r"(add), "n"(ta), "n"(tb));                                                             \
    }                                                                                                                \
    template <int, int tb>                                                                                           \
    static __device__ __forceinline__ void multiply(float (&acc)[n / 2], const std::uint32_t (&a)[4],                \
                                                    std::uint64_t b, int add) {                                      \
      asm volatile(CAIRN_PREDICATED(o5, "m64n" #n kind " {" CAIRN_REGISTERS_##j "}, {" o0 ", " o1 ", " o2 ", " o3    \
                                                                                "}, " o4 ", adds, 1, 1, " o6)        \
                   : CAIRN_ACC_##j                                                                                   \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add), "n"(tb));                         \
    }                                                                                                                \
  };
// Other types: K-major only.
#define CAIRN_WGMMA_K(In, kind, n, j, o0, o1, o2, o3, o4, o5, o6)                                                 \
  template <> struct Wgmma<In, n> {                                                                               \
    template <int ta, int tb>                                                                                     \
    static __device__ __forceinline__ void multiply(float (&acc)[n / 2], std::uint64_t a, std::uint64_t b,        \
                                                    int add) {                                                    \
      static_assert(ta == 0 && tb == 0, "only 16-bit operands may be MN-major");                                  \
      asm volatile(CAIRN_PREDICATED(o2, "m64n" #n kind " {" CAIRN_REGISTERS_##j "}, " o0 ", " o1 ", adds, 1, 1")  \
                   : CAIRN_ACC_##j                                                                                \
                   : "l"(a), "l"(b), "r"(add));                                                                   \
    }                                                                                                             \
    template <int, int tb>                                                                                        \
    static __device__ __forceinline__ void multiply(float (&acc)[n / 2], const std::uint32_t (&a)[4],             \
                                                    std::uint64_t b, int add) {                                   \
      static_assert(tb == 0, "only 16-bit operands may be MN-major");                                             \
      asm volatile(CAIRN_PREDICATED(o5, "m64n" #n kind " {" CAIRN_REGISTERS_##j "}, {" o0 ", " o1 ", " o2 ", " o3 \
                                                                                "}, " o4 ", adds, 1, 1")          \
                   : CAIRN_ACC_##j                                                                                \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add));                               \
    }                                                                                                             \
  };
#define CAIRN_F16(...) CAIRN_WGMMA_16(__half, "k16.f32.f16.f16", __VA_ARGS__)
#define CAIRN_BF16(...) CAIRN_WGMMA_16(__nv_bfloat16, "k16.f32.bf16.bf16", __VA_ARGS__)
#define CAIRN_TF32(...) CAIRN_WGMMA_K(Tf32, "k8.f32.tf32.tf32", __VA_ARGS__)
#define CAIRN_E4M3(...) CAIRN_WGMMA_K(E4m3, "k32.f32.e4m3.e4m3", __VA_ARGS__)
CAIRN_WGMMA_SHAPES(CAIRN_F16)
CAIRN_WGMMA_SHAPES(CAIRN_BF16)
CAIRN_WGMMA_SHAPES(CAIRN_TF32)
CAIRN_WGMMA_SHAPES(CAIRN_E4M3)
#undef CAIRN_F16
#undef CAIRN_BF16
#undef CAIRN_TF32
#undef CAIRN_E4M3
#undef CAIRN_WGMMA_16
#undef CAIRN_WGMMA_K
#undef CAIRN_PREDICATED
#endif
}  // namespace detail

// acc = A B, or += if `add`; asynchronous. In: __half, __nv_bfloat16, Tf32 (mantissa bits after the tenth are
// ignored) or E4m3; n, the columns: 8, 16, … 256.
template <class In, int n, Major a_major = Major::k, Major b_major = Major::k>
__device__ __forceinline__ void wgmma(float (&acc)[n / 2], MatrixDescriptor a, MatrixDescriptor b, bool add) {
  static_assert(n % 8 == 0 && n >= 8 && n <= 256, "wgmma has 8, 16, … 256 columns");
#if CAIRN_SM90A
  constexpr int ta = a_major == Major::k ? 0 : 1, tb = b_major == Major::k ? 0 : 1;
  detail::Wgmma<In, n>::template multiply<ta, tb>(acc, a.bits, b.bits, add ? 1 : 0);
#else
  __trap();
#endif
}
// A in registers, in the layout of mma.sync (device/fragment.hpp): warp w of the warpgroup has the 16 rows from 16 w.
template <class In, int n, Major b_major = Major::k>
__device__ __forceinline__ void wgmma(float (&acc)[n / 2], const std::uint32_t (&a)[4], MatrixDescriptor b,
                                      bool add) {
  static_assert(n % 8 == 0 && n >= 8 && n <= 256, "wgmma has 8, 16, … 256 columns");
#if CAIRN_SM90A
  constexpr int tb = b_major == Major::k ? 0 : 1;
  detail::Wgmma<In, n>::template multiply<0, tb>(acc, a, b.bits, add ? 1 : 0);
#else
  __trap();
#endif
}

}  // namespace cairn
