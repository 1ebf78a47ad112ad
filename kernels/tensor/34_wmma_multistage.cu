// 34 · WMMA, multistage                            docs/trail/tensor_34_wmma_multistage.md · cairn bench tensor/34
//
// From    tensor/33_wmma_tf32_stage3
// Idea    33 for the types of 31: warps divide m and n, and cp.async fills 2 to 4 stages with k-steps of 32. A warp
//         of 64x64 elements multiplies 8 fragments into 16 products of 16x16x16.
// Before  33 loaded 6 fragments for 8 products of half the k. 31 loaded 4 fragments for 4 products, and its warps
//         waited while the next tiles were copied.
// Limit   WMMA hides which lane holds which element: padding is the only cure for bank conflicts, accumulators must
//         pass through shared memory to be stored, and operands cannot be read ahead into registers. 35 uses the
//         instructions below WMMA.
// Needs   f16, bf16 (C the same, or f32); row-major nn, nt; any m, n, k (edges masked); 16-byte copies where A and B
//         allow them; sm_80.
#include <type_traits>

#include "device/async_copy.hpp"
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "device/wmma.hpp"
#include "kernels/rung.hpp"

namespace cairn::tensor_34 {

inline constexpr int kFragment = 16;  // m, n and k of a fragment
inline constexpr int kChunk = 8;      // elements of 16 bytes
// Elements after each row of a tile, so that 8 rows begin in different banks; words after each row of accumulators.
inline constexpr int kPad = 8;
inline constexpr int kStrip = 32;  // columns of accumulators that a warp stores at a time: a lane for each

struct Tile {
  int bm, bn, bk;
  int wm, wn;  // warp tile
  int stages;
  int blocks;  // occupancy: blocks an SM must be able to hold
  constexpr int warps() const { return bm / wm * (bn / wn); }
  constexpr int threads() const { return warps() * 32; }
  // Bytes of a stage of an operand, for the layout that takes more.
  constexpr int stage(int mn) const { return std::max(mn * (bk + kPad), bk * (mn + kPad)) * 2; }
  constexpr int shared() const { return stages * (stage(bm) + stage(bn)); }
  constexpr bool copies(int rows, int cols) const {  // all threads copy in every pass, and a pass is full rows
    const int chunks = cols / kChunk;
    return cols % kChunk == 0 && (chunks < 8 ? 32 : threads()) % chunks == 0 && rows * chunks % threads() == 0;
  }
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && wm % kFragment == 0 && wn % kStrip == 0 &&  // full warps, strips
           bk % kFragment == 0 &&                                                      //
           copies(bm, bk) && copies(bn, bk) && copies(bk, bn) &&                       //
           stages >= 2 && shared() <= 99 * 1024 &&                   // shared memory of a block on any GPU,
           warps() * kFragment * (kStrip + kPad) * 4 <= shared() &&  // in which the strips fit at the end,
           blocks * (shared() + 1024) <= 164 * 1024 &&               // and of an SM
           blocks * threads() <= 1536 &&                             // threads of an SM, on any GPU
           blocks * threads() * (wm * wn / 32 + wm / 2) <= 65536;    // and registers
  }
  TileName name() const { return tile_text("%dx%dx%d %dx%d, %d stages by %d", bm, bn, bk, wm, wn, stages, blocks); }
};
inline constexpr Tile kTiles[] = {{128, 128, 32, 64, 64, 4, 2},  // [0] is the default
                                  {128, 128, 32, 32, 64, 3, 2},  // twice the warps
                                  {128, 128, 32, 32, 64, 2, 2}};

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
  bool vector;  // 16-byte copies of A and B are possible
};

// Copies tiles of one operand into shared memory: `mn` rows of op(A) or columns of op(B), by `bk` of k. A tile keeps
// the layout of the matrix: kRows rows of kCols elements, neighbours along k (k-major) or along m or n (MN-major).
//
// The chunks of eight lanes are one wavefront if they lie in different banks. Eight neighbours of a row do, and so do
// eight padded rows of a column: lanes go along the rows of a wide tile, and down the columns of a narrow one.
template <class E, int mn, int bk, int threads, bool k_major> struct TileLoader {
  static constexpr int kRows = k_major ? mn : bk, kCols = k_major ? bk : mn;
  static constexpr int kLd = kCols + kPad, kStage = kRows * kLd;
  static constexpr int kRowChunks = kCols / kChunk, kPassRows = threads / kRowChunks;
  static constexpr int kWarpRows = kRowChunks < 8 ? 32 / kRowChunks : 1;  // rows of a warp, where lanes go down
  const E* from;  // this thread's first chunk of the next tile
  std::int64_t ld;
  int in_bounds;  // how many of the `mn` are in the matrix

  static __device__ __forceinline__ int row() {
    const int tid = static_cast<int>(threadIdx.x);
    return kWarpRows > 1 ? tid / 32 * kWarpRows + tid % kWarpRows : tid / kRowChunks;
  }
  static __device__ __forceinline__ int col() {
    const int tid = static_cast<int>(threadIdx.x);
    return (kWarpRows > 1 ? tid % 32 / kWarpRows : tid % kRowChunks) * kChunk;
  }
  __device__ __forceinline__ TileLoader(const E* matrix, std::int64_t ld_, std::int64_t first, std::int64_t end)
      : from(matrix + (k_major ? (first + row()) * ld_ + col() : row() * ld_ + first + col())),
        ld(ld_),
        in_bounds(static_cast<int>(min(end - first, std::int64_t{mn}))) {}
  __device__ __forceinline__ void advance() { from += k_major ? bk : bk * ld; }

  // A full and aligned tile.
  __device__ __forceinline__ void copy(E* to) const {
#pragma unroll
    for (int i = 0; i < kRows; i += kPassRows) async_copy<16>(to + (row() + i) * kLd + col(), from + i * ld);
  }
  // Any tile, with `left` of k still in the matrix: zeros stand in for what is outside.
  __device__ __forceinline__ void copy_edge(E* to, int left, bool vector) const {
    const int rows = k_major ? in_bounds : left, cols = k_major ? left : in_bounds;
    if (vector) {
#pragma unroll 1
      for (int i = 0; i < kRows; i += kPassRows)
        async_copy<16>(to + (row() + i) * kLd + col(), from + i * ld,
                       row() + i < rows ? 2 * max(0, min(cols - col(), kChunk)) : 0);
    } else {
      // cp.async cannot copy 2 bytes, so elements go through registers. The barrier before a stage is read covers
      // these stores too.
      const E* const tile = from - row() * ld - col();
#pragma unroll 1
      for (int e = static_cast<int>(threadIdx.x); e < kRows * kCols; e += threads) {
        const int i = e / kCols, j = e % kCols;
        to[i * kLd + j] = i < rows && j < cols ? tile[i * ld + j] : E(0.0F);
      }
    }
  }
};

template <class Out> __device__ __forceinline__ void update(Out* c, float product, float beta) {
  *c = static_cast<Out>(beta == 0 ? product : product + beta * static_cast<float>(*c));
}

template <class In, int tile, bool k_major_b, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) tensor_34_wmma_multistage(Args<In> g) {
  constexpr Tile t = kTiles[tile];
  using LoaderA = TileLoader<In, t.bm, t.bk, threads, true>;
  using LoaderB = TileLoader<In, t.bn, t.bk, threads, k_major_b>;
  extern __shared__ __align__(32) unsigned char tensor_34_shared[];
  In* const sA = reinterpret_cast<In*>(tensor_34_shared);  // (stages, bm, bk)
  In* const sB = sA + t.stages * LoaderA::kStage;          // (stages, bn, bk), or (…, bk, bn)

  // Position: the block's tile of C, and the warp's tile in it.
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  const int row = warp / (t.bn / t.wn) * t.wm, col = warp % (t.bn / t.wn) * t.wn;

  // Copy a tile of A and one of B into a stage, with `left` of k still to come, and advance along k.
  LoaderA a(g.A, g.lda, row0, g.m);
  LoaderB b(g.B, g.ldb, col0, g.n);
  const bool full = g.vector && a.in_bounds == t.bm && b.in_bounds == t.bn;
  const auto copy = [&](int stage, std::int64_t left) {
    if (full && left >= t.bk) {  // uniform over the block
      a.copy(sA + stage * LoaderA::kStage);
      b.copy(sB + stage * LoaderB::kStage);
    } else {
      const int depth = static_cast<int>(min(left, std::int64_t{t.bk}));
      a.copy_edge(sA + stage * LoaderA::kStage, depth, g.vector);
      b.copy_edge(sB + stage * LoaderB::kStage, depth, g.vector);
    }
    a.advance();
    b.advance();
  };

  // Prologue: start copying the first tiles. Every k-step commits one group of copies, at the end an empty one, so
  // that waiting for all groups but the newest stages - 2 always covers the current k-step.
  constexpr int ahead = t.stages - 1;
#pragma unroll 1
  for (int i = 0; i < ahead; ++i) {
    if (g.k > i * t.bk) copy(i, g.k - i * t.bk);
    async_commit();
  }

  wmma::fragment<wmma::accumulator, kFragment, kFragment, kFragment, float> acc[t.wm / kFragment][t.wn / kFragment];
#pragma unroll
  for (int i = 0; i < t.wm / kFragment; ++i) {
#pragma unroll
    for (int j = 0; j < t.wn / kFragment; ++j) wmma::fill_fragment(acc[i][j], 0.0F);
  }

  int now = 0;
  for (std::int64_t left = g.k; left > 0; left -= t.bk) {
    // This thread's copies of the k-step have arrived; after the barrier those of all threads have. All warps are
    // also done with the stage of the previous k-step then, which is refilled.
    async_wait<ahead - 1>();
    __syncthreads();
    if (left > ahead * t.bk) copy(now == 0 ? ahead : now - 1, left - ahead * t.bk);
    async_commit();

    // Multiply: fragments of 16 x 16. A fragment of a k-major B is read column by column. Not unrolled: twice the
    // fragments would not fit into the registers of two blocks.
    const In *tileA = sA + now * LoaderA::kStage, *tileB = sB + now * LoaderB::kStage;
#pragma unroll 1
    for (int kk = 0; kk < t.bk; kk += kFragment) {
      using Order = std::conditional_t<k_major_b, wmma::col_major, wmma::row_major>;
      wmma::fragment<wmma::matrix_a, kFragment, kFragment, kFragment, In, wmma::row_major> fA[t.wm / kFragment];
#pragma unroll
      for (int i = 0; i < t.wm / kFragment; ++i)
        wmma::load_matrix_sync(fA[i], tileA + (row + i * kFragment) * LoaderA::kLd + kk, LoaderA::kLd);
#pragma unroll
      for (int j = 0; j < t.wn / kFragment; ++j) {
        wmma::fragment<wmma::matrix_b, kFragment, kFragment, kFragment, In, Order> fB;
        const int n = col + j * kFragment;
        wmma::load_matrix_sync(fB, tileB + LoaderB::kLd * (k_major_b ? n : kk) + (k_major_b ? kk : n), LoaderB::kLd);
#pragma unroll
        for (int i = 0; i < t.wm / kFragment; ++i) wmma::mma_sync(acc[i][j], fA[i], fB, acc[i][j]);
      }
    }
    now = now == ahead ? 0 : now + 1;
  }
  __syncthreads();  // the stages are free: no copy is in flight, and all warps have read the last tile

  // Epilogue. WMMA does not say which lane holds which accumulator, so each warp stores a strip of them to shared
  // memory and reads it back row by row, one column per lane. C is not read where beta is 0, since it may hold
  // anything, NaN too.
  auto* sC = reinterpret_cast<float(*)[kFragment][kStrip + kPad]>(tensor_34_shared)[warp];
#pragma unroll
  for (int i = 0; i < t.wm / kFragment; ++i) {
#pragma unroll
    for (int j = 0; j < t.wn / kFragment; j += kStrip / kFragment) {
#pragma unroll
      for (int f = 0; f < kStrip / kFragment; ++f)
        wmma::store_matrix_sync(&sC[0][f * kFragment], acc[i][j + f], kStrip + kPad, wmma::mem_row_major);
      __syncwarp();
      const int c = col + j * kFragment + lane;
#pragma unroll 4
      for (int r = 0; r < kFragment; ++r) {
        if (row + i * kFragment + r >= a.in_bounds || c >= b.in_bounds) continue;
        const std::int64_t at = (row0 + row + i * kFragment + r) * g.ldc + col0 + c;
        const float product = g.alpha * sC[r][lane];
        if (g.wide) {
          update(static_cast<float*>(g.C) + at, product, g.beta);
        } else {
          update(static_cast<In*>(g.C) + at, product, g.beta);
        }
      }
      __syncwarp();  // before the next strip overwrites this one
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
          g.op_b == Op::none ? tensor_34_wmma_multistage<In, i, false> : tensor_34_wmma_multistage<In, i, true>;
      return cairn::launch(grid, t.threads(), t.shared(), stream, kernel, same);
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

extern const Rung rung = {.id = "tensor/34_wmma_multistage",
                          .title = "WMMA, multistage",
                          .kind = RungKind::gemm,
                          .types = types::f16_bf16,
                          .layouts = layout::nn | layout::nt,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::tensor_34
