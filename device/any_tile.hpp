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
  bool wide;  // its lines begin and end at multiples of 16 bytes
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
// multiplied. A team moves units of one element or of 16 bytes. Of lines along m or n a warp takes 32 bytes each, a
// sector, and not one line: the elements of a line have few banks to go to.
template <class In, int rows, int depth, int threads> struct AnyTileLoader {
  using E = StoredElement<In>;
  using Bits = std::conditional_t<sizeof(E) == 4, std::uint32_t, std::uint16_t>;
  static constexpr int kChunk = 16 / sizeof(E);
  static constexpr int kRow = depth + kChunk;  // padded: its neighbour begins four banks on
  static constexpr int kSingles = rows * depth / threads, kChunks = (kSingles + kChunk - 1) / kChunk;
  static_assert(4 * kChunks <= kSingles);
  const AnyOperand& operand;
  const E* from;  // the first element of the next step
  int thread, rows_left;
  std::uint32_t words[kSingles];  // an element each, or four for a chunk

  // Where a unit is in a step.
  struct Place {
    int line, along;
  };
  // A thread's first element; the next ones are so many lines on.
  __device__ __forceinline__ Place single() const {
    if (operand.k_major) return {thread / depth, thread % depth};
    return {thread / 16 % 2 + thread / (2 * rows) * 2, thread % 16 + thread / 32 % (rows / 16) * 16};
  }
  __device__ __forceinline__ int lines_on() const { return operand.k_major ? threads / depth : threads / rows; }
  __device__ __forceinline__ Place chunk(int i) const {
    const int c = thread + i * threads;
    if (operand.k_major) return {c / (depth / kChunk), c % (depth / kChunk) * kChunk};
    return {c / 2 % depth, (c / (2 * depth) * 2 + c % 2) * kChunk};
  }

  __device__ __forceinline__ AnyTileLoader(const AnyOperand& o, int thread_) : operand(o), thread(thread_) {}
  __device__ __forceinline__ void begin(std::int64_t batch, std::int64_t first, int left) {
    from = static_cast<const E*>(operand.base) + batch * operand.stride +
           first * (operand.k_major ? operand.ld : std::int64_t{1});
    rows_left = left;
  }
  // Reads the next step, of which `left` along k is in the matrix, into registers: zeros where it ends.
  __device__ __forceinline__ void read(int left) {
    const int lines = operand.k_major ? rows_left : left, length = operand.k_major ? left : rows_left;
    if (operand.wide) {
#pragma unroll
      for (int i = 0; i < kChunks; ++i) {
        const auto [line, along] = chunk(i);
        const bool inside = line < lines && along < length;
        const uint4 four =
            inside ? *reinterpret_cast<const uint4*>(from + line * operand.ld + along) : make_uint4(0, 0, 0, 0);
        words[4 * i] = four.x, words[4 * i + 1] = four.y, words[4 * i + 2] = four.z, words[4 * i + 3] = four.w;
      }
    } else {
      const auto [line, along] = single();
      const int last = along < length ? lines : 0;
      const E* next = from + line * operand.ld + along;
#pragma unroll
      for (int i = 0; i < kSingles; ++i, next += lines_on() * operand.ld)
        words[i] = line + i * lines_on() < last ? detail::word_of(*next) : 0;
    }
    from += operand.k_major ? std::int64_t{depth} : depth * operand.ld;
  }
  __device__ __forceinline__ void write(E* tile) const {
    auto* const to = reinterpret_cast<Bits*>(tile);
    if (!operand.wide) {
      const auto [line, along] = single();
      Bits* const first = to + (operand.k_major ? line * kRow + along : along * kRow + line);
      const int between = lines_on() * (operand.k_major ? kRow : 1);
#pragma unroll
      for (int i = 0; i < kSingles; ++i) first[i * between] = static_cast<Bits>(detail::rounded<In>(words[i]));
      return;
    }
#pragma unroll
    for (int i = 0; i < kChunks; ++i) {
      const auto [line, along] = chunk(i);
      if ((operand.k_major ? line : along) >= rows) continue;  // a team has more threads than there are chunks
      const std::uint32_t four[] = {detail::rounded<In>(words[4 * i]), detail::rounded<In>(words[4 * i + 1]),
                                    detail::rounded<In>(words[4 * i + 2]), detail::rounded<In>(words[4 * i + 3])};
      if (operand.k_major) {
        *reinterpret_cast<uint4*>(to + line * kRow + along) = make_uint4(four[0], four[1], four[2], four[3]);
      } else {
#pragma unroll
        for (int e = 0; e < kChunk; ++e)
          to[(along + e) * kRow + line] = static_cast<Bits>(four[e * sizeof(E) / 4] >> e * sizeof(E) % 4 * 8);
      }
    }
  }
};

}  // namespace cairn
