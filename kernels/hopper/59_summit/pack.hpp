// The pre-pass of the summit: an operand that TMA or wgmma cannot take as it lies is copied to scratch memory as they
// want it, neighbours along k where that is needed, rows at multiples of 16 bytes. Words are bits: nothing is
// computed.
#pragma once

#include <cstdint>

#include "device/launch.hpp"
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
  constexpr int side = 64, pad = 4 / sizeof(Word);
  __shared__ Word tile[side][side + pad];
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

template <class Word> Status pack_lines(const Lines<Word>& g, std::int64_t batch, bool turned, Stream stream) {
  constexpr std::int64_t most = 65535;
  for (std::int64_t first = 0; first < batch; first += most) {
    Lines<Word> some = g;
    some.from += first * g.stride_from;
    some.to += first * g.stride_to;
    const std::int64_t products = std::min(batch - first, most);
    const Grid grid = turned ? Grid{ceil_div(g.width, 64), std::min(ceil_div(g.lines, 64), most), products}
                             : Grid{ceil_div(g.width, 256 * 8), std::min(g.lines, most), products};
    const auto kernel = turned ? hopper_59_turn_lines<Word> : hopper_59_copy_lines<Word>;
    if (Status s = launch(grid, 256, 0, stream, kernel, some); !s.ok()) return s;
  }
  return {};
}

}  // namespace cairn::hopper_59
