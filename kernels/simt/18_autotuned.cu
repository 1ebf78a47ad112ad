// 18 · Autotuned                                   docs/trail/simt_18_autotuned.md · cairn bench simt/18
//
// Idea    The kernel of 17 with a list of tiles to search. Which is best depends on registers, on the blocks an SM
//         holds and on how they fill the GPU: what a compiler and a machine do cannot be computed, but tried.
// Before  17 had two tiles, chosen by thought.
// Limit   As 17: within a block, loads and multiply-adds take turns. 19 lets them overlap.
// Needs   f32, row-major nn; any m, n, k (edges masked); 16-byte accesses where A, B and C allow them; sm_75.
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_18 {

inline constexpr int kPad = 4;  // words between the rows of sA, as in 14

struct Tile {
  int bm, bn, bk;
  int wm, wn;  // the elements of one warp
  int tm, tn;  // the elements of one thread
  int blocks;  // on an SM at a time, at least
  constexpr int threads() const { return bm / wm * (bn / wn) * 32; }
  constexpr int shared() const { return bk * (bm + kPad + bn) * 4; }
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && threads() <= 1024 &&          // whole warps
           wm % tm == 0 && wn % tn == 0 && wm / tm * (wn / tn) == 32 &&  // and whole lanes in a warp
           tm % 4 == 0 && tn % 4 == 0 &&                                 // a thread has pieces of 4 x 4
           bk % 8 == 0 && bm % (threads() / 2) == 0 &&                   // a round of copies is whole columns of
           4 * threads() % bn == 0 && bk * bn % (4 * threads()) == 0 &&  // 8 words of A, and whole rows of B
           shared() <= 48 * 1024 && blocks * (shared() + 1024) <= 100 * 1024 &&  // shared memory of a block, of an SM
           blocks * threads() * (tm * tn + tm + tn) <= 65536;                    // registers of an SM
  }
  TileName name() const { return tile_text("%dx%dx%d %dx%d %dx%d by %d", bm, bn, bk, wm, wn, tm, tn, blocks); }
};

// Of 8x16 elements a thread an SM has room for eight warps, or for twelve with few registers to spare; of 8x8 for
// sixteen. Blocks of 128x128 ask the least of L2.
inline constexpr Tile kTiles[] = {
    {128, 128, 16, 64, 32, 8, 8, 2},   // [0] is the default: sixteen warps an SM
    {128, 128, 16, 64, 64, 8, 16, 2},  // more for each thread, and half as many warps
    {128, 128, 8, 64, 64, 8, 16, 2},   // half the loop, twice the barriers
    {128, 128, 32, 64, 64, 8, 16, 2},  // the other way round
    {128, 128, 8, 64, 64, 8, 16, 3},   // twelve warps an SM
    {128, 128, 16, 64, 64, 16, 8, 2},  // the mirror image
    {64, 128, 16, 64, 64, 8, 16, 4},   // two warps a block
    {64, 128, 8, 64, 64, 8, 16, 6},    // and twelve an SM
    {128, 64, 16, 64, 64, 8, 16, 4},   // upright
    {64, 256, 16, 32, 128, 8, 16, 2},  // long
    {128, 128, 8, 64, 32, 8, 8, 2},    // sixteen warps again, with half the loop
    {64, 128, 16, 32, 64, 8, 8, 4},    // in smaller blocks
    {64, 64, 16, 32, 64, 8, 8, 8},     // in the smallest
};

// Four neighbours of a row of A, one below the other.
template <int rows, int cols>
__device__ __forceinline__ void store_column(float (&sA)[rows][cols], int row, int col, float4 v) {
  sA[row][col] = v.x;
  sA[row + 1][col] = v.y;
  sA[row + 2][col] = v.z;
  sA[row + 3][col] = v.w;
}

template <int tile, bool vector, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) simt_18_autotuned(GemmArgs<float> g) {
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

  // What do I copy: these four words of each tile, and those some rows below. Two lanes take 8 words of a row of A, a
  // sector: then sixteen rows are one request, and with the padding they go into 32 banks. A and B move along k.
  const int ra = tid / 2, ca = tid % 2 * 4;
  const int rb = 4 * tid / t.bn, cb = 4 * tid % t.bn;
  const float* A = g.A + (row0 + ra) * g.lda + ca;
  const float* B = g.B + rb * g.ldb + col0 + cb;

  float acc[t.tm][t.tn] = {};
  for (std::int64_t k0 = 0; k0 < g.k; k0 += t.bk, A += t.bk, B += t.bk * g.ldb) {
    // Load. Where a tile hangs over an edge a zero stands in: past the end of k both factors are zeros, so nothing
    // is added; past m or n the sum may be anything, for nobody stores it. The block decides as one.
    const int depth = static_cast<int>(min(g.k - k0, std::int64_t{t.bk}));
    if (rows == t.bm && cols == t.bn && depth == t.bk) {
#pragma unroll
      for (int i = 0; i < t.bm; i += threads / 2) {
#pragma unroll
        for (int j = 0; j < t.bk; j += 8)
          store_column(sA, ca + j, ra + i, load4<vector>(A + i * g.lda + j));  // (bk, bm)
      }
#pragma unroll
      for (int i = 0; i < t.bk; i += 4 * threads / t.bn)
        store4(&sB[rb + i][cb], load4<vector>(B + i * g.ldb));  // (bk, bn)
    } else {
      // Not unrolled: it runs in few blocks, and its addresses would take registers from all of them.
#pragma unroll 1
      for (int i = 0; i < t.bm; i += threads / 2) {
#pragma unroll 1
        for (int j = 0; j < t.bk; j += 8) {
          const int left = ra + i < rows ? depth - ca - j : 0;
          store_column(sA, ca + j, ra + i, load4_edge<vector>(A + i * g.lda + j, left));
        }
      }
#pragma unroll 1
      for (int i = 0; i < t.bk; i += 4 * threads / t.bn)
        store4(&sB[rb + i][cb], load4_edge<vector>(B + i * g.ldb, rb + i < depth ? cols - cb : 0));
    }
    __syncthreads();

    // Multiply: tm words of a row of sA by tn words of a row of sB, all from registers.
#pragma unroll
    for (int kk = 0; kk < t.bk; ++kk) {
      float rA[t.tm], rB[t.tn];
#pragma unroll
      for (int i = 0; i < t.tm; i += 4) load4(&rA[i], &sA[kk][row + i * lanes_m]);
#pragma unroll
      for (int j = 0; j < t.tn; j += 4) load4(&rB[j], &sB[kk][col + j * lanes_n]);
#pragma unroll
      for (int i = 0; i < t.tm; ++i) {
#pragma unroll
        for (int j = 0; j < t.tn; ++j) acc[i][j] += rA[i] * rB[j];
      }
    }
    __syncthreads();  // of the block: a quick warp must not write over what a slow one still reads
  }

  // Store. C is not looked at where beta is 0: it may hold anything, NaN too.
#pragma unroll
  for (int i = 0; i < t.tm; ++i) {
    const int r = row + i / 4 * 4 * lanes_m + i % 4;
#pragma unroll
    for (int j = 0; j < t.tn; j += 4) {
      const int left = r < rows ? cols - col - j * lanes_n : 0;
      float* c = &g.C[(row0 + r) * g.ldc + col0 + col + j * lanes_n];
      const float* sum = &acc[i][j];
      float4 v = make_float4(g.alpha * sum[0], g.alpha * sum[1], g.alpha * sum[2], g.alpha * sum[3]);
      if (g.beta != 0) {
        const float4 old = load4_edge<vector>(c, left);
        v = make_float4(v.x + g.beta * old.x, v.y + g.beta * old.y, v.z + g.beta * old.z, v.w + g.beta * old.w);
      }
      store4_edge<vector>(c, v, left);
    }
  }
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    return in_slabs(GemmArgs<float>(args), t.bm, [&](const GemmArgs<float>& g) {
      const Grid grid{ceil_div(g.n, t.bn), ceil_div(g.m, t.bm)};
      const bool vector =
          rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb) && rows_of_16_bytes(g.C, g.ldc);
      const auto kernel = vector ? simt_18_autotuned<i, true> : simt_18_autotuned<i, false>;
      return cairn::launch(grid, t.threads(), 0, stream, kernel, g);
    });
  });
}

extern const Rung rung = {.id = "simt/18_autotuned",
                          .title = "Autotuned",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::simt_18
