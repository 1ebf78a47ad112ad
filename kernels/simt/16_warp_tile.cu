// 16 · Warp tile                                   docs/trail/simt_16_warp_tile.md · cairn bench simt/16
//
// Idea    A level between block and thread: each warp has a tile of C of its own, 64x32 or 32x64, and its lanes lie
// in
//         it as squarely as they can. A warp then reads 96 words a step where 15 read 144 for as many elements.
// Before  11 and 15 dealt the threads of a block out row by row: a warp was two rows of 16 threads, 16x128 elements.
// Limit   Word by word again, so that the warp level is seen alone: 16 reads for 64 multiply-adds. 17 takes four
// words
//         at a time.
// Needs   f32, row-major nn; any m, n, k (edges masked); sm_75.
#include "device/launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_16 {

inline constexpr int kPad = 4;  // words between the rows of sA, as in 14

struct Tile {
  int bm, bn, bk;
  int wm, wn;  // the elements of one warp
  int tm, tn;  // the elements of one thread
  constexpr int threads() const { return bm / wm * (bn / wn) * 32; }
  constexpr int shared() const { return bk * (bm + kPad + bn) * 4; }
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && threads() <= 1024 &&          // whole warps
           wm % tm == 0 && wn % tn == 0 && wm / tm * (wn / tn) == 32 &&  // and whole lanes in a warp
           tm % 4 == 0 && tn % 4 == 0 &&                                 // a thread has pieces of 4 x 4
           bk % 8 == 0 && bm % (threads() / 8) == 0 &&                   // a round of copies is whole columns of
           threads() % bn == 0 && bk * bn % threads() == 0 &&            // 8 words of A, and whole rows of B
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

  // Where am I: the block's tile of C, in it the warp's, and in that the first of the thread's pieces of 4 x 4; the
  // others follow as many lanes further down or to the right.
  const int tid = static_cast<int>(threadIdx.x), warp = tid / 32, lane = tid % 32;
  constexpr int lanes_m = t.wm / t.tm, lanes_n = t.wn / t.tn;
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  const int row = warp / (t.bn / t.wn) * t.wm + lane / lanes_n * 4;
  const int col = warp % (t.bn / t.wn) * t.wn + lane % lanes_n * 4;
  const int rows = static_cast<int>(min(g.m - row0, std::int64_t{t.bm}));  // of the block's tile that are there
  const int cols = static_cast<int>(min(g.n - col0, std::int64_t{t.bn}));

  // What do I copy: this word of each tile, and those some rows below. Eight lanes take 8 words of a row of A, a
  // sector: then four rows are one request, and with the padding they go into 32 banks. A and B move along k.
  const int ra = tid / 8, ca = tid % 8;
  const int rb = tid / t.bn, cb = tid % t.bn;
  const float* A = g.A + (row0 + ra) * g.lda + ca;
  const float* B = g.B + rb * g.ldb + col0 + cb;

  float acc[t.tm][t.tn] = {};
  for (std::int64_t k0 = 0; k0 < g.k; k0 += t.bk, A += t.bk, B += t.bk * g.ldb) {
    // Load. Where a tile hangs over an edge a zero stands in: past the end of k both factors are zeros, so nothing
    // is added; past m or n the sum may be anything, for nobody stores it. The block decides as one.
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
      // Not unrolled: it runs in few blocks, and its addresses would take registers from all of them.
#pragma unroll 1
      for (int i = 0; i < t.bm; i += threads / 8) {
#pragma unroll 1
        for (int j = 0; j < t.bk; j += 8) sA[ca + j][ra + i] = ra + i < rows && ca + j < depth ? A[i * g.lda + j] : 0;
      }
#pragma unroll 1
      for (int i = 0; i < t.bk; i += threads / t.bn) sB[rb + i][cb] = rb + i < depth && cb < cols ? B[i * g.ldb] : 0;
    }
    __syncthreads();

    // Multiply: tm words of a row of sA by tn words of a row of sB, all from registers.
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
    __syncthreads();  // before the next tile is written over this one
  }

  // Store. C is not looked at where beta is 0: it may hold anything, NaN too.
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
