// 31 · WMMA, K split over warps                    docs/trail/tensor_31_wmma_split_k.md · cairn bench tensor/31
//
// Idea    Tensor cores, by CUDA's own interface: a warp multiplies fragments of 16x16x16, f16 or bf16 into f32. The
//         warps of a block do not share out the tile but K: each multiplies its slice of every step into sums for the
//         whole tile, and at the end the partial tiles are added up through shared memory, always in the same order.
// Before  22 multiplied one number by one number in each lane of a CUDA core.
// Limit   Every warp has the whole tile's sums in registers, so the tile stays small: 32x32, and each word copied
// from
//         global memory serves 32 products. Copying and multiplying take turns. 32 and 34 let warps tile M and N.
// Needs   f16, bf16 (C the same, or f32); row-major nn, nt; any m, n, k (edges masked); 16-byte accesses where A and
// B
//         allow them; sm_80.
#include <type_traits>

#include "device/launch.hpp"
#include "device/vec.hpp"
#include "device/wmma.hpp"
#include "kernels/rung.hpp"

namespace cairn::tensor_31 {

inline constexpr int kSide = 16;  // of a fragment: 16 x 16 sums, 16 products added to each by one mma
inline constexpr int kPiece = 8;  // elements of a 16-byte access
inline constexpr int kPad = 8;    // elements after each row of a tile, so that 8 rows begin in different banks; also
                                  // words after each row of sums

struct Tile {
  int bm, bn, bk;
  int warps;  // each has bk / warps of every step of k
  constexpr int threads() const { return warps * 32; }
  constexpr int shared() const {
    return 2 * bm * (bk + kPad) + 2 * std::max(bk * (bn + kPad), bn * (bk + kPad)) + 4 * warps * bm * (bn + kPad);
  }
  constexpr bool copies(int lines, int width) const {  // in whole rounds of whole lines, all threads busy
    const int across = width / kPiece;
    return width % kPiece == 0 && (across < 8 ? 32 : threads()) % across == 0 && lines * across % threads() == 0;
  }
  constexpr bool valid() const {
    return bm % kSide == 0 && bn % kSide == 0 && bk % (warps * kSide) == 0 &&  // whole fragments
           copies(bm, bk) && copies(bk, bn) && copies(bn, bk) &&               //
           threads() <= 1024 && bm * bn % threads() == 0 &&                    // the sum of the parts, too
           shared() <= 48 * 1024;                                              // shared memory of a block
  }
  TileName name() const { return tile_text("%dx%dx%d, %d warps", bm, bn, bk, warps); }
};
inline constexpr Tile kTiles[] = {{32, 32, 32, 2},   // [0] is the default
                                  {32, 32, 64, 4}};  // twice the warps, twice as deep

// What the kernel is given. The type of C is looked at once, at the end, so it is no reason to compile it all twice.
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
  bool wide;    // C is of f32, else of In
  bool vector;  // 16-byte loads of A and B are possible
};

// Copies a tile of `lines` by `width` neighbours. `there` of its lines and `left` of their elements are in the
// matrix, zeros stand in for the rest. A whole tile goes 16 bytes at a time; the block decides as one.
//
// The pieces of eight lanes are put down together. Eight neighbours in a line lie in different banks, and so do eight
// lines of one place, which padding has parted: so lanes go along a wide tile, and down a narrow one.
template <class In, int lines, int width, int threads>
__device__ __forceinline__ void copy_tile(In (&to)[lines][width + kPad], const In* from, std::int64_t ld, int there,
                                          int left, bool vector) {
  const int tid = static_cast<int>(threadIdx.x), lane = tid % 32;
  if (vector && there == lines && left == width) {
    constexpr int across = width / kPiece, round = threads / across, down = across < 8 ? 32 / across : 1;
    const int line = down > 1 ? tid / 32 * down + lane % down : tid / across;
    const int place = (down > 1 ? lane / down : tid % across) * kPiece;
#pragma unroll
    for (int i = 0; i < lines; i += round)
      *reinterpret_cast<uint4*>(&to[line + i][place]) =
          *reinterpret_cast<const uint4*>(from + (line + i) * ld + place);
  } else {
#pragma unroll 1
    for (int e = tid; e < lines * width; e += threads) {
      const int i = e / width, j = e % width;
      to[i][j] = i < there && j < left ? from[i * ld + j] : In(0.0F);
    }
  }
}

template <class Out> __device__ __forceinline__ void update(Out* c, float product, float beta) {
  *c = static_cast<Out>(beta == 0 ? product : product + beta * static_cast<float>(*c));
}

template <class In, int tile, bool turn_b, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads) tensor_31_wmma_split_k(Args<In> g) {
  constexpr Tile t = kTiles[tile];
  constexpr int lines_b = turn_b ? t.bn : t.bk, width_b = turn_b ? t.bk : t.bn;
  alignas(32) __shared__ In sA[t.bm][t.bk + kPad];
  alignas(32) __shared__ In sB[lines_b][width_b + kPad];  // (bk, bn), or (bn, bk)
  alignas(32) __shared__ float sC[t.warps][t.bm][t.bn + kPad];

  // Where am I: the block's tile of C, of which every warp computes a part of each element.
  const int tid = static_cast<int>(threadIdx.x), warp = tid / 32;
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  const int rows = static_cast<int>(min(g.m - row0, std::int64_t{t.bm}));  // of the block's tile that are there
  const int cols = static_cast<int>(min(g.n - col0, std::int64_t{t.bn}));

  // What do I copy: my share of both tiles, wherever my slice of k is. They move along k.
  const In* A = g.A + row0 * g.lda;
  const In* B = g.B + (turn_b ? col0 * g.ldb : col0);

  wmma::fragment<wmma::accumulator, kSide, kSide, kSide, float> acc[t.bm / kSide][t.bn / kSide];
#pragma unroll
  for (int i = 0; i < t.bm / kSide; ++i) {
#pragma unroll
    for (int j = 0; j < t.bn / kSide; ++j) wmma::fill_fragment(acc[i][j], 0.0F);
  }
  for (std::int64_t left = g.k; left > 0; left -= t.bk) {
    // Load. Past the end of k both factors are zeros, so nothing is added; past m or n the sum may be anything, for
    // nobody stores it.
    const int depth = static_cast<int>(min(left, std::int64_t{t.bk}));
    copy_tile<In, t.bm, t.bk, threads>(sA, A, g.lda, rows, depth, g.vector);
    copy_tile<In, lines_b, width_b, threads>(sB, B, g.ldb, turn_b ? cols : depth, turn_b ? depth : cols, g.vector);
    A += t.bk, B += turn_b ? t.bk : t.bk * g.ldb;
    __syncthreads();

    // Multiply: my slice of this step. A fragment of a turned B is read column by column.
#pragma unroll
    for (int step = 0; step < t.bk / t.warps; step += kSide) {
      using Order = std::conditional_t<turn_b, wmma::col_major, wmma::row_major>;
      const int kk = warp * (t.bk / t.warps) + step;
      wmma::fragment<wmma::matrix_a, kSide, kSide, kSide, In, wmma::row_major> fA[t.bm / kSide];
      wmma::fragment<wmma::matrix_b, kSide, kSide, kSide, In, Order> fB[t.bn / kSide];
#pragma unroll
      for (int i = 0; i < t.bm / kSide; ++i) wmma::load_matrix_sync(fA[i], &sA[i * kSide][kk], t.bk + kPad);
#pragma unroll
      for (int j = 0; j < t.bn / kSide; ++j)
        wmma::load_matrix_sync(fB[j], turn_b ? &sB[j * kSide][kk] : &sB[kk][j * kSide], width_b + kPad);
#pragma unroll
      for (int i = 0; i < t.bm / kSide; ++i) {
#pragma unroll
        for (int j = 0; j < t.bn / kSide; ++j) wmma::mma_sync(acc[i][j], fA[i], fB[j], acc[i][j]);
      }
    }
    __syncthreads();  // before the next tiles are written over these
  }

  // Reduce: every warp lays its partial tile down; then a thread adds up the parts of one element after the other,
  // from the first warp's to the last's, so that the same call gives the same bits.
#pragma unroll
  for (int i = 0; i < t.bm / kSide; ++i) {
#pragma unroll
    for (int j = 0; j < t.bn / kSide; ++j)
      wmma::store_matrix_sync(&sC[warp][i * kSide][j * kSide], acc[i][j], t.bn + kPad, wmma::mem_row_major);
  }
  __syncthreads();

  // Store. C is not looked at where beta is 0: it may hold anything, NaN too.
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
    return in_slabs(GemmArgs<In, Out, float>(args), t.bm, [&](const GemmArgs<In, Out, float>& g) {
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
