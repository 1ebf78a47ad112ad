// 04 · Block tile                                  docs/trail/simt_04_block_tile.md · cairn bench simt/04
//
// From    simt/03_coalesced_1d
// Idea    A block keeps a bm x bk tile of A and a bk x bn tile of B in shared memory: each word loaded from global
//         memory serves bn (or bm) multiply-adds instead of one.
// Before  03 read two words through L1 for every multiply-add.
// Limit   Two shared-memory loads for every multiply-add. 06 moves the reuse into registers.
// Needs   f32, row-major nn; any m, n, k (edges masked); sm_75.
#include "device/launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_04 {

struct Tile {
  int bm, bn, bk;
  constexpr int threads() const { return bm * bn; }
  constexpr bool valid() const {
    return bm == bn && bn == bk && threads() <= 1024;
  }  // each thread copies one word of each tile
  TileName name() const { return tile_text("%dx%dx%d", bm, bn, bk); }
};
inline constexpr Tile kTiles[] = {{32, 32, 32}, {16, 16, 16}};  // [0] is the default

template <int tile> __global__ void __launch_bounds__(kTiles[tile].threads()) simt_04_block_tile(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  __shared__ float sA[t.bm][t.bk];
  __shared__ float sB[t.bk][t.bn];

  // Where am I: one element of C.
  const int tid = static_cast<int>(threadIdx.x), tx = tid % t.bn, ty = tid / t.bn;
  const std::int64_t row = std::int64_t{blockIdx.y} * t.bm + ty;
  const std::int64_t col = std::int64_t{blockIdx.x} * t.bn + tx;

  // What do I copy: the word (ty, tx) of each tile, while k0 is below end_a and end_b. A and B advance along k.
  const float* A = g.A + row * g.lda + tx;
  const float* B = g.B + ty * g.ldb + col;
  const std::int64_t end_a = row < g.m ? g.k - tx : 0, end_b = col < g.n ? g.k - ty : 0;

  float acc = 0;
  for (std::int64_t k0 = 0; k0 < g.k; k0 += t.bk, A += t.bk, B += t.bk * g.ldb) {
    // Load. Outside A and B the tiles are filled with zeros: past the end of k both factors are 0 and add nothing;
    // past m or n the accumulator is never stored. No thread returns early: the barriers need all of them.
    sA[ty][tx] = k0 < end_a ? *A : 0;  // (bm, bk)
    sB[ty][tx] = k0 < end_b ? *B : 0;  // (bk, bn)
    __syncthreads();

    // Multiply: a warp reads one word of sA for all lanes, and 32 consecutive words of sB.
    for (int kk = 0; kk < t.bk; ++kk) acc += sA[ty][kk] * sB[kk][tx];
    __syncthreads();  // before the next tiles overwrite these
  }

  // Store. With beta == 0, C is not read: it may hold anything, NaN included.
  if (row >= g.m || col >= g.n) return;
  float* c = &g.C[row * g.ldc + col];
  *c = g.beta == 0 ? g.alpha * acc : g.alpha * acc + g.beta * *c;
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    return in_slabs(GemmArgs<float>(args), t.bm, [&](const GemmArgs<float>& g) {
      const Grid grid{ceil_div(g.n, t.bn), ceil_div(g.m, t.bm)};
      return cairn::launch(grid, t.threads(), 0, stream, simt_04_block_tile<i>, g);
    });
  });
}

extern const Rung rung = {.id = "simt/04_block_tile",
                          .title = "Block tile",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::simt_04
