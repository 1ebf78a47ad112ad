// The pre-pass of the summit: an operand that TMA or wgmma cannot take as it lies is copied to scratch memory as they
// want it, neighbours along k where that is needed, lines at multiples of 16 bytes or more. Words are bits: nothing
// is computed.
#pragma once

#include <cstdint>

#include "device/dependent.hpp"
#include "device/launch.hpp"
#include "kernels/hopper/59_summit/tile.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper_59 {

// Lines of `width` elements from one leading dimension to another.
template <class Word> struct Lines {
  const Word* from;
  Word* to;
  std::int64_t lines, width;
  std::int64_t ld_from, ld_to;          // elements
  std::int64_t stride_from, stride_to;  // from one product of the batch to the next
};

// As they are: neighbouring threads, neighbouring elements, and eight on their way at a time.
template <class Word> __global__ void __launch_bounds__(256) hopper_59_copy_lines(Lines<Word> g) {
  constexpr int many = 8;
  let_next_begin();
  wait_for_previous();
  const std::int64_t first = std::int64_t{blockIdx.x} * 256 * many + threadIdx.x;
  for (std::int64_t line = blockIdx.y; line < g.lines; line += gridDim.y) {
    const Word* const from = g.from + blockIdx.z * g.stride_from + line * g.ld_from;
    Word* const to = g.to + blockIdx.z * g.stride_to + line * g.ld_to;
    Word words[many];
#pragma unroll
    for (int i = 0; i < many; ++i) words[i] = first + i * 256 < g.width ? from[first + i * 256] : Word{};
#pragma unroll
    for (int i = 0; i < many; ++i)
      if (first + i * 256 < g.width) to[first + i * 256] = words[i];
  }
}

// Transposed: line i becomes column i. Tiles of 64 x 64 pass through shared memory, in rows of an odd number of
// words.
template <class Word> __global__ void __launch_bounds__(256) hopper_59_turn_lines(Lines<Word> g) {
  static_assert(sizeof(Word) == 4);
  constexpr int side = 64;
  __shared__ Word tile[side][side + 1];
  static_assert(sizeof tile <= kBeside);
  let_next_begin();
  wait_for_previous();
  const int x = static_cast<int>(threadIdx.x) % side, y = static_cast<int>(threadIdx.x) / side;
  const std::int64_t col = std::int64_t{blockIdx.x} * side;
  const Word* const from = g.from + blockIdx.z * g.stride_from;
  Word* const to = g.to + blockIdx.z * g.stride_to;
  for (std::int64_t line = std::int64_t{blockIdx.y} * side; line < g.lines; line += std::int64_t{gridDim.y} * side) {
#pragma unroll
    for (int i = 0; i < side; i += 4)
      if (line + y + i < g.lines && col + x < g.width) tile[y + i][x] = from[(line + y + i) * g.ld_from + col + x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < side; i += 4)
      if (col + y + i < g.width && line + x < g.lines) to[(col + y + i) * g.ld_to + line + x] = tile[x][y + i];
    __syncthreads();
  }
}

// Bytes, transposed. A thread takes squares of four by four, turns each in registers, and puts its columns into
// shared memory as words, column by column: word w of column c lies at w ^ c / 4, so that neither the threads of a
// line nor those of a column meet in a bank. Lines end at multiples of 16 bytes of scratch memory, so that a word
// that reaches beyond the last of them does no harm.
static __global__ void __launch_bounds__(256) hopper_59_turn_bytes(Lines<std::uint8_t> g) {
  constexpr int side = 128, words = side / 4;
  __shared__ std::uint32_t tile[side][words];
  static_assert(sizeof tile <= kBeside);
  let_next_begin();
  wait_for_previous();
  const int x = static_cast<int>(threadIdx.x) % words, y = static_cast<int>(threadIdx.x) / words;
  const std::uint8_t* const from = g.from + blockIdx.z * g.stride_from;
  std::uint8_t* const to = g.to + blockIdx.z * g.stride_to;
  const bool whole = (reinterpret_cast<std::uintptr_t>(from) | static_cast<std::uintptr_t>(g.ld_from)) % 4 == 0;
  const std::int64_t col = std::int64_t{blockIdx.x} * side, left = g.width - col - x * 4;
  for (std::int64_t line = std::int64_t{blockIdx.y} * side; line < g.lines; line += std::int64_t{gridDim.y} * side) {
#pragma unroll
    for (int i = 0; i < words; i += 8) {
      std::uint32_t rows[4] = {};
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const std::int64_t at = line + (y + i) * 4 + r;
        const std::uint8_t* const four = from + at * g.ld_from + col + x * 4;
        if (at >= g.lines) continue;
        if (whole && left >= 4) {
          rows[r] = *reinterpret_cast<const std::uint32_t*>(four);
        } else {
          for (int e = 0; e < 4 && e < left; ++e) rows[r] |= std::uint32_t{four[e]} << e * 8;
        }
      }
      // Pairs of rows, byte by byte, and then pairs of those.
      const std::uint32_t low01 = __byte_perm(rows[0], rows[1], 0x5140),
                          low23 = __byte_perm(rows[2], rows[3], 0x5140);
      const std::uint32_t high01 = __byte_perm(rows[0], rows[1], 0x7362),
                          high23 = __byte_perm(rows[2], rows[3], 0x7362);
      const int w = (y + i) ^ x;
      tile[x * 4 + 0][w] = __byte_perm(low01, low23, 0x5410);
      tile[x * 4 + 1][w] = __byte_perm(low01, low23, 0x7632);
      tile[x * 4 + 2][w] = __byte_perm(high01, high23, 0x5410);
      tile[x * 4 + 3][w] = __byte_perm(high01, high23, 0x7632);
    }
    __syncthreads();
#pragma unroll 4
    for (int c = y; c < side; c += 8)
      if (col + c < g.width && line + x * 4 < g.lines)
        *reinterpret_cast<std::uint32_t*>(to + (col + c) * g.ld_to + line + x * 4) = tile[c][x ^ c / 4];
    __syncthreads();
  }
}

// The blocks of a copy: words of so many bytes, lines of `width` of them.
inline Grid copy_grid(std::int64_t word, std::int64_t lines, std::int64_t width, std::int64_t products, bool turned) {
  constexpr std::int64_t most = 65535;
  const std::int64_t side = word == 1 ? 128 : 64;
  return turned ? Grid{ceil_div(width, side), std::min(ceil_div(lines, side), most), products}
                : Grid{ceil_div(width, 256 * 8), std::min(lines, most), products};
}

template <class Word> Status pack_lines(const Lines<Word>& g, std::int64_t batch, bool turned, Stream stream) {
  constexpr std::int64_t most = 65535;
  const auto kernel = [&] {
    if constexpr (sizeof(Word) == 1) return turned ? hopper_59_turn_bytes : hopper_59_copy_lines<Word>;
    if constexpr (sizeof(Word) == 2) return hopper_59_copy_lines<Word>;  // wgmma takes them either way
    if constexpr (sizeof(Word) == 4) return turned ? hopper_59_turn_lines<Word> : hopper_59_copy_lines<Word>;
  }();
  for (std::int64_t first = 0; first < batch; first += most) {
    Lines<Word> some = g;
    some.from += first * g.stride_from;
    some.to += first * g.stride_to;
    const Grid grid = copy_grid(sizeof(Word), g.lines, g.width, std::min(batch - first, most), turned);
    if (Status s = launch_beside(grid, 256, 0, stream, kernel, some); !s.ok()) return s;
  }
  return {};
}

}  // namespace cairn::hopper_59
