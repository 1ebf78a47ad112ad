// The pre-pass of the summit: operands that TMA or wgmma cannot take as they lie are copied to scratch memory as they
// want them, neighbours along k where that is needed, lines at multiples of 16 bytes or more. Words are bits: nothing
// is computed. One launch packs one or both.
#pragma once

#include <cstdint>
#include <span>

#include "device/launch.hpp"
#include "device/pdl.hpp"
#include "kernels/hopper/59_summit/matrix.hpp"
#include "kernels/hopper/59_summit/tile.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper_59 {

// Lines of `width` elements from one leading dimension to another, for each of `matrices`.
template <class Word> struct Lines {
  const Word* from;
  Word* to;
  std::int64_t lines, width;
  std::int64_t ld_from, ld_to;  // elements
  std::int64_t matrices, stride_from, stride_to;
  unsigned across, down, deep;  // blocks
  bool turned;
};

// As they are: neighbouring threads, neighbouring elements, and eight on their way at a time. Block (x, y).
template <class Word>
__device__ __forceinline__ void copy_lines(const Lines<Word>& g, const Word* matrix, Word* copy, unsigned x,
                                           unsigned y, unsigned down) {
  constexpr int many = 8;
  const std::int64_t first = std::int64_t{x} * 256 * many + threadIdx.x;
  for (std::int64_t line = y; line < g.lines; line += down) {
    const Word* const from = matrix + line * g.ld_from;
    Word* const to = copy + line * g.ld_to;
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
static __device__ __forceinline__ void turn_lines(const Lines<std::uint32_t>& g, const std::uint32_t* from,
                                                  std::uint32_t* to, unsigned block_x, unsigned block_y,
                                                  unsigned down) {
  constexpr int side = 64;
  __shared__ std::uint32_t tile[side][side + 1];
  static_assert(sizeof tile <= kBeside);
  const int x = static_cast<int>(threadIdx.x) % side, y = static_cast<int>(threadIdx.x) / side;
  const std::int64_t col = std::int64_t{block_x} * side;
  for (std::int64_t line = std::int64_t{block_y} * side; line < g.lines; line += std::int64_t{down} * side) {
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
static __device__ __forceinline__ void turn_lines(const Lines<std::uint8_t>& g, const std::uint8_t* from,
                                                  std::uint8_t* to, unsigned block_x, unsigned block_y,
                                                  unsigned down) {
  constexpr int side = 128, words = side / 4;
  __shared__ std::uint32_t tile[side][words];
  static_assert(sizeof tile <= kBeside);
  const int x = static_cast<int>(threadIdx.x) % words, y = static_cast<int>(threadIdx.x) / words;
  const bool whole = (reinterpret_cast<std::uintptr_t>(from) | static_cast<std::uintptr_t>(g.ld_from)) % 4 == 0;
  const std::int64_t col = std::int64_t{block_x} * side, left = g.width - col - x * 4;
  for (std::int64_t line = std::int64_t{block_y} * side; line < g.lines; line += std::int64_t{down} * side) {
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

// One operand, a matrix of it for each z.
template <class Word, bool turned> __global__ void __launch_bounds__(256) hopper_59_pack_one(Lines<Word> g) {
  pdl_launch_dependents();
  pdl_wait();
  const Word* const from = g.from + blockIdx.z * g.stride_from;
  Word* const to = g.to + blockIdx.z * g.stride_to;
  if constexpr (turned) turn_lines(g, from, to, blockIdx.x, blockIdx.y, gridDim.y);
  if constexpr (!turned) copy_lines(g, from, to, blockIdx.x, blockIdx.y, gridDim.y);
}

// Two in one launch: the blocks of the first, then those of the second. For one alone this is slower where it is
// small: with both ways in one kernel the compiler keeps fewer loads in flight.
template <class Word>
__global__ void __launch_bounds__(256)
    hopper_59_pack_two(const __grid_constant__ Lines<Word> first, const __grid_constant__ Lines<Word> second) {
  pdl_launch_dependents();
  pdl_wait();
  const unsigned before = first.across * first.down * first.deep;
  const bool is_first = blockIdx.x < before;
  const Lines<Word> g = is_first ? first : second;
  const unsigned block = is_first ? blockIdx.x : blockIdx.x - before;
  const unsigned x = block % g.across, y = block / g.across % g.down;
  for (std::int64_t z = block / (g.across * g.down); z < g.matrices; z += g.deep) {
    const Word* const from = g.from + z * g.stride_from;
    Word* const to = g.to + z * g.stride_to;
    if constexpr (sizeof(Word) != 2) {  // wgmma takes these either way
      if (g.turned) {
        turn_lines(g, from, to, x, y, g.down);
        continue;
      }
    }
    copy_lines(g, from, to, x, y, g.down);
  }
}

template <class Word> Lines<Word> lines_of(const Matrix& from, const Matrix& to) {
  const PackGrid grid = pack_grid(from);
  return {static_cast<const Word*>(from.base),
          static_cast<Word*>(const_cast<void*>(to.base)),
          from.lines(),
          from.width(),
          from.ld,
          to.ld,
          from.matrices(),
          from.stride,
          to.stride,
          static_cast<unsigned>(grid.across),
          static_cast<unsigned>(grid.down),
          static_cast<unsigned>(grid.deep),
          from.major != to.major};
}

// Packs what needs it of A and B into scratch memory; they are the copies then, and `scratch` what is left of it.
template <class Word> Status pack_operands(Matrix& A, Matrix& B, std::span<std::byte>& scratch, Stream stream) {
  Lines<Word> jobs[2]{};
  std::int64_t count = 0, blocks = 0;
  for (Matrix* operand : {&A, &B}) {
    if (!needs_packing(*operand, !misaligned(operand->base))) continue;
    Matrix to = packed(*operand);
    const std::size_t bytes = bytes_of(to);
    if (scratch.size() < bytes) return {Code::unsupported, "there is no scratch memory for copies of A and B"};
    to.base = scratch.data();
    scratch = scratch.subspan(bytes);
    jobs[count++] = lines_of<Word>(*operand, to);
    blocks += pack_grid(*operand).blocks();
    *operand = to;
  }
  if (count == 0) return {};
  if (count == 2) return launch_pdl_co_resident({blocks}, 256, 0, stream, hopper_59_pack_two<Word>, jobs[0], jobs[1]);
  const auto kernel = [&] {
    if constexpr (sizeof(Word) != 2) {
      if (jobs[0].turned) return hopper_59_pack_one<Word, true>;
    }
    return hopper_59_pack_one<Word, false>;
  }();
  constexpr std::int64_t most = 65535;
  for (std::int64_t first = 0; first < jobs[0].matrices; first += most) {
    Lines<Word> some = jobs[0];
    some.from += first * some.stride_from, some.to += first * some.stride_to;
    const Grid grid{some.across, some.down, std::min(some.matrices - first, most)};
    if (Status s = launch_pdl_co_resident(grid, 256, 0, stream, kernel, some); !s.ok()) return s;
  }
  return {};
}
inline Status pack_operands(Matrix& A, Matrix& B, std::span<std::byte>& scratch, Stream stream) {
  switch (size_of(A.type)) {
    case 1: return pack_operands<std::uint8_t>(A, B, scratch, stream);
    case 2: return pack_operands<std::uint16_t>(A, B, scratch, stream);
    default: return pack_operands<std::uint32_t>(A, B, scratch, stream);
  }
}

}  // namespace cairn::hopper_59
