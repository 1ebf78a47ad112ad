// 03 · Coalesced, 1-D                              docs/trail/simt_03_coalesced_1d.md · cairn bench simt/03
//
// Idea    The same accesses from a block with one dimension: row and column by division and remainder. From here
//         on a block is a list of threads, and each step of a kernel deals them out as it likes.
// Before  02 let the shape of the block decide who touches what, the same for every step.
// Limit   As 02: two loads through L1 for every multiply-add. 04 fetches a word once for a whole block.
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

  // Where am I: consecutive threads walk along a row of the tile, then start the next. bn is a constant, and a
  // power of two costs a shift and a mask.
  const std::int64_t row = std::int64_t{blockIdx.y} * t.bm + threadIdx.x / t.bn;
  const std::int64_t col = std::int64_t{blockIdx.x} * t.bn + threadIdx.x % t.bn;
  if (row >= g.m || col >= g.n) return;  // nobody waits for anybody here, so a thread may leave

  // Multiply: the lanes read one and the same word of A, and 32 neighbours of a row of B.
  float acc = 0;
  for (std::int64_t k = 0; k < g.k; ++k) acc += g.A[row * g.lda + k] * g.B[k * g.ldb + col];

  // Store. C is not looked at where beta is 0: it may hold anything, NaN too.
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
