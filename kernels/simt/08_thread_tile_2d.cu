// 08 · Thread tile, 2-D                            docs/trail/simt_08_thread_tile_2d.md · cairn bench simt/08
//
// From    simt/06_thread_tile_1d
// Idea    One thread computes a tile of tm x tn elements of C instead of a column, so a block of half the threads
//         covers four times the area: a word from global memory serves 128 multiply-adds instead of 64.
// Before  06 used a word of sB for tm multiply-adds, and a word of sA for one.
// Limit   As written, every multiply-add reads two words of shared memory. 09 loads each into a register once.
// Needs   f32, row-major nn; any m, n, k (edges masked); sm_75.
#include "device/launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_08 {

struct Tile {
  int bm, bn, bk;
  int tm, tn;  // the thread tile
  constexpr int threads() const { return bm / tm * (bn / tn); }
  constexpr bool valid() const {
    return bm % tm == 0 && bn % tn == 0 && threads() % 32 == 0 && threads() <= 1024 &&  // full warps
           threads() % bk == 0 && threads() % bn == 0 &&            // a copy iteration covers full rows of a tile,
           bm * bk % threads() == 0 && bk * bn % threads() == 0 &&  // and no thread is idle in it
           bk * (bm + bn) * 4 <= 48 * 1024 &&                       // shared memory of a block
           2 * threads() * (tm * tn + tm + tn) <= 65536;            // registers of two blocks
  }
  TileName name() const { return tile_text("%dx%dx%d %dx%d", bm, bn, bk, tm, tn); }
};
inline constexpr Tile kTiles[] = {{128, 128, 8, 8, 8}, {64, 64, 8, 4, 4}};  // [0] is the default

template <int tile, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, 2) simt_08_thread_tile_2d(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  __shared__ float sA[t.bm][t.bk];
  __shared__ float sB[t.bk][t.bn];

  // Where am I: the block's tile of C, and in it the thread's tile of tm x tn elements.
  const int tid = static_cast<int>(threadIdx.x);
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  const int row = tid / (t.bn / t.tn) * t.tm, col = tid % (t.bn / t.tn) * t.tn;
  const int rows = static_cast<int>(min(g.m - row0, std::int64_t{t.bm}));  // of the block's tile, inside C
  const int cols = static_cast<int>(min(g.n - col0, std::int64_t{t.bn}));

  // What do I copy: this word of each tile, and the words a fixed number of rows below it. A and B advance along k.
  const int ra = tid / t.bk, ca = tid % t.bk;
  const int rb = tid / t.bn, cb = tid % t.bn;
  const float* A = g.A + (row0 + ra) * g.lda + ca;
  const float* B = g.B + rb * g.ldb + col0 + cb;

  float acc[t.tm][t.tn] = {};
  for (std::int64_t k0 = 0; k0 < g.k; k0 += t.bk, A += t.bk, B += t.bk * g.ldb) {
    // Load. Outside A and B the tiles are filled with zeros: past the end of k both factors are 0 and add nothing;
    // past m or n the accumulators are never stored. The condition is the same for all threads of the block.
    const int depth = static_cast<int>(min(g.k - k0, std::int64_t{t.bk}));
    if (rows == t.bm && cols == t.bn && depth == t.bk) {
#pragma unroll 8
      for (int i = 0; i < t.bm; i += threads / t.bk) sA[ra + i][ca] = A[i * g.lda];  // (bm, bk)
#pragma unroll 8
      for (int i = 0; i < t.bk; i += threads / t.bn) sB[rb + i][cb] = B[i * g.ldb];  // (bk, bn)
    } else {
#pragma unroll 8
      for (int i = 0; i < t.bm; i += threads / t.bk) sA[ra + i][ca] = ra + i < rows && ca < depth ? A[i * g.lda] : 0;
#pragma unroll 8
      for (int i = 0; i < t.bk; i += threads / t.bn) sB[rb + i][cb] = rb + i < depth && cb < cols ? B[i * g.ldb] : 0;
    }
    __syncthreads();

    // Multiply: an outer product of tm words of a column of sA and tn words of a row of sB, from shared memory.
    // Unrolled by two: unrolled further, the compiler loads more of sA ahead and runs out of registers.
#pragma unroll 2
    for (int kk = 0; kk < t.bk; ++kk) {
#pragma unroll
      for (int i = 0; i < t.tm; ++i) {
#pragma unroll
        for (int j = 0; j < t.tn; ++j) acc[i][j] += sA[row + i][kk] * sB[kk][col + j];
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
      return cairn::launch(grid, t.threads(), 0, stream, simt_08_thread_tile_2d<i>, g);
    });
  });
}

extern const Rung rung = {.id = "simt/08_thread_tile_2d",
                          .title = "Thread tile, 2-D",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::simt_08
