// Packing: operands that TMA or wgmma cannot read as they are stored are copied to scratch memory, with rows at
// multiples of 16 bytes or more, and K-major where wgmma needs that. One launch packs one operand or both.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "device/launch.hpp"
#include "device/pdl.hpp"
#include "kernels/hopper/parts/matrix.hpp"
#include "kernels/hopper/parts/tile.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper {

// One operand: `rows` of `cols` words as stored, for each of `matrices`. A word has the size of an element.
template <class Word> struct PackJob {
  const Word* from;
  Word* to;
  std::int64_t rows, cols;
  std::int64_t ld_from, ld_to;  // words
  std::int64_t matrices, stride_from, stride_to;
  unsigned blocks_x, blocks_y, blocks_z;
  int across;  // threads along a row, a power of two
  bool transposed, by_squares;
};

// Row by row: coalesced, with eight loads in flight for each thread. Block (x, y).
template <class Word>
__device__ __forceinline__ void pack_long_rows(const PackJob<Word>& g, const Word* matrix, Word* copy, unsigned x,
                                               unsigned y, unsigned blocks_y) {
  constexpr int loads = 8;
  const std::int64_t first = std::int64_t{x} * 256 * loads + threadIdx.x;
  for (std::int64_t row = y; row < g.rows; row += blocks_y) {
    const Word* const from = matrix + row * g.ld_from;
    Word* const to = copy + row * g.ld_to;
    Word words[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i) words[i] = first + i * 256 < g.cols ? from[first + i * 256] : Word{};
#pragma unroll
    for (int i = 0; i < loads; ++i)
      if (first + i * 256 < g.cols) to[first + i * 256] = words[i];
  }
}

// Rows of fewer than 256 words: `across` threads for each, so that a block has several. Short rows of 16-bit words may
// become columns: few, so that L2 collects what is stored to them.
template <class Word>
__device__ __forceinline__ void pack_short_rows(const PackJob<Word>& g, const Word* matrix, Word* copy, unsigned y,
                                                unsigned blocks_y) {
  const int col = static_cast<int>(threadIdx.x) % g.across, rows = 256 / g.across;
  if (col >= g.cols) return;
  const std::int64_t down = g.transposed ? 1 : g.ld_to, right = g.transposed ? g.ld_to : 1;
#pragma unroll 4
  for (std::int64_t row = std::int64_t{y} * rows + static_cast<int>(threadIdx.x) / g.across; row < g.rows;
       row += std::int64_t{blocks_y} * rows)
    copy[row * down + col * right] = matrix[row * g.ld_from + col];
}

template <class Word>
__device__ __forceinline__ void pack_rows(const PackJob<Word>& g, const Word* matrix, Word* copy, unsigned x,
                                          unsigned y, unsigned blocks_y) {
  if (g.across < 256) return pack_short_rows(g, matrix, copy, y, blocks_y);
  pack_long_rows(g, matrix, copy, x, y, blocks_y);
}

// The tile through which an operand is transposed, in shared memory. Kernels declare it, and not the functions they call:
// the emulator checks the accesses to a kernel's own arrays.
template <class Word> struct PackTile;
template <> struct PackTile<std::uint32_t> {
  std::uint32_t words[64][64 + 1];  // rows of an odd number of words against bank conflicts
};
template <> struct PackTile<std::uint16_t> { std::uint16_t words[64][64 + 2]; };
template <> struct PackTile<std::uint8_t> { std::uint32_t words[128][128 / 4]; };
static_assert(std::max(sizeof(PackTile<std::uint32_t>), sizeof(PackTile<std::uint8_t>)) <= kHelperSharedBytes);

// Transposed through 64 x 64 tiles.
template <class Word>
__device__ __forceinline__ void pack_transposed(const PackJob<Word>& g, PackTile<Word>& shared, const Word* from,
                                                Word* to, unsigned block_x, unsigned block_y, unsigned blocks_y) {
  constexpr int side = 64;
  auto& tile = shared.words;
  const int x = static_cast<int>(threadIdx.x) % side, y = static_cast<int>(threadIdx.x) / side;
  const std::int64_t col = std::int64_t{block_x} * side;
  for (std::int64_t row = std::int64_t{block_y} * side; row < g.rows; row += std::int64_t{blocks_y} * side) {
#pragma unroll
    for (int i = 0; i < side; i += 4)
      if (row + y + i < g.rows && col + x < g.cols) tile[y + i][x] = from[(row + y + i) * g.ld_from + col + x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < side; i += 4)
      if (col + y + i < g.cols && row + x < g.rows) to[(col + y + i) * g.ld_to + row + x] = tile[x][y + i];
    __syncthreads();
  }
}

// Bytes, transposed. A thread transposes squares of 4 x 4 in registers and stores their columns to shared memory as
// words: word w of column c is stored at w ^ c / 4, so that neither the threads of a row nor those of a column have
// bank conflicts. Packed rows have multiples of 16 bytes, so a word may reach beyond the last element.
static __device__ __forceinline__ void pack_transposed(const PackJob<std::uint8_t>& g, PackTile<std::uint8_t>& shared,
                                                       const std::uint8_t* from, std::uint8_t* to, unsigned block_x,
                                                       unsigned block_y, unsigned blocks_y) {
  constexpr int side = 128, words = side / 4;
  auto& tile = shared.words;
  const int x = static_cast<int>(threadIdx.x) % words, y = static_cast<int>(threadIdx.x) / words;
  const bool aligned = (reinterpret_cast<std::uintptr_t>(from) | static_cast<std::uintptr_t>(g.ld_from)) % 4 == 0;
  const std::int64_t col = std::int64_t{block_x} * side, left = g.cols - col - x * 4;
  for (std::int64_t row = std::int64_t{block_y} * side; row < g.rows; row += std::int64_t{blocks_y} * side) {
#pragma unroll
    for (int i = 0; i < words; i += 8) {
      std::uint32_t rows[4] = {};
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const std::int64_t at = row + (y + i) * 4 + r;
        const std::uint8_t* const four = from + at * g.ld_from + col + x * 4;
        if (at >= g.rows) continue;
        if (aligned && left >= 4) {
          rows[r] = *reinterpret_cast<const std::uint32_t*>(four);
        } else {
          for (int e = 0; e < 4 && e < left; ++e) rows[r] |= std::uint32_t{four[e]} << e * 8;
        }
      }
      // Interleave the bytes of two rows, and then the pairs of bytes.
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
      if (col + c < g.cols && row + x * 4 < g.rows)
        *reinterpret_cast<std::uint32_t*>(to + (col + c) * g.ld_to + row + x * 4) = tile[c][x ^ c / 4];
    __syncthreads();
  }
}

// One operand, with a matrix of it for each z.
template <class Word, bool transposed> __global__ void __launch_bounds__(256) hopper_pack_one(PackJob<Word> g) {
  pdl_launch_dependents();
  pdl_wait();
  const Word* const from = g.from + blockIdx.z * g.stride_from;
  Word* const to = g.to + blockIdx.z * g.stride_to;
  if constexpr (transposed) {
    __shared__ PackTile<Word> tile;
    pack_transposed(g, tile, from, to, blockIdx.x, blockIdx.y, gridDim.y);
  }
  if constexpr (!transposed) pack_rows(g, from, to, blockIdx.x, blockIdx.y, gridDim.y);
}

// Two operands in one launch: the blocks of the first, then those of the second. A small single operand is packed
// faster by the kernel above: with both loops in one kernel the compiler keeps fewer loads in flight.
template <class Word>
__global__ void __launch_bounds__(256)
    hopper_pack_two(const __grid_constant__ PackJob<Word> first, const __grid_constant__ PackJob<Word> second) {
  pdl_launch_dependents();
  pdl_wait();
  const unsigned before = first.blocks_x * first.blocks_y * first.blocks_z;
  const bool is_first = blockIdx.x < before;
  const PackJob<Word> g = is_first ? first : second;
  const unsigned block = is_first ? blockIdx.x : blockIdx.x - before;
  const unsigned x = block % g.blocks_x, y = block / g.blocks_x % g.blocks_y;
  for (std::int64_t z = block / (g.blocks_x * g.blocks_y); z < g.matrices; z += g.blocks_z) {
    const Word* const from = g.from + z * g.stride_from;
    Word* const to = g.to + z * g.stride_to;
    // wgmma reads 16-bit operands of either layout: only short rows are transposed here.
    if constexpr (sizeof(Word) != 2) {
      __shared__ PackTile<Word> tile;
      if (g.by_squares) {
        pack_transposed(g, tile, from, to, x, y, g.blocks_y);
        continue;
      }
    }
    pack_rows(g, from, to, x, y, g.blocks_y);
  }
}

template <class Word> PackJob<Word> pack_job(const Matrix& from, const Matrix& to) {
  const PackGrid grid = pack_grid(from);
  return {static_cast<const Word*>(from.base),
          static_cast<Word*>(const_cast<void*>(to.base)),
          from.stored_rows(),
          from.stored_cols(),
          from.ld,
          to.ld,
          from.matrices(),
          from.stride,
          to.stride,
          static_cast<unsigned>(grid.x),
          static_cast<unsigned>(grid.y),
          static_cast<unsigned>(grid.z),
          pack_across(from),
          from.major != to.major,
          must_transpose(from)};
}

template <class Word> Status pack_one(const PackJob<Word>& job, Stream stream) {
  const auto kernel = job.by_squares ? hopper_pack_one<Word, true> : hopper_pack_one<Word, false>;
  constexpr std::int64_t most = 65535;
  for (std::int64_t first = 0; first < job.matrices; first += most) {
    PackJob<Word> some = job;
    some.from += first * some.stride_from, some.to += first * some.stride_to;
    const Grid grid{some.blocks_x, some.blocks_y, std::min(some.matrices - first, most)};
    if (Status s = launch_pdl_co_resident(grid, 256, 0, stream, kernel, some); !s.ok()) return s;
  }
  return {};
}

// Packs A and B where needed. They become the packed copies, and `scratch` what is left of it.
template <class Word> Status pack_operands(Matrix& A, Matrix& B, std::span<std::byte>& scratch, Stream stream) {
  PackJob<Word> jobs[2]{};
  std::int64_t count = 0, blocks = 0;
  for (Matrix* operand : {&A, &B}) {
    if (!needs_packing(*operand, !misaligned(operand->base))) continue;
    Matrix to = packed(*operand);
    const std::size_t bytes = bytes_of(to);
    if (scratch.size() < bytes) return {Code::unsupported, "there is no scratch memory for copies of A and B"};
    to.base = scratch.data();
    scratch = scratch.subspan(bytes);
    jobs[count++] = pack_job<Word>(*operand, to);
    blocks += pack_grid(*operand).blocks();
    *operand = to;
  }
  if (count == 0) return {};
  // The kernel for two has no tile for 16-bit words, which groups alone need.
  if (count == 2 && (sizeof(Word) != 2 || !(jobs[0].by_squares || jobs[1].by_squares)))
    return launch_pdl_co_resident({blocks}, 256, 0, stream, hopper_pack_two<Word>, jobs[0], jobs[1]);
  for (std::int64_t i = 0; i < count; ++i)
    if (Status s = pack_one(jobs[i], stream); !s.ok()) return s;
  return {};
}
inline Status pack_operands(Matrix& A, Matrix& B, std::span<std::byte>& scratch, Stream stream) {
  switch (size_of(A.type)) {
    case 1: return pack_operands<std::uint8_t>(A, B, scratch, stream);
    case 2: return pack_operands<std::uint16_t>(A, B, scratch, stream);
    default: return pack_operands<std::uint32_t>(A, B, scratch, stream);
  }
}

}  // namespace cairn::hopper
