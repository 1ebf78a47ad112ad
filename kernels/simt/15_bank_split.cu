// 15 · Split banks                                 docs/trail/simt_15_bank_split.md · cairn bench simt/15
//
// Idea    A thread's 8x8 elements are split into pieces of 4x4, as far apart as all threads' pieces of 4 are wide.
//         Neighbouring lanes then read neighbouring 16 bytes of sB, and write neighbouring 16 bytes of C.
// Before  12 read rB 32 bytes apart; 13 moved the words of B for it, and left C as it was.
// Limit   A warp covers 16 rows by 128 columns of C and reads 144 words for them at each step. 16 gives it a squarer
//         tile, which needs fewer. Stores into sA still conflict, as in 12: 14 has the cure.
// Needs   f32, row-major nn; any m, n, k (edges masked); 16-byte accesses where A, B and C allow them; sm_75.
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_15 {

struct Tile {
  int bm, bn, bk;
  int tm, tn;  // the elements of one thread
  constexpr int threads() const { return bm / tm * (bn / tn); }
  constexpr bool valid() const {
    return bm % tm == 0 && bn % tn == 0 && threads() % 32 == 0 && threads() <= 1024 &&  // whole warps
           bk % 4 == 0 && tm % 4 == 0 && tn % 4 == 0 &&  // a float4 lies in one row, and in one thread's part of it
           4 * threads() % bk == 0 && 4 * threads() % bn == 0 &&                // a round of copies is whole rows,
           bm * bk % (4 * threads()) == 0 && bk * bn % (4 * threads()) == 0 &&  // and nobody is idle in it
           bk * (bm + bn) * 4 <= 48 * 1024 &&                                   // shared memory of a block
           2 * threads() * (tm * tn + tm + tn) <= 65536;                        // registers of two blocks
  }
  TileName name() const { return tile_text("%dx%dx%d %dx%d", bm, bn, bk, tm, tn); }
};
inline constexpr Tile kTiles[] = {{128, 128, 8, 8, 8}, {128, 128, 16, 8, 8}};  // [0] is the default

// Four neighbours of a row of A, one below the other.
template <int rows, int cols>
__device__ __forceinline__ void store_column(float (&sA)[rows][cols], int row, int col, float4 v) {
  sA[row][col] = v.x;
  sA[row + 1][col] = v.y;
  sA[row + 2][col] = v.z;
  sA[row + 3][col] = v.w;
}

template <int tile, bool vector, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, 2) simt_15_bank_split(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  alignas(16) __shared__ float sA[t.bk][t.bm];
  alignas(16) __shared__ float sB[t.bk][t.bn];

  // Where am I: the block's tile of C, and in it the first of the thread's pieces of 4 x 4; the others follow as many
  // threads further down or to the right.
  const int tid = static_cast<int>(threadIdx.x);
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  constexpr int threads_m = t.bm / t.tm, threads_n = t.bn / t.tn;
  const int row = tid / threads_n * 4, col = tid % threads_n * 4;
  const int rows = static_cast<int>(min(g.m - row0, std::int64_t{t.bm}));  // of the block's tile that are there
  const int cols = static_cast<int>(min(g.n - col0, std::int64_t{t.bn}));

  // What do I copy: these four words of each tile, and those some rows below. A and B move along k with the tiles.
  const int ra = 4 * tid / t.bk, ca = 4 * tid % t.bk;
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
      for (int i = 0; i < t.bm; i += 4 * threads / t.bk)
        store_column(sA, ca, ra + i, load4<vector>(A + i * g.lda));  // (bk, bm)
#pragma unroll
      for (int i = 0; i < t.bk; i += 4 * threads / t.bn)
        store4(&sB[rb + i][cb], load4<vector>(B + i * g.ldb));  // (bk, bn)
    } else {
#pragma unroll
      for (int i = 0; i < t.bm; i += 4 * threads / t.bk)
        store_column(sA, ca, ra + i, load4_edge<vector>(A + i * g.lda, ra + i < rows ? depth - ca : 0));
#pragma unroll
      for (int i = 0; i < t.bk; i += 4 * threads / t.bn)
        store4(&sB[rb + i][cb], load4_edge<vector>(B + i * g.ldb, rb + i < depth ? cols - cb : 0));
    }
    __syncthreads();

    // Multiply: tm words of a row of sA by tn words of a row of sB, all from registers.
#pragma unroll
    for (int kk = 0; kk < t.bk; ++kk) {
      float rA[t.tm], rB[t.tn];
#pragma unroll
      for (int i = 0; i < t.tm; i += 4) load4(&rA[i], &sA[kk][row + i * threads_m]);
#pragma unroll
      for (int j = 0; j < t.tn; j += 4) load4(&rB[j], &sB[kk][col + j * threads_n]);
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
    const int r = row + i / 4 * 4 * threads_m + i % 4;
#pragma unroll
    for (int j = 0; j < t.tn; j += 4) {
      const int left = r < rows ? cols - col - j * threads_n : 0;
      float* c = &g.C[(row0 + r) * g.ldc + col0 + col + j * threads_n];
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
      const auto kernel = vector ? simt_15_bank_split<i, true> : simt_15_bank_split<i, false>;
      return cairn::launch(grid, t.threads(), 0, stream, kernel, g);
    });
  });
}

extern const Rung rung = {.id = "simt/15_bank_split",
                          .title = "Split banks",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::simt_15
