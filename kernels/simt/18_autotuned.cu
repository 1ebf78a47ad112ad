// 18 · Autotuned                                   docs/trail/simt_18_autotuned.md · cairn bench simt/18
//
// From    simt/17_warp_tile_vec4
// Idea    The kernel of 17 with a list of tiles to search. Which is fastest depends on registers, on the blocks that
//         an SM holds and on how they fill the GPU, so it is measured rather than predicted.
// Before  17 had two tiles, chosen by reasoning.
// Limit   As 17: within a block, loads and multiply-adds alternate. 19 overlaps them.
// Needs   f32, row-major nn; any m, n, k (edges masked); 16-byte accesses where A, B and C allow them; sm_75.
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_18 {

inline constexpr int kPad = 4;  // words of padding after each row of sA, as in 14

struct Tile {
  int bm, bn, bk;
  int wm, wn;  // the warp tile
  int tm, tn;  // the thread tile
  int blocks;  // the least number of co-resident blocks
  constexpr int threads() const { return bm / wm * (bn / wn) * 32; }
  constexpr int shared() const { return bk * (bm + kPad + bn) * 4; }
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && threads() <= 1024 &&          // full warps
           wm % tm == 0 && wn % tn == 0 && wm / tm * (wn / tn) == 32 &&  // of 32 thread tiles
           tm % 4 == 0 && tn % 4 == 0 &&                                 // of 4 x 4 sub-tiles
           bk % 8 == 0 && bm % (threads() / 2) == 0 &&                   // a copy iteration covers full rows:
           4 * threads() % bn == 0 && bk * bn % (4 * threads()) == 0 &&  // 8 words of A, bn words of B
           shared() <= 48 * 1024 &&
           blocks * (shared() + 1024) <= 100 * 1024 &&         // shared memory of a block and of an SM
           blocks * threads() * (tm * tn + tm + tn) <= 65536;  // registers of an SM
  }
  TileName name() const { return tile_text("%dx%dx%d %dx%d %dx%d by %d", bm, bn, bk, wm, wn, tm, tn, blocks); }
};

// With 8x16 elements per thread an SM has registers for eight warps, or barely for twelve; with 8x8 for sixteen.
// Blocks of 128x128 read the least from L2.
inline constexpr Tile kTiles[] = {
    {128, 128, 16, 64, 32, 8, 8, 2},   // [0] is the default: sixteen warps per SM
    {128, 128, 16, 64, 64, 8, 16, 2},  // larger thread tiles, and half as many warps
    {128, 128, 8, 64, 64, 8, 16, 2},   // half the unrolled loop, twice the barriers
    {128, 128, 32, 64, 64, 8, 16, 2},  // twice the unrolled loop, half the barriers
    {128, 128, 8, 64, 64, 8, 16, 3},   // twelve warps per SM
    {128, 128, 16, 64, 64, 16, 8, 2},  // the mirror image
    {64, 128, 16, 64, 64, 8, 16, 4},   // two warps per block
    {64, 128, 8, 64, 64, 8, 16, 6},    // two warps per block, twelve per SM
    {128, 64, 16, 64, 64, 8, 16, 4},   // a tall block
    {64, 256, 16, 32, 128, 8, 16, 2},  // a wide block
    {128, 128, 8, 64, 32, 8, 8, 2},    // sixteen warps, half the unrolled loop
    {64, 128, 16, 32, 64, 8, 8, 4},    // sixteen warps in blocks of four
    {64, 64, 16, 32, 64, 8, 8, 8},     // sixteen warps in blocks of two
};

// Transposes while storing: four consecutive words of a row of A become part of a column of sA.
template <int cols> __device__ __forceinline__ void store_column(float (*to)[cols], int col, float4 v) {
  to[0][col] = v.x;
  to[1][col] = v.y;
  to[2][col] = v.z;
  to[3][col] = v.w;
}

template <int tile, bool vector, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) simt_18_autotuned(GemmArgs<float> g) {
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

  // What do I copy: these four words of each tile, and those a fixed number of rows below. Two lanes read 8 words of
  // a row of A, a sector: a request has sixteen rows, which the padding spreads over 32 banks. A and B advance along
  // k.
  const int ra = tid / 2, ca = tid % 2 * 4;
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
      for (int i = 0; i < t.bm; i += threads / 2) {
#pragma unroll
        for (int j = 0; j < t.bk; j += 8)
          store_column(sA + ca + j, ra + i, load4<vector>(A + i * g.lda + j));  // (bk, bm)
      }
#pragma unroll
      for (int i = 0; i < t.bk; i += 4 * threads / t.bn)
        store4(&sB[rb + i][cb], load4<vector>(B + i * g.ldb));  // (bk, bn)
    } else {
      // Not unrolled: only edge blocks run this, and the unrolled addresses would take registers in all blocks.
#pragma unroll 1
      for (int i = 0; i < t.bm; i += threads / 2) {
#pragma unroll 1
        for (int j = 0; j < t.bk; j += 8) {
          const int left = ra + i < rows ? depth - ca - j : 0;
          store_column(sA + ca + j, ra + i, load4_edge<vector>(A + i * g.lda + j, left));
        }
      }
#pragma unroll 1
      for (int i = 0; i < t.bk; i += 4 * threads / t.bn)
        store4(&sB[rb + i][cb], load4_edge<vector>(B + i * g.ldb, rb + i < depth ? cols - cb : 0));
    }
    __syncthreads();

    // Multiply: an outer product of tm words of a row of sA and tn words of a row of sB, from registers.
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
    __syncthreads();  // of the block: a fast warp must not overwrite what a slow one still reads
  }

  // Store. With beta == 0, C is not read: it may hold anything, NaN included.
#pragma unroll
  for (int i = 0; i < t.tm; ++i) {
    const int r = row + i / 4 * 4 * lanes_m + i % 4;
#pragma unroll
    for (int j = 0; j < t.tn; j += 4) {
      const int left = r < rows ? cols - col - j * lanes_n : 0;
      float* c = &g.C[(row0 + r) * g.ldc + col0 + col + j * lanes_n];
      const float* a = &acc[i][j];
      float4 v = make_float4(g.alpha * a[0], g.alpha * a[1], g.alpha * a[2], g.alpha * a[3]);
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
