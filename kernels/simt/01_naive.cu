// 01 · Naive                                       docs/trail/simt_01_naive.md · cairn bench simt/01
//
// From    -
// Idea    One thread computes one element of C: a row of A times a column of B, straight from global memory.
//         Consecutive lanes take consecutive rows, as loops written "for row, for column" suggest.
// Before  Nothing: the first of the trail.
// Limit   The lanes of a warp read A at a stride of lda words and write C at a stride of ldc words: 32 sectors of 32
//         bytes for 32 words. 02 exchanges threadIdx.x and threadIdx.y.
// Needs   f32, row-major nn; any m, n, k; sm_75.
#include "device/launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_01 {

struct Tile {
  int bm, bn;
  constexpr int threads() const { return bm * bn; }
  constexpr bool valid() const { return bm % 32 == 0 && bn > 0 && threads() <= 1024; }  // a warp within a column
  TileName name() const { return tile_text("%dx%d", bm, bn); }
};
inline constexpr Tile kTiles[] = {{32, 32}, {32, 8}};  // [0] is the default

template <int tile> __global__ void __launch_bounds__(kTiles[tile].threads()) simt_01_naive(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];

  // Where am I: the lanes of a warp (threadIdx.x) run down a column of C.
  const std::int64_t row = std::int64_t{blockIdx.y} * t.bm + threadIdx.x;
  const std::int64_t col = std::int64_t{blockIdx.x} * t.bn + threadIdx.y;
  if (row >= g.m || col >= g.n) return;  // no barrier follows, so a thread may return early

  // Multiply: the lanes read from 32 rows of A, and all of them the same word of B.
  float acc = 0;
  for (std::int64_t k = 0; k < g.k; ++k) acc += g.A[row * g.lda + k] * g.B[k * g.ldb + col];

  // Store. With beta == 0, C is not read: it may hold anything, NaN included.
  float* c = &g.C[row * g.ldc + col];
  *c = g.beta == 0 ? g.alpha * acc : g.alpha * acc + g.beta * *c;
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    return in_slabs(GemmArgs<float>(args), t.bm, [&](const GemmArgs<float>& g) {
      const Grid grid{ceil_div(g.n, t.bn), ceil_div(g.m, t.bm)};
      return cairn::launch(grid, dim3(t.bm, t.bn), 0, stream, simt_01_naive<i>, g);
    });
  });
}

extern const Rung rung = {.id = "simt/01_naive",
                          .title = "Naive",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::simt_01
