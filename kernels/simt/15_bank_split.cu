// 15 · Split banks                                 docs/trail/simt_15_bank_split.md · cairn bench simt/15
//
// From    simt/12_a_transposed_vec4
// Idea    A thread's 8 x 8 elements are split into 4 x 4 sub-tiles, half a block tile apart. Consecutive lanes then
//         read consecutive chunks (16 bytes) of sB, and write consecutive chunks of C.
// Before  12 read rB at a stride of 32 bytes; 13 reordered B to avoid that, and left the stores to C strided.
// Limit   A warp covers 16 rows by 128 columns of C and reads 144 words for them per kk. 16 gives it a squarer tile,
//         which needs fewer. Stores to sA still conflict, as in 12; the padding of 14 removes that.
// Needs   f32, row-major nn; any m, n, k (edges masked); 16-byte accesses where A, B and C allow them; sm_75.
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_15 {

struct Tile {
  int bm, bn, bk;
  int tm, tn;  // the thread tile
  constexpr int threads() const { return bm / tm * (bn / tn); }
  constexpr bool valid() const {
    return bm % tm == 0 && bn % tn == 0 && threads() % 32 == 0 && threads() <= 1024 &&  // full warps
           bk % 4 == 0 && tm % 4 == 0 && tn % 4 == 0 &&           // a float4 is in one row, and in one thread tile
           4 * threads() % bk == 0 && 4 * threads() % bn == 0 &&  // a copy iteration covers full rows,
           bm * bk % (4 * threads()) == 0 && bk * bn % (4 * threads()) == 0 &&  // and no thread is idle in it
           bk * (bm + bn) * 4 <= 48 * 1024 &&                                   // shared memory of a block
           2 * threads() * (tm * tn + tm + tn) <= 65536;                        // registers of two blocks
  }
  TileName name() const { return tile_text("%dx%dx%d %dx%d", bm, bn, bk, tm, tn); }
};
inline constexpr Tile kTiles[] = {{128, 128, 8, 8, 8}, {128, 128, 16, 8, 8}};  // [0] is the default

// Transposes while storing: four consecutive words of a row of A become part of a column of sA.
template <int cols> __device__ __forceinline__ void store_column(float (*to)[cols], int col, float4 v) {
  to[0][col] = v.x;
  to[1][col] = v.y;
  to[2][col] = v.z;
  to[3][col] = v.w;
}

template <int tile, bool vector, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, 2) simt_15_bank_split(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  alignas(16) __shared__ float sA[t.bk][t.bm];
  alignas(16) __shared__ float sB[t.bk][t.bn];

  // Where am I: the block's tile of C, and in it the first 4 x 4 sub-tile of the thread. Its other sub-tiles are
  // 4 * threads_m rows further down, 4 * threads_n columns further right.
  const int tid = static_cast<int>(threadIdx.x);
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  constexpr int threads_m = t.bm / t.tm, threads_n = t.bn / t.tn;
  const int row = tid / threads_n * 4, col = tid % threads_n * 4;
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
        store_column(sA + ca, ra + i, load4<vector>(A + i * g.lda));  // (bk, bm)
#pragma unroll
      for (int i = 0; i < t.bk; i += 4 * threads / t.bn)
        store4(&sB[rb + i][cb], load4<vector>(B + i * g.ldb));  // (bk, bn)
    } else {
#pragma unroll
      for (int i = 0; i < t.bm; i += 4 * threads / t.bk)
        store_column(sA + ca, ra + i, load4_edge<vector>(A + i * g.lda, ra + i < rows ? depth - ca : 0));
#pragma unroll
      for (int i = 0; i < t.bk; i += 4 * threads / t.bn)
        store4(&sB[rb + i][cb], load4_edge<vector>(B + i * g.ldb, rb + i < depth ? cols - cb : 0));
    }
    __syncthreads();

    // Multiply: an outer product of tm words of a row of sA and tn words of a row of sB, from registers.
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
    __syncthreads();  // before the next tiles overwrite these
  }

  // Store. With beta == 0, C is not read: it may hold anything, NaN included.
#pragma unroll
  for (int i = 0; i < t.tm; ++i) {
    const int r = row + i / 4 * 4 * threads_m + i % 4;
#pragma unroll
    for (int j = 0; j < t.tn; j += 4) {
      const int left = r < rows ? cols - col - j * threads_n : 0;
      float* c = &g.C[(row0 + r) * g.ldc + col0 + col + j * threads_n];
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
