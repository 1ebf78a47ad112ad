// 10 · Vector copy                                 docs/trail/simt_10_vector_copy.md · cairn bench simt/10
//
// From    simt/09_register_tile
// Idea    Tiles are copied four words at a time, global to shared, and rB is read four words at a time: a quarter of
//         the instructions for the same bytes. Every thread has a float4 of each tile to copy, so no thread is idle.
// Before  09 copied word by word: eight loads and eight stores per thread for a tile of A and of B with bk = 8.
// Limit   rA is still read word by word, down a column of sA. 11 transposes sA.
// Needs   f32, row-major nn; any m, n, k (edges masked); 16-byte copies where A and B allow them; sm_75.
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_10 {

struct Tile {
  int bm, bn, bk;
  int tm, tn;  // the thread tile
  constexpr int threads() const { return bm / tm * (bn / tn); }
  constexpr bool valid() const {
    return bm % tm == 0 && bn % tn == 0 && threads() % 32 == 0 && threads() <= 1024 &&  // full warps
           bk % 4 == 0 && tn % 4 == 0 &&                          // a float4 is in one row, and in one thread tile
           4 * threads() % bk == 0 && 4 * threads() % bn == 0 &&  // a copy iteration covers full rows,
           bm * bk % (4 * threads()) == 0 && bk * bn % (4 * threads()) == 0 &&  // and no thread is idle in it
           bk * (bm + bn) * 4 <= 48 * 1024 &&                                   // shared memory of a block
           2 * threads() * (tm * tn + tm + tn) <= 65536;                        // registers of two blocks
  }
  TileName name() const { return tile_text("%dx%dx%d %dx%d", bm, bn, bk, tm, tn); }
};
inline constexpr Tile kTiles[] = {{128, 128, 8, 8, 8}, {128, 128, 16, 8, 8}};  // [0] is the default

template <int tile, bool vector, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, 2) simt_10_vector_copy(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  alignas(16) __shared__ float sA[t.bm][t.bk];
  alignas(16) __shared__ float sB[t.bk][t.bn];

  // Where am I: the block's tile of C, and in it the thread's tile of tm x tn elements.
  const int tid = static_cast<int>(threadIdx.x);
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  const int row = tid / (t.bn / t.tn) * t.tm, col = tid % (t.bn / t.tn) * t.tn;
  const int rows = static_cast<int>(min(g.m - row0, std::int64_t{t.bm}));  // of the block's tile, inside C
  const int cols = static_cast<int>(min(g.n - col0, std::int64_t{t.bn}));

  // What do I copy: these four words of each tile, and those a fixed number of rows below. A and B advance along k.
  const int ra = 4 * tid / t.bk, ca = 4 * tid % t.bk;
  const int rb = 4 * tid / t.bn, cb = 4 * tid % t.bn;
  const float* A = g.A + (row0 + ra) * g.lda + ca;
  const float* B = g.B + rb * g.ldb + col0 + cb;

  float acc[t.tm][t.tn] = {};
  for (std::int64_t k0 = 0; k0 < g.k; k0 += t.bk, A += t.bk, B += t.bk * g.ldb) {
    // Load. Outside A and B the tiles are filled with zeros: past the end of k both factors are 0 and add nothing;
    // past m or n the accumulators are never stored. The condition is the same for all threads of the block.
    const int depth = static_cast<int>(min(g.k - k0, std::int64_t{t.bk}));
    if (rows == t.bm && cols == t.bn && depth == t.bk) {
#pragma unroll
      for (int i = 0; i < t.bm; i += 4 * threads / t.bk)
        store4(&sA[ra + i][ca], load4<vector>(A + i * g.lda));  // (bm, bk)
#pragma unroll
      for (int i = 0; i < t.bk; i += 4 * threads / t.bn)
        store4(&sB[rb + i][cb], load4<vector>(B + i * g.ldb));  // (bk, bn)
    } else {
#pragma unroll
      for (int i = 0; i < t.bm; i += 4 * threads / t.bk)
        store4(&sA[ra + i][ca], load4_edge<vector>(A + i * g.lda, ra + i < rows ? depth - ca : 0));
#pragma unroll
      for (int i = 0; i < t.bk; i += 4 * threads / t.bn)
        store4(&sB[rb + i][cb], load4_edge<vector>(B + i * g.ldb, rb + i < depth ? cols - cb : 0));
    }
    __syncthreads();

    // Multiply: an outer product of tm words of a column of sA and tn words of a row of sB, from registers.
    // Unrolled by two: unrolled further, the compiler loads more of sA ahead and runs out of registers.
#pragma unroll 2
    for (int kk = 0; kk < t.bk; ++kk) {
      float rA[t.tm], rB[t.tn];
#pragma unroll
      for (int i = 0; i < t.tm; ++i) rA[i] = sA[row + i][kk];
#pragma unroll
      for (int j = 0; j < t.tn; j += 4) load4(&rB[j], &sB[kk][col + j]);
#pragma unroll
      for (int i = 0; i < t.tm; ++i) {
#pragma unroll
        for (int j = 0; j < t.tn; ++j) acc[i][j] += rA[i] * rB[j];
      }
    }
    __syncthreads();  // before the next tiles overwrite these
  }

  // Store. With beta == 0, C is not read: it may hold anything, NaN included.
#pragma unroll
  for (int i = 0; i < t.tm; ++i) {
#pragma unroll
    for (int j = 0; j < t.tn; ++j) {
      if (row + i >= rows || col + j >= cols) continue;
      float* c = &g.C[(row0 + row + i) * g.ldc + col0 + col + j];
      *c = g.beta == 0 ? g.alpha * acc[i][j] : g.alpha * acc[i][j] + g.beta * *c;
    }
  }
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    return in_slabs(GemmArgs<float>(args), t.bm, [&](const GemmArgs<float>& g) {
      const Grid grid{ceil_div(g.n, t.bn), ceil_div(g.m, t.bm)};
      const bool vector = rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb);
      const auto kernel = vector ? simt_10_vector_copy<i, true> : simt_10_vector_copy<i, false>;
      return cairn::launch(grid, t.threads(), 0, stream, kernel, g);
    });
  });
}

extern const Rung rung = {.id = "simt/10_vector_copy",
                          .title = "Vector copy",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::simt_10
