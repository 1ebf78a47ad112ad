// 31 · WMMA, K split over warps                    docs/trail/tensor_31_wmma_split_k.md · cairn bench tensor/31
//
// From    -
// Idea    Tensor cores, by CUDA's own interface: a warp multiplies fragments of 16x16x16, f16 or bf16, into f32
//         accumulators. The warps of a block do not divide the tile but k: each multiplies its k range of every
//         k-step into accumulators for the whole tile, and at the end the partial sums are added in shared memory,
//         always in the same order.
// Before  simt/22 multiplied one number by one number in each lane, on the CUDA cores.
// Limit   Every warp has accumulators for the whole tile in registers, so the tile stays small: 32x32, and each
//         element copied from global memory serves 32 products. Copying and multiplying do not overlap. In 32 and 34
//         the warps divide m and n.
// Needs   f16, bf16 (C the same, or f32); row-major nn, nt; any m, n, k (edges masked); 16-byte accesses where A and
//         B allow them; sm_80.
#include <type_traits>

#include "device/launch.hpp"
#include "device/vec.hpp"
#include "device/wmma.hpp"
#include "kernels/rung.hpp"

namespace cairn::tensor_31 {

inline constexpr int kFragment = 16;  // m, n and k of a fragment
inline constexpr int kChunk = 8;      // elements of 16 bytes
// Elements after each row of a tile, so that 8 rows begin in different banks; words after each row of partial sums.
inline constexpr int kPad = 8;

struct Tile {
  int bm, bn, bk;
  int warps;  // each multiplies bk / warps of every k-step
  constexpr int threads() const { return warps * 32; }
  constexpr int shared() const {
    return 2 * bm * (bk + kPad) + 2 * std::max(bk * (bn + kPad), bn * (bk + kPad)) + 4 * warps * bm * (bn + kPad);
  }
  constexpr bool copies(int rows, int cols) const {  // all threads copy in every pass, and a pass is full rows
    const int chunks = cols / kChunk;
    return cols % kChunk == 0 && (chunks < 8 ? 32 : threads()) % chunks == 0 && rows * chunks % threads() == 0;
  }
  constexpr bool valid() const {
    return bm % kFragment == 0 && bn % kFragment == 0 && bk % (warps * kFragment) == 0 &&  // full fragments
           copies(bm, bk) && copies(bk, bn) && copies(bn, bk) &&                           //
           threads() <= 1024 && bm * bn % threads() == 0 &&                                // the reduction, too
           shared() <= 48 * 1024;                                                          // shared memory of a block
  }
  TileName name() const { return tile_text("%dx%dx%d, %d warps", bm, bn, bk, warps); }
};
inline constexpr Tile kTiles[] = {{32, 32, 32, 2},   // [0] is the default
                                  {32, 32, 64, 4}};  // twice the warps and twice the bk

// The kernel's arguments. The type of C matters only in the epilogue, so it is a flag and not a template argument.
template <class In> struct Args {
  std::int64_t m, n, k;
  float alpha;
  const In* A;
  std::int64_t lda;
  const In* B;
  std::int64_t ldb;
  float beta;
  void* C;
  std::int64_t ldc;
  bool wide;    // C is f32, else of type In
  bool vector;  // 16-byte loads of A and B are possible
};

// Copies a tile of tile_rows rows of tile_cols neighbours, of which `rows` and `cols` are in the matrix; zeros stand
// in for the rest. A full tile is copied 16 bytes at a time; the branch is uniform over the block.
//
// The chunks of eight lanes are one wavefront if they lie in different banks. Eight neighbours of a row do, and so do
// eight padded rows of a column: lanes go along the rows of a wide tile, and down the columns of a narrow one.
template <class In, int tile_rows, int tile_cols, int threads>
__device__ __forceinline__ void copy_tile(In (&to)[tile_rows][tile_cols + kPad], const In* from, std::int64_t ld,
                                          int rows, int cols, bool vector) {
  constexpr int kRowChunks = tile_cols / kChunk, kPassRows = threads / kRowChunks;
  constexpr int kWarpRows = kRowChunks < 8 ? 32 / kRowChunks : 1;  // rows of a warp, where lanes go down
  const int tid = static_cast<int>(threadIdx.x);
  if (vector && rows == tile_rows && cols == tile_cols) {
    const int row = kWarpRows > 1 ? tid / 32 * kWarpRows + tid % kWarpRows : tid / kRowChunks;
    const int col = (kWarpRows > 1 ? tid % 32 / kWarpRows : tid % kRowChunks) * kChunk;
#pragma unroll
    for (int i = 0; i < tile_rows; i += kPassRows)
      *reinterpret_cast<uint4*>(&to[row + i][col]) = *reinterpret_cast<const uint4*>(from + (row + i) * ld + col);
  } else {
#pragma unroll 1
    for (int e = tid; e < tile_rows * tile_cols; e += threads) {
      const int i = e / tile_cols, j = e % tile_cols;
      to[i][j] = i < rows && j < cols ? from[i * ld + j] : In(0.0F);
    }
  }
}

template <class Out> __device__ __forceinline__ void update(Out* c, float product, float beta) {
  *c = static_cast<Out>(beta == 0 ? product : product + beta * static_cast<float>(*c));
}

template <class In, int tile, bool k_major_b, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads) tensor_31_wmma_split_k(Args<In> g) {
  constexpr Tile t = kTiles[tile];
  constexpr int rows_b = k_major_b ? t.bn : t.bk, cols_b = k_major_b ? t.bk : t.bn;
  alignas(32) __shared__ In sA[t.bm][t.bk + kPad];
  alignas(32) __shared__ In sB[rows_b][cols_b + kPad];  // (bk, bn), or (bn, bk)
  alignas(32) __shared__ float sC[t.warps][t.bm][t.bn + kPad];

  // Position: the block's tile of C, of which every warp computes partial sums.
  const int tid = static_cast<int>(threadIdx.x), warp = tid / 32;
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  const int rows = static_cast<int>(min(g.m - row0, std::int64_t{t.bm}));  // of the block's tile that are in C
  const int cols = static_cast<int>(min(g.n - col0, std::int64_t{t.bn}));

  // The tiles of A and B, which all threads copy together, advance along k.
  const In* A = g.A + row0 * g.lda;
  const In* B = g.B + (k_major_b ? col0 * g.ldb : col0);

  wmma::fragment<wmma::accumulator, kFragment, kFragment, kFragment, float> acc[t.bm / kFragment][t.bn / kFragment];
#pragma unroll
  for (int i = 0; i < t.bm / kFragment; ++i) {
#pragma unroll
    for (int j = 0; j < t.bn / kFragment; ++j) wmma::fill_fragment(acc[i][j], 0.0F);
  }
  for (std::int64_t left = g.k; left > 0; left -= t.bk) {
    // Load. Past the end of k both factors are zeros, so nothing is added; past m or n the products do not matter,
    // since they are not stored.
    const int depth = static_cast<int>(min(left, std::int64_t{t.bk}));
    copy_tile<In, t.bm, t.bk, threads>(sA, A, g.lda, rows, depth, g.vector);
    copy_tile<In, rows_b, cols_b, threads>(sB, B, g.ldb, k_major_b ? cols : depth, k_major_b ? depth : cols,
                                           g.vector);
    A += t.bk, B += k_major_b ? t.bk : t.bk * g.ldb;
    __syncthreads();

    // Multiply: the warp's k range of this k-step. A fragment of a k-major B is read column by column.
#pragma unroll
    for (int k0 = 0; k0 < t.bk / t.warps; k0 += kFragment) {
      using Order = std::conditional_t<k_major_b, wmma::col_major, wmma::row_major>;
      const int kk = warp * (t.bk / t.warps) + k0;
      wmma::fragment<wmma::matrix_a, kFragment, kFragment, kFragment, In, wmma::row_major> fA[t.bm / kFragment];
      wmma::fragment<wmma::matrix_b, kFragment, kFragment, kFragment, In, Order> fB[t.bn / kFragment];
#pragma unroll
      for (int i = 0; i < t.bm / kFragment; ++i) wmma::load_matrix_sync(fA[i], &sA[i * kFragment][kk], t.bk + kPad);
#pragma unroll
      for (int j = 0; j < t.bn / kFragment; ++j)
        wmma::load_matrix_sync(fB[j], k_major_b ? &sB[j * kFragment][kk] : &sB[kk][j * kFragment], cols_b + kPad);
#pragma unroll
      for (int i = 0; i < t.bm / kFragment; ++i) {
#pragma unroll
        for (int j = 0; j < t.bn / kFragment; ++j) wmma::mma_sync(acc[i][j], fA[i], fB[j], acc[i][j]);
      }
    }
    __syncthreads();  // before the next tiles overwrite these
  }

  // Reduce: every warp stores its partial sums; then a thread adds those of one element after the other, from the
  // first warp's to the last's, so that the same call gives the same bits.
#pragma unroll
  for (int i = 0; i < t.bm / kFragment; ++i) {
#pragma unroll
    for (int j = 0; j < t.bn / kFragment; ++j)
      wmma::store_matrix_sync(&sC[warp][i * kFragment][j * kFragment], acc[i][j], t.bn + kPad, wmma::mem_row_major);
  }
  __syncthreads();

  // Epilogue. C is not read where beta is 0, since it may hold anything, NaN too.
#pragma unroll 2
  for (int e = tid; e < t.bm * t.bn; e += threads) {
    const int r = e / t.bn, c = e % t.bn;
    float sum = sC[0][r][c];
#pragma unroll
    for (int w = 1; w < t.warps; ++w) sum += sC[w][r][c];
    if (r >= rows || c >= cols) continue;
    const std::int64_t at = (row0 + r) * g.ldc + col0 + c;
    if (g.wide) {
      update(static_cast<float*>(g.C) + at, g.alpha * sum, g.beta);
    } else {
      update(static_cast<In*>(g.C) + at, g.alpha * sum, g.beta);
    }
  }
}

template <class In, class Out> Status launch_typed(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    using Typed = GemmArgs<In, Out, float>;
    return in_slabs(Typed(args), t.bm, [&](const Typed& g) {
      const Grid grid{ceil_div(g.n, t.bn), ceil_div(g.m, t.bm)};
      const bool wide = std::is_same_v<Out, float>;
      const bool vector = rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb);
      const Args<In> same{g.m, g.n, g.k, g.alpha, g.A, g.lda, g.B, g.ldb, g.beta, g.C, g.ldc, wide, vector};
      const auto kernel =
          g.op_b == Op::none ? tensor_31_wmma_split_k<In, i, false> : tensor_31_wmma_split_k<In, i, true>;
      return cairn::launch(grid, t.threads(), 0, stream, kernel, same);
    });
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  const bool wide = args.problem.out == Type::f32;
  if (args.problem.in == Type::bf16) {
    return wide ? launch_typed<__nv_bfloat16, float>(args, tile, stream)
                : launch_typed<__nv_bfloat16, __nv_bfloat16>(args, tile, stream);
  }
  return wide ? launch_typed<__half, float>(args, tile, stream) : launch_typed<__half, __half>(args, tile, stream);
}

extern const Rung rung = {.id = "tensor/31_wmma_split_k",
                          .title = "WMMA, K split over warps",
                          .kind = RungKind::gemm,
                          .types = types::f16_bf16,
                          .layouts = layout::nn | layout::nt,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::tensor_31
