// 14 · Padded banks                                docs/trail/simt_14_bank_pad.md · cairn bench simt/14
//
// From    simt/12_a_transposed_vec4
// Idea    A few words of padding after each row of sA or of sB, so that rows begin in different banks. Swept: 4 or 5
//         words, after the rows of sA, of sB, or of both.
// Before  12 stored a column of A into banks that two lanes at a time accessed.
// Limit   Padding separates accesses that span rows. The stores to sA do, and 4 words remove their conflicts; the
//         reads of rB stay within a row of sB, where padding changes nothing. With 5 words most rows are not 16-byte
//         aligned.
// Needs   f32, row-major nn; any m, n, k (edges masked); 16-byte accesses where A, B and C allow them; sm_75.
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_14 {

struct Tile {
  int bm, bn, bk;
  int tm, tn;        // the thread tile
  int pad_a, pad_b;  // words after each row of sA, of sB
  constexpr int threads() const { return bm / tm * (bn / tn); }
  constexpr bool valid() const {
    return bm % tm == 0 && bn % tn == 0 && threads() % 32 == 0 && threads() <= 1024 &&  // full warps
           bk % 4 == 0 && tm % 4 == 0 && tn % 4 == 0 &&           // a float4 is in one row, and in one thread tile
           4 * threads() % bk == 0 && 4 * threads() % bn == 0 &&  // a copy iteration covers full rows,
           bm * bk % (4 * threads()) == 0 && bk * bn % (4 * threads()) == 0 &&  // and no thread is idle in it
           pad_a >= 0 && pad_b >= 0 &&                                          // rows do not overlap
           bk * (bm + pad_a + bn + pad_b) * 4 <= 48 * 1024 &&                   // shared memory of a block
           2 * threads() * (tm * tn + tm + tn) <= 65536;                        // registers of two blocks
  }
  TileName name() const { return tile_text("%dx%dx%d %dx%d A+%d B+%d", bm, bn, bk, tm, tn, pad_a, pad_b); }
};
inline constexpr Tile kTiles[] = {{128, 128, 8, 8, 8, 4, 0},   // [0] is the default: the only one that helps
                                  {128, 128, 8, 8, 8, 0, 4},   // after the rows of sB
                                  {128, 128, 8, 8, 8, 0, 5},   // as published
                                  {128, 128, 8, 8, 8, 5, 5}};  // after both

// Transposes while storing: four consecutive words of a row of A become part of a column of sA.
template <int cols> __device__ __forceinline__ void store_column(float (*to)[cols], int col, float4 v) {
  to[0][col] = v.x;
  to[1][col] = v.y;
  to[2][col] = v.z;
  to[3][col] = v.w;
}

// Four consecutive words of a padded row: one access if the padding keeps rows 16-byte aligned, else four.
template <int pad> __device__ __forceinline__ void read4(float* registers, const float* from) {
  const float4 v = load4<pad % 4 == 0>(from);
  registers[0] = v.x;
  registers[1] = v.y;
  registers[2] = v.z;
  registers[3] = v.w;
}
template <int pad> __device__ __forceinline__ void write4(float* to, float4 v) {
  store4_edge<pad % 4 == 0>(to, v, 4);
}

template <int tile, bool vector, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, 2) simt_14_bank_pad(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  alignas(16) __shared__ float sA[t.bk][t.bm + t.pad_a];
  alignas(16) __shared__ float sB[t.bk][t.bn + t.pad_b];

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
        store_column(sA + ca, ra + i, load4<vector>(A + i * g.lda));  // (bk, bm)
#pragma unroll
      for (int i = 0; i < t.bk; i += 4 * threads / t.bn)
        write4<t.pad_b>(&sB[rb + i][cb], load4<vector>(B + i * g.ldb));  // (bk, bn)
    } else {
#pragma unroll
      for (int i = 0; i < t.bm; i += 4 * threads / t.bk)
        store_column(sA + ca, ra + i, load4_edge<vector>(A + i * g.lda, ra + i < rows ? depth - ca : 0));
#pragma unroll
      for (int i = 0; i < t.bk; i += 4 * threads / t.bn)
        write4<t.pad_b>(&sB[rb + i][cb], load4_edge<vector>(B + i * g.ldb, rb + i < depth ? cols - cb : 0));
    }
    __syncthreads();

    // Multiply: an outer product of tm words of a row of sA and tn words of a row of sB, from registers.
#pragma unroll
    for (int kk = 0; kk < t.bk; ++kk) {
      float rA[t.tm], rB[t.tn];
#pragma unroll
      for (int i = 0; i < t.tm; i += 4) read4<t.pad_a>(&rA[i], &sA[kk][row + i]);
#pragma unroll
      for (int j = 0; j < t.tn; j += 4) read4<t.pad_b>(&rB[j], &sB[kk][col + j]);
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
    for (int j = 0; j < t.tn; j += 4) {
      const int left = row + i < rows ? cols - col - j : 0;
      float* c = &g.C[(row0 + row + i) * g.ldc + col0 + col + j];
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
      const auto kernel = vector ? simt_14_bank_pad<i, true> : simt_14_bank_pad<i, false>;
      return cairn::launch(grid, t.threads(), 0, stream, kernel, g);
    });
  });
}

extern const Rung rung = {.id = "simt/14_bank_pad",
                          .title = "Padded banks",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::simt_14
