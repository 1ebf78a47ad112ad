// 11 · A transposed                                docs/trail/simt_11_a_transposed.md · cairn bench simt/11
//
// From    simt/09_register_tile
// Idea    sA is stored transposed, (bk, bm): one kk is a row of sA as it is of sB, and the tm words that a thread
//         needs of it are contiguous.
// Before  09 (and 10) read rA down a column of sA, from tm rows.
// Limit   Copied word by word, consecutive words of a row of A are stored bm words apart, in one bank: 16 wavefronts
//         for a store. 12 copies four words at a time, so that fewer lanes store to the same bank.
// Needs   f32, row-major nn; any m, n, k (edges masked); sm_75.
#include "device/launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_11 {

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
inline constexpr Tile kTiles[] = {{128, 128, 16, 8, 8}, {128, 128, 8, 8, 8}};  // [0] is the default

template <int tile, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, 2) simt_11_a_transposed(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  __shared__ float sA[t.bk][t.bm];
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
      for (int i = 0; i < t.bm; i += threads / t.bk) sA[ca][ra + i] = A[i * g.lda];  // (bk, bm)
#pragma unroll 8
      for (int i = 0; i < t.bk; i += threads / t.bn) sB[rb + i][cb] = B[i * g.ldb];  // (bk, bn)
    } else {
#pragma unroll 8
      for (int i = 0; i < t.bm; i += threads / t.bk) sA[ca][ra + i] = ra + i < rows && ca < depth ? A[i * g.lda] : 0;
#pragma unroll 8
      for (int i = 0; i < t.bk; i += threads / t.bn) sB[rb + i][cb] = rb + i < depth && cb < cols ? B[i * g.ldb] : 0;
    }
    __syncthreads();

    // Multiply: an outer product of tm words of a row of sA and tn words of a row of sB, from registers.
#pragma unroll
    for (int kk = 0; kk < t.bk; ++kk) {
      float rA[t.tm], rB[t.tn];
#pragma unroll
      for (int i = 0; i < t.tm; ++i) rA[i] = sA[kk][row + i];
#pragma unroll
      for (int j = 0; j < t.tn; ++j) rB[j] = sB[kk][col + j];
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
      return cairn::launch(grid, t.threads(), 0, stream, simt_11_a_transposed<i>, g);
    });
  });
}

extern const Rung rung = {.id = "simt/11_a_transposed",
                          .title = "A transposed",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::simt_11
