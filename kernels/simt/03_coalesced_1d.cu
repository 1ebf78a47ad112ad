// 03 · Coalesced, 1-D                              docs/trail/simt_03_coalesced_1d.md · cairn bench simt/03
//
// From    simt/02_coalesced
// Idea    The same accesses from a one-dimensional block: row and column by division and remainder. From here on each
//         phase of a kernel maps the threads of its block to data in its own way.
// Before  02 let the shape of the block decide which thread accesses what, the same for every phase.
// Limit   As 02: two loads through L1 for every multiply-add. 04 loads a word once for the block.
// Needs   f32, row-major nn; any m, n, k; sm_75.
#include "device/launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_03 {

struct Tile {
  int bm, bn;
  constexpr int threads() const { return bm * bn; }
  constexpr bool valid() const { return bn % 32 == 0 && bm > 0 && threads() <= 1024; }  // a warp within a row
  TileName name() const { return tile_text("%dx%d", bm, bn); }
};
inline constexpr Tile kTiles[] = {{32, 32}, {8, 32}};  // [0] is the default

template <int tile>
__global__ void __launch_bounds__(kTiles[tile].threads()) simt_03_coalesced_1d(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];

  // Where am I: consecutive threads run along a row of the tile, then along the next. bn is a constant power of two,
  // so the division costs a shift and a mask.
  const std::int64_t row = std::int64_t{blockIdx.y} * t.bm + threadIdx.x / t.bn;
  const std::int64_t col = std::int64_t{blockIdx.x} * t.bn + threadIdx.x % t.bn;
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
      return cairn::launch(grid, t.threads(), 0, stream, simt_03_coalesced_1d<i>, g);
    });
  });
}

extern const Rung rung = {.id = "simt/03_coalesced_1d",
                          .title = "Coalesced, 1-D block",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::simt_03
