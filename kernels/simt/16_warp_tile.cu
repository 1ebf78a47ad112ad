// 16 · Warp tile                                   docs/trail/simt_16_warp_tile.md · cairn bench simt/16
//
// From    simt/11_a_transposed
// Idea    A level between block and thread: each warp has its own tile of C, 64x32 or 32x64, and its lanes are
//         arranged in it as squarely as possible. It reads 96 words per kk where 15 read 144.
// Before  11 (and 15) assigned the threads of a block row by row: a warp was two rows of 16 threads, 16x128 elements.
// Limit   Word by word again, to show the warp level alone: 16 reads for 64 multiply-adds. 17 uses float4.
// Needs   f32, row-major nn; any m, n, k (edges masked); sm_75.
#include "device/launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_16 {

inline constexpr int kPad = 4;  // words of padding after each row of sA, as in 14

struct Tile {
  int bm, bn, bk;
  int wm, wn;  // the warp tile
  int tm, tn;  // the thread tile
  constexpr int threads() const { return bm / wm * (bn / wn) * 32; }
  constexpr int shared() const { return bk * (bm + kPad + bn) * 4; }
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && threads() <= 1024 &&          // full warps
           wm % tm == 0 && wn % tn == 0 && wm / tm * (wn / tn) == 32 &&  // of 32 thread tiles
           tm % 4 == 0 && tn % 4 == 0 &&                                 // of 4 x 4 sub-tiles
           bk % 8 == 0 && bm % (threads() / 8) == 0 &&                   // a copy iteration covers full rows:
           threads() % bn == 0 && bk * bn % threads() == 0 &&            // 8 words of A, bn words of B
           shared() <= 48 * 1024 &&                                      // shared memory of a block
           2 * threads() * (tm * tn + tm + tn) <= 65536;                 // registers of two blocks
  }
  TileName name() const { return tile_text("%dx%dx%d %dx%d %dx%d", bm, bn, bk, wm, wn, tm, tn); }
};
inline constexpr Tile kTiles[] = {{128, 128, 16, 64, 32, 8, 8}, {128, 128, 16, 32, 64, 8, 8}};  // [0] is the default

template <int tile, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, 2) simt_16_warp_tile(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  alignas(16) __shared__ float sA[t.bk][t.bm + kPad];
  alignas(16) __shared__ float sB[t.bk][t.bn];

  // Where am I: the block's tile of C, in it the warp's, and in that the first 4 x 4 sub-tile of the thread. Its
  // other sub-tiles are 4 * lanes_m rows further down, 4 * lanes_n columns further right.
  const int tid = static_cast<int>(threadIdx.x), warp = tid / 32, lane = tid % 32;
  constexpr int lanes_m = t.wm / t.tm, lanes_n = t.wn / t.tn;
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  const int row = warp / (t.bn / t.wn) * t.wm + lane / lanes_n * 4;
  const int col = warp % (t.bn / t.wn) * t.wn + lane % lanes_n * 4;
  const int rows = static_cast<int>(min(g.m - row0, std::int64_t{t.bm}));  // of the block's tile, inside C
  const int cols = static_cast<int>(min(g.n - col0, std::int64_t{t.bn}));

  // What do I copy: this word of each tile, and those a fixed number of rows below. Eight lanes read 8 words of a row
  // of A, a sector: a request has four rows, which the padding spreads over 32 banks. A and B advance along k.
  const int ra = tid / 8, ca = tid % 8;
  const int rb = tid / t.bn, cb = tid % t.bn;
  const float* A = g.A + (row0 + ra) * g.lda + ca;
  const float* B = g.B + rb * g.ldb + col0 + cb;

  float acc[t.tm][t.tn] = {};
  for (std::int64_t k0 = 0; k0 < g.k; k0 += t.bk, A += t.bk, B += t.bk * g.ldb) {
    // Load. Outside A and B the tiles are filled with zeros: past the end of k both factors are 0 and add nothing;
    // past m or n the accumulators are never stored. The condition is the same for all threads of the block.
    const int depth = static_cast<int>(min(g.k - k0, std::int64_t{t.bk}));
    if (rows == t.bm && cols == t.bn && depth == t.bk) {
#pragma unroll
      for (int i = 0; i < t.bm; i += threads / 8) {
#pragma unroll
        for (int j = 0; j < t.bk; j += 8) sA[ca + j][ra + i] = A[i * g.lda + j];  // (bk, bm)
      }
#pragma unroll
      for (int i = 0; i < t.bk; i += threads / t.bn) sB[rb + i][cb] = B[i * g.ldb];  // (bk, bn)
    } else {
      // Not unrolled: only edge blocks run this, and the unrolled addresses would take registers in all blocks.
#pragma unroll 1
      for (int i = 0; i < t.bm; i += threads / 8) {
#pragma unroll 1
        for (int j = 0; j < t.bk; j += 8) sA[ca + j][ra + i] = ra + i < rows && ca + j < depth ? A[i * g.lda + j] : 0;
      }
#pragma unroll 1
      for (int i = 0; i < t.bk; i += threads / t.bn) sB[rb + i][cb] = rb + i < depth && cb < cols ? B[i * g.ldb] : 0;
    }
    __syncthreads();

    // Multiply: an outer product of tm words of a row of sA and tn words of a row of sB, from registers.
#pragma unroll
    for (int kk = 0; kk < t.bk; ++kk) {
      float rA[t.tm], rB[t.tn];
#pragma unroll
      for (int i = 0; i < t.tm; ++i) rA[i] = sA[kk][row + i / 4 * 4 * lanes_m + i % 4];
#pragma unroll
      for (int j = 0; j < t.tn; ++j) rB[j] = sB[kk][col + j / 4 * 4 * lanes_n + j % 4];
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
    const int r = row + i / 4 * 4 * lanes_m + i % 4;
    if (r >= rows) continue;
    float* c = &g.C[(row0 + r) * g.ldc + col0 + col];
#pragma unroll
    for (int j = 0; j < t.tn; ++j) {
      const int right = j / 4 * 4 * lanes_n + j % 4;
      if (col + right < cols) c[right] = g.beta == 0 ? g.alpha * acc[i][j] : g.alpha * acc[i][j] + g.beta * c[right];
    }
  }
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    return in_slabs(GemmArgs<float>(args), t.bm, [&](const GemmArgs<float>& g) {
      const Grid grid{ceil_div(g.n, t.bn), ceil_div(g.m, t.bm)};
      return cairn::launch(grid, t.threads(), 0, stream, simt_16_warp_tile<i>, g);
    });
  });
}

extern const Rung rung = {.id = "simt/16_warp_tile",
                          .title = "Warp tile",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::simt_16
