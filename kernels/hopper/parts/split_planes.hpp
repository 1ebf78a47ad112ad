// An f32 operand as planes of 16-bit numbers, whose products tensor cores multiply (docs/numerics.md, "split"):
//
//   f16    two planes: x = hi + lo / 4096. 23 bits of x, if x is within 28 binades of the largest of its row
//   bf16   three planes: x = p0 + p1 + p2. All 24 bits, within 100 binades
//
// Each row of op(A), and each column of op(B), is multiplied by a power of two first, which is exact, so that its
// largest element has the exponent that suits the planes; C is multiplied by the inverse. A row with elements further
// from its largest than that, or with an infinity or a NaN, is a wild one: its planes are zeros, no products of it are
// stored, and what C has of it is computed in f64 (split_repair.hpp).
//
// The planes of a row are next to each other in chunks, so that a row of a stage, 128 bytes, has all planes of 32 of k
// (f16), or of 16 of k and 32 bytes of the next chunk that nothing reads (bf16). Both take at most 6 bytes an element,
// in the same memory: which it is, the data decides (split_operands.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <cuda_runtime.h>

#include "device/vec.hpp"
#include "kernels/hopper/parts/matrix.hpp"

namespace cairn::hopper {

inline constexpr int kUnit = 64;  // of k: what is divided among blocks, whole stages of either kind of planes

// What a kind of planes is like.
struct PlanesOf {
  int count;     // planes
  int k;         // of k in a chunk, and so in a stage
  int chunk;     // words of 16 bits in a chunk
  int exponent;  // of the largest element of a row, after scaling
  int binades;   // that the elements of a row may be apart
};
inline constexpr PlanesOf kF16Planes{2, 32, 64, 14, 28}, kBf16Planes{3, 16, 48, 50, 100};
inline constexpr int kLowExponent = 12;  // lo is stored 2^12 times as large: a normal number, where hi is one
static_assert(kUnit % kF16Planes.k == 0 && kUnit % kBf16Planes.k == 0);
constexpr std::int64_t plane_words(std::int64_t k) { return ceil_div(k, kUnit) * (kUnit / 16) * kBf16Planes.chunk; }

// What is known of a row of op(A), or a column of op(B): the exponent of its largest element, and whether it is wild.
struct RowRange {
  int bits;
  static constexpr int kWildF16 = 1, kWildBf16 = 2;
  __host__ __device__ int exponent() const { return bits >> 2; }
  __host__ __device__ bool wild(bool f16) const { return (bits & (f16 ? kWildF16 : kWildBf16)) != 0; }
};

// The least and the largest absolute value of some elements, as bits; zeros count for neither. The order of positive
// floats is that of their bits. `least` is one less than its bits, so that zeros become the largest number there is.
struct Extent {
  std::uint32_t largest, least;
  static __device__ __forceinline__ Extent none() { return {0, 0xffffffffu}; }
  __device__ __forceinline__ void add(float x) {
    const std::uint32_t bits = __float_as_uint(x) & 0x7fffffffu;
    largest = max(largest, bits), least = min(least, bits - 1);
  }
  __device__ __forceinline__ void add(const Extent& other) {
    largest = max(largest, other.largest), least = min(least, other.least);
  }
  __device__ __forceinline__ void add_lanes() {
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
      add(Extent{__shfl_xor_sync(0xffffffffu, largest, apart), __shfl_xor_sync(0xffffffffu, least, apart)});
    }
  }
  static __device__ __forceinline__ int exponent(std::uint32_t bits) {
    return bits >= 0x00800000u ? static_cast<int>(bits >> 23) - 127 : 31 - __clz(static_cast<int>(bits)) - 149;
  }
  __device__ __forceinline__ RowRange range() const {
    if (largest == 0) return {0};
    const int top = exponent(largest), apart = top - exponent(least + 1);
    const bool finite = largest < 0x7f800000u;
    const int wild_f16 = !finite || apart > kF16Planes.binades ? RowRange::kWildF16 : 0,
              wild_bf16 = !finite || apart > kBf16Planes.binades ? RowRange::kWildBf16 : 0;
    return {static_cast<int>(static_cast<unsigned>(finite ? top : 0) << 2) | wild_f16 | wild_bf16};
  }
};

// The decision, on the device.
struct SplitHeader {
  int f16;   // f16 planes; else bf16
  int wild;  // wild rows of op(A) and columns of op(B)
};
static_assert(sizeof(SplitHeader) == kTookBytes);
inline constexpr int kHeaderBytes = 128;
// A product by f16 planes may have so many wild rows and columns; if there are more, it is computed by bf16 planes.
inline constexpr int kMostWild = 16;

// "f16 planes, 2 wild rows"
inline std::string words_of(const void* scratch) {
  SplitHeader header;
  std::memcpy(&header, scratch, sizeof header);
  std::string words = header.f16 != 0 ? "f16 planes" : "bf16 planes";
  if (header.wild > 0) words += ", " + std::to_string(header.wild) + (header.wild == 1 ? " wild row" : " wild rows");
  return words;
}

// An f32 operand as stored, and where its planes are. A row is one of op(A), or a column of op(B).
struct SplitOperand {
  const float* from;
  std::int64_t rows, k, ld, stride;
  std::int64_t matrices;
  bool k_major, vector;  // vector: 16-byte loads
  int slices;            // of k, whose extents are found by different blocks
  Extent* extents;       // (slices, all rows)
  RowRange* ranges;
  std::uint16_t* planes;
  std::int64_t words;  // of a row of planes
  std::int64_t all_rows() const { return rows * matrices; }
};

// x * 2^e, rounded once; e is a sum of two exponents of f32. Each factor is a normal number, and they have the same sign.
__device__ __forceinline__ float times_power(float x, int e) {
  const int half = max(e >> 1, -126), rest = max(e - half, -126);
  return x * __int_as_float((half + 127) << 23) * __int_as_float((rest + 127) << 23);
}

inline constexpr int kRangeBlocks = 1024;  // at most; each has two counts

// What one block of hopper_split_extents looks at: 16 rows, or 32 where rows are not contiguous, in a slice of k.
inline std::int64_t extent_items(std::int64_t rows, std::int64_t matrices, bool k_major) {
  return k_major ? ceil_div(rows * matrices, 16) : ceil_div(rows, 32) * matrices;
}
inline int slices_of(const Matrix& m, int sms) {
  constexpr std::int64_t kShort = 1024;  // of k: a further kernel would cost more than it saves
  if (m.k <= kShort) return 1;
  const std::int64_t items = extent_items(m.rows, m.matrices(), m.major == Major::k);
  return static_cast<int>(
      std::clamp<std::int64_t>(4 * sms / std::max<std::int64_t>(items, 1), 1, ceil_div(m.k, 256)));
}

// The operands of a product in scratch memory, as offsets: header, counts of wild rows, and of each operand extents,
// ranges and planes; then partial sums.
struct SplitOperandMemory {
  std::size_t extents, ranges, planes;
};
struct SplitMemory {
  std::size_t counts, partials;
  SplitOperandMemory a, b;
};
inline SplitMemory split_memory(const Matrix& A, const Matrix& B, int sms) {
  SplitMemory at{};
  std::size_t end = 0;
  const auto take = [&](std::int64_t bytes) {
    const std::size_t begin = end;
    end += static_cast<std::size_t>(ceil_div(bytes, 128) * 128);
    return begin;
  };
  const auto operand = [&](const Matrix& m) {
    const std::int64_t rows = m.matrices() * m.rows;
    SplitOperandMemory one{};
    one.extents = take(slices_of(m, sms) * rows * std::int64_t{sizeof(Extent)});
    one.ranges = take(rows * std::int64_t{sizeof(RowRange)});
    one.planes = take(rows * plane_words(m.k) * std::int64_t{sizeof(std::uint16_t)});
    return one;
  };
  (void)take(kHeaderBytes);
  at.counts = take(kRangeBlocks * 2 * std::int64_t{sizeof(int)});
  at.a = operand(A), at.b = operand(B);
  at.partials = end;
  return at;
}

// The planes as a matrix, for its tensor map.
inline Matrix planes_matrix(const Matrix& from, const void* planes) {
  const std::int64_t words = plane_words(from.k);
  return {planes, Type::f16, from.rows, words, words, from.stride == 0 ? 0 : from.rows * words, from.batch, Major::k};
}

}  // namespace cairn::hopper
