// Tiles of operands of any layout and alignment: a team of threads moves them by way of registers into shared memory,
// where neighbours are along k, as mma.sync takes them.
#pragma once

#include <cstdint>
#include <type_traits>

#include <cuda_runtime.h>

#include "device/tf32.hpp"

namespace cairn {

// The type in which an operand's elements are stored.
template <class In> struct StoredAs { using Element = In; };
template <> struct StoredAs<Tf32> { using Element = float; };
template <class In> using StoredElement = typename StoredAs<In>::Element;

// A or B as stored: lines of neighbours along k (k-major) or along m or n, `ld` apart.
struct AnyOperand {
  const void* base;
  std::int64_t ld, stride;  // stride: from a product of the batch to the next
  bool k_major;
  int unit;  // elements that are loaded at once: its lines begin and end at multiples of 16 bytes, of 4, or of an element
};

namespace detail {
// The bits of an element in a word.
template <class E> __device__ __forceinline__ std::uint32_t word_of(E x) {
  if constexpr (sizeof(E) == 4) return __float_as_uint(x);
  if constexpr (sizeof(E) == 2) return *reinterpret_cast<const std::uint16_t*>(&x);
}
template <class In> __device__ __forceinline__ std::uint32_t rounded(std::uint32_t x) {
  if constexpr (std::is_same_v<In, Tf32>) return __float_as_uint(to_tf32(__uint_as_float(x)));
  return x;
}
}  // namespace detail

// Moves `rows` rows of op(A), or columns of op(B), by `depth` of k into shared memory, where neighbours are along k
// whatever the matrix has: first into registers, so that the loads are on their way while the step before is
// multiplied. A team moves units of 16 bytes, of 4, or of one element.
template <class In, int rows, int depth, int threads> struct AnyTileLoader {
  using E = StoredElement<In>;
  using Bits = std::conditional_t<sizeof(E) == 4, std::uint32_t, std::uint16_t>;
  static constexpr int kChunk = 16 / sizeof(E), kPair = 4 / sizeof(E),
                       kRow = depth + kChunk;  // a padded row: its neighbours are 4 banks on
  static constexpr int kSingles = rows * depth / threads, kPairs = kSingles / kPair,
                       kChunks = (kSingles + kChunk - 1) / kChunk;
  static_assert(4 * kChunks <= kSingles && kSingles % kPair == 0);
  const AnyOperand& matrix;  // a parameter of the kernel: it takes no registers
  const E* from;             // this thread's first unit of the next step
  int line, along;           // where that is in the step
  int rows_left;
  std::uint32_t words[kSingles];  // an element each, or two, or four words for a chunk

  __device__ __forceinline__ AnyTileLoader(const AnyOperand& o, std::int64_t batch, std::int64_t first, int left,
                                           int thread)
      : matrix(o), rows_left(left) {
    const int each = (matrix.k_major ? depth : rows) / matrix.unit;  // units of a line
    line = thread / each, along = thread % each * matrix.unit;
    from = static_cast<const E*>(matrix.base) + batch * matrix.stride + first * (matrix.k_major ? matrix.ld : 1) +
           line * matrix.ld + along;
  }
  __device__ __forceinline__ bool wide() const { return matrix.unit == kChunk; }
  __device__ __forceinline__ bool pairs() const { return kPair > 1 && matrix.unit == kPair; }
  // Lines from one of a thread's units to the next.
  __device__ __forceinline__ int step() const {
    return (matrix.k_major ? threads / depth : threads / rows) * matrix.unit;
  }
  // Reads the next step, of which `left` along k is in the matrix, into registers: zeros where it ends.
  __device__ __forceinline__ void read(int left) {
    const int lines = along < (matrix.k_major ? left : rows_left) ? (matrix.k_major ? rows_left : left) : 0;
    const std::int64_t between = step() * matrix.ld;
    const E* next = from;
    if (wide()) {
#pragma unroll
      for (int i = 0; i < kChunks; ++i, next += between) {
        const uint4 four = line + i * step() < lines ? *reinterpret_cast<const uint4*>(next) : make_uint4(0, 0, 0, 0);
        words[4 * i] = four.x, words[4 * i + 1] = four.y, words[4 * i + 2] = four.z, words[4 * i + 3] = four.w;
      }
    } else if (pairs()) {
#pragma unroll
      for (int i = 0; i < kPairs; ++i, next += between)
        words[i] = line + i * step() < lines ? *reinterpret_cast<const std::uint32_t*>(next) : 0;
    } else {
#pragma unroll
      for (int i = 0; i < kSingles; ++i, next += between)
        words[i] = line + i * step() < lines ? detail::word_of(*next) : 0;
    }
    from += matrix.k_major ? std::int64_t{depth} : depth * matrix.ld;
  }
  __device__ __forceinline__ void write(E* tile) const {
    auto* const to = reinterpret_cast<Bits*>(tile) + (matrix.k_major ? line * kRow + along : along * kRow + line);
    const int between = step() * (matrix.k_major ? kRow : 1);
    if (pairs()) {
#pragma unroll
      for (int i = 0; i < kPairs; ++i) {
        if (matrix.k_major) {
          *reinterpret_cast<std::uint32_t*>(to + i * between) = words[i];
        } else {
          to[i * between] = static_cast<Bits>(words[i]);
          to[i * between + kRow] = static_cast<Bits>(words[i] >> 16);
        }
      }
      return;
    }
    if (!wide()) {
#pragma unroll
      for (int i = 0; i < kSingles; ++i) to[i * between] = static_cast<Bits>(detail::rounded<In>(words[i]));
      return;
    }
#pragma unroll
    for (int i = 0; i < kChunks; ++i) {
      if (line + i * step() >= (matrix.k_major ? rows : depth))
        continue;  // a team has more threads than there are chunks
      const std::uint32_t four[] = {detail::rounded<In>(words[4 * i]), detail::rounded<In>(words[4 * i + 1]),
                                    detail::rounded<In>(words[4 * i + 2]), detail::rounded<In>(words[4 * i + 3])};
      if (matrix.k_major) {
        *reinterpret_cast<uint4*>(to + i * between) = make_uint4(four[0], four[1], four[2], four[3]);
      } else {
#pragma unroll
        for (int e = 0; e < kChunk; ++e)
          to[i * between + e * kRow] = static_cast<Bits>(four[e * sizeof(E) / 4] >> e * sizeof(E) % 4 * 8);
      }
    }
  }
};

}  // namespace cairn
