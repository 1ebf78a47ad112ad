// 05 · Block tile, float4                          docs/trail/simt_05_block_tile_vec4.md · cairn bench simt/05
//
// From    simt/04_block_tile
// Idea    Copy the tiles four words at a time: a quarter of the load instructions for the same bytes.
// Before  04 copied one word of each tile in every thread.
// Limit   A quarter of the threads copies; the others wait with no loads in flight. Published kernels of this kind are
//         slower than 04, and this one gains a percent on an H200: a wide copy pays only if every thread has one to
//         make. 10 has tiles large enough for that.
// Needs   f32, row-major nn; any m, n, k (edges masked); 16-byte copies where A and B allow them; sm_75.
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_05 {

struct Tile {
  int bm, bn, bk;
  constexpr int threads() const { return bm * bn; }
  constexpr bool valid() const {
    return bm == bn && bn == bk && threads() <= 1024 &&  // a quarter of the threads copies four words of each tile
           bk % 4 == 0 && threads() % 128 == 0;          // a float4 is in one row, and full warps copy
  }
  TileName name() const { return tile_text("%dx%dx%d", bm, bn, bk); }
};
inline constexpr Tile kTiles[] = {{32, 32, 32}, {16, 16, 16}};  // [0] is the default

template <int tile, bool vector>
__global__ void __launch_bounds__(kTiles[tile].threads()) simt_05_block_tile_vec4(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  alignas(16) __shared__ float sA[t.bm][t.bk];
  alignas(16) __shared__ float sB[t.bk][t.bn];

  // Where am I: one element of C.
  const int tid = static_cast<int>(threadIdx.x), tx = tid % t.bn, ty = tid / t.bn;
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, row = row0 + ty;
  const std::int64_t col0 = std::int64_t{blockIdx.x} * t.bn, col = col0 + tx;
  const int rows = static_cast<int>(min(g.m - row0, std::int64_t{t.bm}));  // of the block's tile, inside C
  const int cols = static_cast<int>(min(g.n - col0, std::int64_t{t.bn}));

  // What do I copy: these four words of each tile. A tile has enough of them for a quarter of the threads only. A and
  // B advance along k.
  const int ra = 4 * tid / t.bk, ca = 4 * tid % t.bk;
  const int rb = 4 * tid / t.bn, cb = 4 * tid % t.bn;
  const float* A = g.A + (row0 + ra) * g.lda + ca;
  const float* B = g.B + rb * g.ldb + col0 + cb;

  float acc = 0;
  for (std::int64_t k0 = 0; k0 < g.k; k0 += t.bk, A += t.bk, B += t.bk * g.ldb) {
    // Load. Outside A and B the tiles are filled with zeros: past the end of k both factors are 0 and add nothing;
    // past m or n the accumulator is never stored. No thread returns early: the barriers need all of them.
    const int depth = static_cast<int>(min(g.k - k0, std::int64_t{t.bk}));
    if (ra < t.bm) {
      const float4 a = load4_edge<vector>(A, ra < rows ? depth - ca : 0);
      const float4 b = load4_edge<vector>(B, rb < depth ? cols - cb : 0);
      store4(&sA[ra][ca], a);  // (bm, bk)
      store4(&sB[rb][cb], b);  // (bk, bn)
    }
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
      const bool vector = rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb);
      const auto kernel = vector ? simt_05_block_tile_vec4<i, true> : simt_05_block_tile_vec4<i, false>;
      return cairn::launch(grid, t.threads(), 0, stream, kernel, g);
    });
  });
}

extern const Rung rung = {.id = "simt/05_block_tile_vec4",
                          .title = "Block tile, float4",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::simt_05
