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
  bool even;  // and of 4 bytes
};

namespace detail {
// As mma.sync takes it.
template <class In> __device__ __forceinline__ std::uint32_t rounded(std::uint32_t x) {
  if constexpr (std::is_same_v<In, Tf32>) return __float_as_uint(to_tf32(__uint_as_float(x)));
  return x;
}
}  // namespace detail

// Moves `rows` rows of op(A), or columns of op(B), by `depth` of k into shared memory, where neighbours are along k
// whatever the matrix has: first into registers, so that the loads are on their way while the step before is
// multiplied. A team moves units of 16 bytes or, where an operand's lines are not so aligned, of `unit` elements: one, or
// the two of a word.
template <class In, int unit, int rows, int depth, int threads> struct AnyTileLoader {
  using E = StoredElement<In>;
  using Bits = std::conditional_t<sizeof(E) == 4, std::uint32_t, std::uint16_t>;
  using Unit = std::conditional_t<unit * sizeof(E) == 4, std::uint32_t, std::uint16_t>;
  static constexpr int kChunk = 16 / sizeof(E),
                       kRow = depth + kChunk;  // a padded row: its neighbours are 4 banks on
  static constexpr int kUnits = rows * depth / threads / unit, kChunks = (kUnits * unit + kChunk - 1) / kChunk;
  static_assert(unit * sizeof(E) <= 4);
  const E* from;  // this thread's first unit of the next step
  std::int64_t ld;
  int line, along;  // where that is in the step
  int rows_left;
  bool k_major, wide;
  std::uint32_t words[kUnits > 4 * kChunks ? kUnits : 4 * kChunks] = {};  // a unit each, or four for a chunk

  __device__ __forceinline__ AnyTileLoader(const AnyOperand& o, std::int64_t batch, std::int64_t first, int left,
                                           int thread)
      : ld(o.ld), rows_left(left), k_major(o.k_major), wide(o.wide) {
    const int each = (k_major ? depth : rows) / (wide ? kChunk : unit);  // units of a line
    line = thread / each, along = thread % each * (wide ? kChunk : unit);
    from = static_cast<const E*>(o.base) + batch * o.stride + first * (k_major ? ld : 1) + line * ld + along;
  }
  // Lines from one of a thread's units to the next.
  __device__ __forceinline__ int step() const {
    return (k_major ? threads / depth : threads / rows) * (wide ? kChunk : unit);
  }
  // Reads the next step, of which `left` along k is in the matrix, into registers: zeros where it ends.
  __device__ __forceinline__ void read(int left) {
    const int lines = along < (k_major ? left : rows_left) ? (k_major ? rows_left : left) : 0;
    const std::int64_t between = step() * ld;
    const E* next = from;
    if (wide) {
#pragma unroll
      for (int i = 0; i < kChunks; ++i, next += between) {
        const uint4 four = line + i * step() < lines ? *reinterpret_cast<const uint4*>(next) : make_uint4(0, 0, 0, 0);
        words[4 * i] = four.x, words[4 * i + 1] = four.y, words[4 * i + 2] = four.z, words[4 * i + 3] = four.w;
      }
    } else {
#pragma unroll
      for (int i = 0; i < kUnits; ++i, next += between)
        words[i] = line + i * step() < lines ? *reinterpret_cast<const Unit*>(next) : 0;
    }
    from += k_major ? std::int64_t{depth} : depth * ld;
  }
  __device__ __forceinline__ void write(E* tile) const {
    auto* const to = reinterpret_cast<Bits*>(tile) + (k_major ? line * kRow + along : along * kRow + line);
    const int between = step() * (k_major ? kRow : 1);
    if (!wide) {
#pragma unroll
      for (int i = 0; i < kUnits; ++i) {
        if (unit == 1 || k_major) {
          *reinterpret_cast<Unit*>(to + i * between) = static_cast<Unit>(detail::rounded<In>(words[i]));
        } else {
          to[i * between] = static_cast<Bits>(words[i]);
          to[i * between + kRow] = static_cast<Bits>(words[i] >> 16);
        }
      }
      return;
    }
#pragma unroll
    for (int i = 0; i < kChunks; ++i) {
      if (line + i * step() >= (k_major ? rows : depth)) continue;  // a team has more threads than there are chunks
      const std::uint32_t four[] = {detail::rounded<In>(words[4 * i]), detail::rounded<In>(words[4 * i + 1]),
                                    detail::rounded<In>(words[4 * i + 2]), detail::rounded<In>(words[4 * i + 3])};
      if (k_major) {
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
