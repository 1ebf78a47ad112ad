// wgmma: a warpgroup (four warps, the first of which has a number that is a multiple of four) multiplies 64 rows of A
// by 8 to 256 columns of B, 32 bytes of k at a time. B lies in shared memory, A there or in registers; the sums are
// the threads' registers. The instructions run on by themselves: a thread issues some, closes them into a group,
// goes on, and waits for a group where it needs the sums or wants to use the operands' memory for something else.
// sm_90a.
//
// Which sums: thread t of the warpgroup has sums[4 j + 0, 1] of row t / 32 * 16 + t % 32 / 4, columns 8 j + t % 4 * 2
// and the next; sums[4 j + 2, 3] of the row 8 below.
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

// Which neighbours of an operand in shared memory touch: those along k, or those along the rows of A (the columns of
// B). Only 16-bit types may have the latter.
enum class Major : std::uint8_t { k, mn };

// Where an operand lies in shared memory. Lines are 128, 64 or 32 bytes as a box of that swizzle (device/tma.hpp)
// leaves them; eight of them, which begin at a multiple of eight lines' bytes, are a block.
//
// Major::k: a line is a row's k, `stride` bytes lie between blocks of eight rows, `lead` does not matter. Further on
// along k by 32 bytes within the line is another operand, at(32).
// Major::mn: a line is 64, 32 or 16 rows of one k; `stride` bytes lie between blocks of eight of k, `lead` between
// one such width of rows and the next.
struct MatrixDescriptor {
  std::uint64_t bits;

  __device__ __forceinline__ MatrixDescriptor at(int bytes) const {
    return {bits + static_cast<std::uint64_t>(static_cast<unsigned>(bytes) >> 4)};
  }
};
__device__ __forceinline__ MatrixDescriptor matrix_descriptor(const void* shared, Swizzle swizzle, int stride,
                                                              int lead = 16) {
  constexpr unsigned most = 0x3ffff, codes[] = {0, 3, 2, 1};
  return {std::uint64_t{(shared_address(shared) & most) >> 4} |
          std::uint64_t{static_cast<unsigned>(lead) >> 4} << 16 |
          std::uint64_t{static_cast<unsigned>(stride) >> 4} << 32 |
          std::uint64_t{codes[static_cast<int>(swizzle)]} << 62};
}

// Before the first wgmma, and before one whose registers something else has touched since.
__device__ __forceinline__ void wgmma_fence() {
#if CAIRN_SM90A
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#else
  __trap();
#endif
}
// Closes a group: what the warpgroup has issued since it last did.
__device__ __forceinline__ void wgmma_commit() {
#if CAIRN_SM90A
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#else
  __trap();
#endif
}
// Waits until all groups but the newest `left` are done.
template <int left> __device__ __forceinline__ void wgmma_wait() {
#if CAIRN_SM90A
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
#else
  __trap();
#endif
}
// The compiler must not move these registers past here: before a fence, and after a wait. No instruction.
template <int count> __device__ __forceinline__ void pin(float (&sums)[count]) {
#if CAIRN_SM90A
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("" : "+f"(sums[i])::"memory");
#endif
}

namespace detail {
template <class In, int n> struct Wgmma;

#if CAIRN_SM90A
// The sums are added to, or begun anew, by a predicate.
#define CAIRN_PREDICATED(add, text) \
  "{\n.reg .pred adds;\nsetp.ne.b32 adds, " add ", 0;\nwgmma.mma_async.sync.aligned." text ";\n}"

// 16-bit types: operands may be turned (ta, tb).
#define CAIRN_WGMMA_16(In, kind, n, j, o0, o1, o2, o3, o4, o5, o6)                                                   \
  template <> struct Wgmma<In, n> {                                                                                  \
    template <int ta, int tb>                                                                                        \
    static __device__ __forceinline__ void multiply(float (&sums)[n / 2], std::uint64_t a, std::uint64_t b,          \
                                                    int add) {                                                       \
      asm volatile(                                                                                                  \
          CAIRN_PREDICATED(o2, "m64n" #n kind " {" CAIRN_REGISTERS_##j "}, " o0 ", " o1 ", adds, 1, 1, " o3 ", " o4) \
          : CAIRN_SUMS_##j                                                                                           \
          : "l"(a), "l"(b), "r"(add), "n"(ta), "n"(tb));                                                             \
    }                                                                                                                \
    template <int, int tb>                                                                                           \
    static __device__ __forceinline__ void multiply(float (&sums)[n / 2], const std::uint32_t (&a)[4],               \
                                                    std::uint64_t b, int add) {                                      \
      asm volatile(CAIRN_PREDICATED(o5, "m64n" #n kind " {" CAIRN_REGISTERS_##j "}, {" o0 ", " o1 ", " o2 ", " o3    \
                                                                                "}, " o4 ", adds, 1, 1, " o6)        \
                   : CAIRN_SUMS_##j                                                                                  \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add), "n"(tb));                         \
    }                                                                                                                \
  };
// The others: neighbours are along k.
#define CAIRN_WGMMA_K(In, kind, n, j, o0, o1, o2, o3, o4, o5, o6)                                                 \
  template <> struct Wgmma<In, n> {                                                                               \
    template <int ta, int tb>                                                                                     \
    static __device__ __forceinline__ void multiply(float (&sums)[n / 2], std::uint64_t a, std::uint64_t b,       \
                                                    int add) {                                                    \
      static_assert(ta == 0 && tb == 0, "only 16-bit operands may lie along the rows");                           \
      asm volatile(CAIRN_PREDICATED(o2, "m64n" #n kind " {" CAIRN_REGISTERS_##j "}, " o0 ", " o1 ", adds, 1, 1")  \
                   : CAIRN_SUMS_##j                                                                               \
                   : "l"(a), "l"(b), "r"(add));                                                                   \
    }                                                                                                             \
    template <int, int tb>                                                                                        \
    static __device__ __forceinline__ void multiply(float (&sums)[n / 2], const std::uint32_t (&a)[4],            \
                                                    std::uint64_t b, int add) {                                   \
      static_assert(tb == 0, "only 16-bit operands may lie along the rows");                                      \
      asm volatile(CAIRN_PREDICATED(o5, "m64n" #n kind " {" CAIRN_REGISTERS_##j "}, {" o0 ", " o1 ", " o2 ", " o3 \
                                                                                "}, " o4 ", adds, 1, 1")          \
                   : CAIRN_SUMS_##j                                                                               \
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

// sums = A B, or += if `add`. In: __half, __nv_bfloat16, Tf32 (bits after the tenth of the mantissa are not looked
// at) or E4m3; n, the columns: 8, 16, … 256.
template <class In, int n, Major a_major = Major::k, Major b_major = Major::k>
__device__ __forceinline__ void wgmma(float (&sums)[n / 2], MatrixDescriptor a, MatrixDescriptor b, bool add) {
  static_assert(n % 8 == 0 && n >= 8 && n <= 256, "wgmma has 8, 16, … 256 columns");
#if CAIRN_SM90A
  constexpr int ta = a_major == Major::k ? 0 : 1, tb = b_major == Major::k ? 0 : 1;
  detail::Wgmma<In, n>::template multiply<ta, tb>(sums, a.bits, b.bits, add ? 1 : 0);
#else
  __trap();
#endif
}
// A in registers, as mma wants it (device/fragment.hpp): warp w of the warpgroup has rows 16 w to 16 w + 15.
template <class In, int n, Major b_major = Major::k>
__device__ __forceinline__ void wgmma(float (&sums)[n / 2], const std::uint32_t (&a)[4], MatrixDescriptor b,
                                      bool add) {
  static_assert(n % 8 == 0 && n >= 8 && n <= 256, "wgmma has 8, 16, … 256 columns");
#if CAIRN_SM90A
  constexpr int tb = b_major == Major::k ? 0 : 1;
  detail::Wgmma<In, n>::template multiply<0, tb>(sums, a, b.bits, add ? 1 : 0);
#else
  __trap();
#endif
}

}  // namespace cairn
