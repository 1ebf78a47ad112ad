// Fetching: the producer's threads load a k-step of an operand that TMA cannot read as it is stored, and store it to
// shared memory as TMA would have: K-major, rows of 128 bytes, swizzled. Small problems are done before a packing
// kernel would have started.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "device/tf32.hpp"
#include "kernels/hopper/parts/args.hpp"

namespace cairn::hopper {

// 16 bytes along k, of which the first `valid` words are in the matrix; the rest is 0.
template <class Word, bool tf32>
__device__ __forceinline__ uint4 gather(const unsigned char* from, std::int64_t stride, int valid) {
  constexpr int bits = 8 * sizeof(Word), count = 16 / sizeof(Word);
  Word words[count];
#pragma unroll
  for (int i = 0; i < count; ++i) words[i] = i < valid ? *reinterpret_cast<const Word*>(from + i * stride) : Word{0};
  std::uint32_t packed[4] = {};
#pragma unroll
  for (int i = 0; i < count; ++i) packed[i * bits / 32] |= std::uint32_t{words[i]} << i * bits % 32;
  if constexpr (tf32) {
#pragma unroll
    for (std::uint32_t& x : packed) x = __float_as_uint(to_tf32(__uint_as_float(x)));
  }
  return {packed[0], packed[1], packed[2], packed[3]};
}

// A warp fetches rows row … row + rows - 1 of one k-step. Neighbouring lanes take what is next to each other in
// memory: the chunks of a row, or the same chunk of 32 rows. A lane has 32 loads in flight, or 16.
template <class Word, bool tf32, bool k_major>
__device__ __forceinline__ void fetch_as(unsigned char* to, const Source& s, std::int64_t row, int rows, int k_step,
                                         int batch) {
  constexpr int chunks = kRowBytes / 16, together = k_major ? 2 * sizeof(Word) : sizeof(Word);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int count = k_major ? (rows + 3) / 4 : (rows + 31) / 32 * chunks;
  constexpr int step = kRowBytes / static_cast<int>(sizeof(Word));  // words
  const std::int64_t stride = k_major ? static_cast<int>(sizeof(Word)) : s.word;
  const unsigned char* const base = s.base + batch * s.batch + row * s.row + std::int64_t{k_step} * step * stride;
  // What is left of the matrix.
  const auto left = static_cast<int>(min(std::int64_t{rows}, s.rows - row)),
             words = static_cast<int>(min(std::int64_t{step}, s.words - std::int64_t{k_step} * step));
#pragma unroll 1
  for (int first = 0; first < count; first += together) {
    uint4 fetched[together];
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const int r = k_major ? (first + i) * 4 + lane / chunks : (first + i) / chunks * 32 + lane,
                chunk = k_major ? lane % chunks : (first + i) % chunks;
      const int word = chunk * (16 / static_cast<int>(sizeof(Word)));  // of the k-step
      fetched[i] = gather<Word, tf32>(base + r * s.row + word * stride, stride, r < left ? words - word : 0);
    }
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const int r = k_major ? (first + i) * 4 + lane / chunks : (first + i) / chunks * 32 + lane,
                chunk = k_major ? lane % chunks : (first + i) % chunks;
      if (r < rows) *reinterpret_cast<uint4*>(to + r * kRowBytes + (chunk ^ r % 8) * 16) = fetched[i];
    }
  }
}

template <class Element, bool tf32>
__device__ __forceinline__ void fetch(unsigned char* to, const Source& s, std::int64_t row, int rows, int k_step,
                                      int batch) {
  if constexpr (sizeof(Element) < 4) {
    if (s.wide) return fetch_as<std::uint32_t, false, true>(to, s, row, rows, k_step, batch);
  }
  if (s.k_major) return fetch_as<Element, tf32, true>(to, s, row, rows, k_step, batch);
  fetch_as<Element, tf32, false>(to, s, row, rows, k_step, batch);
}

}  // namespace cairn::hopper
