// 02 · Coalesced                                   docs/trail/simt_02_coalesced.md · cairn bench simt/02
//
// From    simt/01_naive
// Idea    The lanes of a warp run along a row of C instead of down a column. They read consecutive words of B, write
//         consecutive words of C, and share one word of A: 4 sectors, 4 sectors and 1.
// Before  01 read A and wrote C with 32 sectors per request.
// Limit   Two loads through L1 for every multiply-add, although other threads of the block load the same words.
// Needs   f32, row-major nn; any m, n, k; sm_75.
#include "device/launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_02 {

struct Tile {
  int bm, bn;
  constexpr int threads() const { return bm * bn; }
  constexpr bool valid() const { return bn % 32 == 0 && bm > 0 && threads() <= 1024; }  // a warp within a row
  TileName name() const { return tile_text("%dx%d", bm, bn); }
};
inline constexpr Tile kTiles[] = {{32, 32}, {8, 32}};  // [0] is the default

template <int tile> __global__ void __launch_bounds__(kTiles[tile].threads()) simt_02_coalesced(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];

  // Where am I: the lanes of a warp (threadIdx.x) run along a row of C.
  const std::int64_t row = std::int64_t{blockIdx.y} * t.bm + threadIdx.y;
  const std::int64_t col = std::int64_t{blockIdx.x} * t.bn + threadIdx.x;
  if (row >= g.m || col >= g.n) return;  // no barrier follows, so a thread may return early

  // Multiply: all lanes read the same word of A, and 32 consecutive words of a row of B.
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
      return cairn::launch(grid, dim3(t.bn, t.bm), 0, stream, simt_02_coalesced<i>, g);
    });
  });
}

extern const Rung rung = {.id = "simt/02_coalesced",
                          .title = "Coalesced",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::simt_02
