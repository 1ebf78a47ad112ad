// 07 · Thread tile, 1-D, float4                    docs/trail/simt_07_thread_tile_1d_vec4.md · cairn bench simt/07
//
// From    simt/06_thread_tile_1d
// Idea    Copy the tiles four words at a time, as 05 did.
// Before  06 copied one word of each tile in every thread.
// Limit   As 05: a quarter of the threads copies, and the others wait with no loads in flight. In 10 every thread has
//         four words to copy.
// Needs   f32, row-major nn; any m, n, k (edges masked); 16-byte copies where A and B allow them; sm_75.
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_07 {

struct Tile {
  int bm, bn, bk;
  int tm;  // the thread tile: tm elements of a column
  constexpr int threads() const { return bm / tm * bn; }
  constexpr bool valid() const {
    return bm % tm == 0 && threads() % 32 == 0 && threads() <= 1024 && bn % 32 == 0 &&  // a warp within a row
           bm * bk == threads() && bk * bn == threads() &&  // a quarter of the threads copies four words of each tile
           bk % 4 == 0 && threads() % 128 == 0 &&           // a float4 is in one row, and full warps copy
           bk * (bm + bn) * 4 <= 48 * 1024 &&               // shared memory of a block
           4 * threads() * (tm + tm + 1) <= 65536;          // registers of four blocks
  }
  TileName name() const { return tile_text("%dx%dx%d %dx1", bm, bn, bk, tm); }
};
inline constexpr Tile kTiles[] = {{64, 64, 8, 8}, {32, 32, 8, 4}};  // [0] is the default

template <int tile, bool vector, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, resident(threads, 4)) simt_07_thread_tile_1d_vec4(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  alignas(16) __shared__ float sA[t.bm][t.bk];
  alignas(16) __shared__ float sB[t.bk][t.bn];

  // Where am I: the block's tile of C, and in it the thread's tm elements of a column.
  const int tid = static_cast<int>(threadIdx.x);
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  const int row = tid / t.bn * t.tm, col = tid % t.bn;
  const int rows = static_cast<int>(min(g.m - row0, std::int64_t{t.bm}));  // of the block's tile, inside C
  const int cols = static_cast<int>(min(g.n - col0, std::int64_t{t.bn}));

  // What do I copy: these four words of each tile. A tile has enough of them for a quarter of the threads only. A and
  // B advance along k.
  const int ra = 4 * tid / t.bk, ca = 4 * tid % t.bk;
  const int rb = 4 * tid / t.bn, cb = 4 * tid % t.bn;
  const float* A = g.A + (row0 + ra) * g.lda + ca;
  const float* B = g.B + rb * g.ldb + col0 + cb;

  float acc[t.tm] = {};
  for (std::int64_t left = g.k; left > 0; left -= t.bk, A += t.bk, B += t.bk * g.ldb) {
    // Load. Outside A and B the tiles are filled with zeros: past the end of k both factors are 0 and add nothing;
    // past m or n the accumulators are never stored. The condition is the same for all threads of the block.
    const int depth = static_cast<int>(min(left, std::int64_t{t.bk}));
    if (ra < t.bm && rows == t.bm && cols == t.bn && depth == t.bk) {
      store4(&sA[ra][ca], load4<vector>(A));  // (bm, bk)
      store4(&sB[rb][cb], load4<vector>(B));  // (bk, bn)
    } else if (ra < t.bm) {
      store4(&sA[ra][ca], load4_edge<vector>(A, ra < rows ? depth - ca : 0));
      store4(&sB[rb][cb], load4_edge<vector>(B, rb < depth ? cols - cb : 0));
    }
    __syncthreads();

    // Multiply: tm words of a column of sA, each the same for all lanes, by one word of sB. Unrolled by two: unrolled
    // further, the compiler loads more of sA ahead than 32 registers hold.
#pragma unroll 2
    for (int kk = 0; kk < t.bk; ++kk) {
      const float rB = sB[kk][col];
#pragma unroll
      for (int i = 0; i < t.tm; ++i) acc[i] += sA[row + i][kk] * rB;
    }
    __syncthreads();  // before the next tiles overwrite these
  }

  // Store. With beta == 0, C is not read: it may hold anything, NaN included.
#pragma unroll
  for (int i = 0; i < t.tm; ++i) {
    if (row + i >= rows || col >= cols) continue;
    float* c = &g.C[(row0 + row + i) * g.ldc + col0 + col];
    *c = g.beta == 0 ? g.alpha * acc[i] : g.alpha * acc[i] + g.beta * *c;
  }
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    return in_slabs(GemmArgs<float>(args), t.bm, [&](const GemmArgs<float>& g) {
      const Grid grid{ceil_div(g.n, t.bn), ceil_div(g.m, t.bm)};
      const bool vector = rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb);
      const auto kernel = vector ? simt_07_thread_tile_1d_vec4<i, true> : simt_07_thread_tile_1d_vec4<i, false>;
      return cairn::launch(grid, t.threads(), 0, stream, kernel, g);
    });
  });
}

extern const Rung rung = {.id = "simt/07_thread_tile_1d_vec4",
                          .title = "Thread tile, 1-D, float4",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::simt_07
