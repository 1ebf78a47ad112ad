// 13 · Linear banks                                docs/trail/simt_13_bank_linear.md · cairn bench simt/13
//
// Idea    B is reordered in shared memory: first the first piece of every thread's tn columns, then the second of
//         every thread. What the lanes of a warp read at once now lies side by side.
// Before  12 read rB 32 bytes apart: half of the banks did all the work.
// Limit   The columns of a thread are still neighbours in C, so its stores are 32 bytes apart as its reads were. 15
//         changes which columns a thread has, and needs no reordering. Stores into sA still conflict: 14.
// Needs   f32, row-major nn; any m, n, k (edges masked); 16-byte accesses where A, B and C allow them; sm_75.
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_13 {

struct Tile {
  int bm, bn, bk;
  int tm, tn;  // the elements of one thread
  int piece;   // how many words of a row of B stay together in sB: 4, or 1 as published
  constexpr int threads() const { return bm / tm * (bn / tn); }
  constexpr bool valid() const {
    return bm % tm == 0 && bn % tn == 0 && threads() % 32 == 0 && threads() <= 1024 &&  // whole warps
           bk % 4 == 0 && tm % 4 == 0 && tn % 4 == 0 &&  // a float4 lies in one row, and in one thread's part of it
           (piece == 4 || piece == 1) &&                 // and is one piece, or four
           4 * threads() % bk == 0 && 4 * threads() % bn == 0 &&                // a round of copies is whole rows,
           bm * bk % (4 * threads()) == 0 && bk * bn % (4 * threads()) == 0 &&  // and nobody is idle in it
           bk * (bm + bn) * 4 <= 48 * 1024 &&                                   // shared memory of a block
           2 * threads() * (tm * tn + tm + tn) <= 65536;                        // registers of two blocks
  }
  TileName name() const { return tile_text("%dx%dx%d %dx%d pieces of %d", bm, bn, bk, tm, tn, piece); }
};
inline constexpr Tile kTiles[] = {{128, 128, 8, 8, 8, 4}, {128, 128, 8, 8, 8, 1}};  // [0] is the default

// Four neighbours of a row of A, one below the other.
template <int rows, int cols>
__device__ __forceinline__ void store_column(float (&sA)[rows][cols], int row, int col, float4 v) {
  sA[row][col] = v.x;
  sA[row + 1][col] = v.y;
  sA[row + 2][col] = v.z;
  sA[row + 3][col] = v.w;
}

// Four neighbours of a row of B into sB: one piece, or four of them that are to lie `apart`.
template <int piece, int apart> __device__ __forceinline__ void store_pieces(float* to, float4 v) {
  if constexpr (piece == 4) return store4(to, v);
  to[0] = v.x;
  to[apart] = v.y;
  to[2 * apart] = v.z;
  to[3 * apart] = v.w;
}

// A piece into registers.
template <int piece> __device__ __forceinline__ void load_piece(float* registers, const float* from) {
  if constexpr (piece == 4) return load4(registers, from);
  registers[0] = from[0];
}

template <int tile, bool vector, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, 2) simt_13_bank_linear(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  alignas(16) __shared__ float sA[t.bk][t.bm];
  alignas(16) __shared__ float sB[t.bk][t.bn];

  // Where am I: the block's tile of C, and in it a tile of tm x tn elements.
  const int tid = static_cast<int>(threadIdx.x);
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  const int row = tid / (t.bn / t.tn) * t.tm, col = tid % (t.bn / t.tn) * t.tn;
  const int rows = static_cast<int>(min(g.m - row0, std::int64_t{t.bm}));  // of the block's tile that are there
  const int cols = static_cast<int>(min(g.n - col0, std::int64_t{t.bn}));

  // What do I copy: these four words of each tile, and those some rows below. A and B move along k with the tiles.
  const int ra = 4 * tid / t.bk, ca = 4 * tid % t.bk;
  const int rb = 4 * tid / t.bn, cb = 4 * tid % t.bn;
  constexpr int apart = t.bn / t.tn * t.piece;  // from one piece of a thread to its next in sB: those of all between
  const int pb = cb % t.tn / t.piece * apart + cb / t.tn * t.piece;  // where column cb lies in a row of sB
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
        store_pieces<t.piece, apart>(&sB[rb + i][pb], load4<vector>(B + i * g.ldb));  // (bk, bn)
    } else {
#pragma unroll
      for (int i = 0; i < t.bm; i += 4 * threads / t.bk)
        store_column(sA, ca, ra + i, load4_edge<vector>(A + i * g.lda, ra + i < rows ? depth - ca : 0));
#pragma unroll
      for (int i = 0; i < t.bk; i += 4 * threads / t.bn)
        store_pieces<t.piece, apart>(&sB[rb + i][pb],
                                     load4_edge<vector>(B + i * g.ldb, rb + i < depth ? cols - cb : 0));
    }
    __syncthreads();

    // Multiply: tm words of a row of sA by tn words of a row of sB, all from registers.
#pragma unroll
    for (int kk = 0; kk < t.bk; ++kk) {
      float rA[t.tm], rB[t.tn];
#pragma unroll
      for (int i = 0; i < t.tm; i += 4) load4(&rA[i], &sA[kk][row + i]);
#pragma unroll
      for (int j = 0; j < t.tn; j += t.piece)
        load_piece<t.piece>(&rB[j], &sB[kk][j / t.piece * apart + col / t.tn * t.piece]);
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
    if (row + i >= rows) continue;
#pragma unroll
    for (int j = 0; j < t.tn; j += 4) {
      const int left = cols - col - j;
      float* c = &g.C[(row0 + row + i) * g.ldc + col0 + col + j];
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
      const auto kernel = vector ? simt_13_bank_linear<i, true> : simt_13_bank_linear<i, false>;
      return cairn::launch(grid, t.threads(), 0, stream, kernel, g);
    });
  });
}

extern const Rung rung = {.id = "simt/13_bank_linear",
                          .title = "Linear banks",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::simt_13
