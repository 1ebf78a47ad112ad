// 35 · mma.sync, ldmatrix                          docs/trail/tensor_35_mma_ldmatrix.md · cairn bench tensor/35
//
// From    tensor/34_wmma_multistage
// Idea    The instructions below WMMA. ldmatrix loads four matrices of 8x8 elements, laid out over the lanes as
//         mma.sync wants them, and transposes each if asked: all four layouts are read at the same cost.
// Before  34 loaded fragments through WMMA, and its accumulators went through shared memory to be stored.
// Limit   Rows of a tile are padded, or eight of them would begin in two groups of banks: a fifth of the shared
//         memory is unused. 36 swizzles instead.
// Needs   f16, bf16 (C the same, or f32); row-major nn, nt, tn, tt; any m, n, k (edges masked); 16-byte copies where
//         A and B allow them; sm_80.
#include <type_traits>

#include "device/async_copy.hpp"
#include "device/launch.hpp"
#include "device/ldmatrix.hpp"
#include "device/mma.hpp"
#include "device/vec.hpp"
#include "kernels/rung.hpp"

namespace cairn::tensor_35 {

inline constexpr int kM = 16, kN = 8, kK = 16;  // shape of one mma
inline constexpr int kChunk = 8;                // elements of 16 bytes
inline constexpr int kPad = 8;  // elements after each row of a tile, so that 8 rows begin in different banks

struct Tile {
  int bm, bn, bk;
  int wm, wn;  // warp tile
  int stages;
  int blocks;  // occupancy: blocks an SM must be able to hold
  constexpr int threads() const { return bm / wm * (bn / wn) * 32; }
  // Bytes of a stage of an operand, for the layout that takes more.
  constexpr int stage(int mn) const { return std::max(mn * (bk + kPad), bk * (mn + kPad)) * 2; }
  constexpr int shared() const { return stages * (stage(bm) + stage(bn)); }
  constexpr bool copies(int rows, int cols) const {  // all threads copy in every pass, and a pass is full rows
    const int chunks = cols / kChunk;
    return cols % kChunk == 0 && (chunks < 8 ? 32 : threads()) % chunks == 0 && rows * chunks % threads() == 0;
  }
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && wm % kM == 0 && wn % (2 * kN) == 0 &&    // full warps and instructions
           bk % kK == 0 &&                                                          //
           copies(bm, bk) && copies(bk, bm) && copies(bn, bk) && copies(bk, bn) &&  //
           stages >= 2 && shared() <= 99 * 1024 &&                          // shared memory of a block on any GPU,
           blocks * (shared() + 1024) <= 164 * 1024 &&                      // and of an SM
           blocks * threads() * (wm * wn / 32 + wm / 4 + wn / 4) <= 65536;  // registers
  }
  TileName name() const { return tile_text("%dx%dx%d %dx%d, %d stages by %d", bm, bn, bk, wm, wn, stages, blocks); }
};
inline constexpr Tile kTiles[] = {{128, 128, 32, 64, 64, 3, 2},   // [0] is the default
                                  {128, 128, 32, 64, 32, 3, 1}};  // twice the warps

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

// 16 rows of A by 16 of k for one mma: lane 8 i + r gives the address of row r of matrix i. The four matrices are the
// upper and lower eight rows of the first eight of k, then of the second.
template <class LoaderA, bool k_major, class E>
__device__ __forceinline__ void load_a(std::uint32_t (&to)[4], const E* tile, int row, int kk, int lane) {
  if constexpr (k_major) {
    load_matrices(to, tile + (row + lane % 16) * LoaderA::kLd + kk + lane / 16 * 8);
  } else {
    load_transposed(to, tile + (kk + lane % 8 + lane / 16 * 8) * LoaderA::kLd + row + lane / 8 % 2 * 8);
  }
}
// 16 of k by 16 columns of B, for two mma: both halves of k of columns 0-7, then of columns 8-15.
template <class LoaderB, bool k_major, class E>
__device__ __forceinline__ void load_b(std::uint32_t (&to)[4], const E* tile, int col, int kk, int lane) {
  if constexpr (k_major) {
    load_matrices(to, tile + (col + lane % 8 + lane / 16 * 8) * LoaderB::kLd + kk + lane / 8 % 2 * 8);
  } else {
    load_transposed(to, tile + (kk + lane % 16) * LoaderB::kLd + col + lane / 16 * 8);
  }
}

template <class Out> __device__ __forceinline__ void update(Out* c, float product, float beta) {
  *c = static_cast<Out>(beta == 0 ? product : product + beta * static_cast<float>(*c));
}

template <class In, int tile, bool k_major_a, bool k_major_b, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) tensor_35_mma_ldmatrix(Args<In> g) {
  constexpr Tile t = kTiles[tile];
  using LoaderA = TileLoader<In, t.bm, t.bk, threads, k_major_a>;
  using LoaderB = TileLoader<In, t.bn, t.bk, threads, k_major_b>;
  extern __shared__ __align__(16) unsigned char tensor_35_shared[];
  In* const sA = reinterpret_cast<In*>(tensor_35_shared);  // (stages, bm, bk), or (…, bk, bm)
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

  float acc[t.wm / kM][t.wn / kN][4] = {};
  int now = 0;
  for (std::int64_t left = g.k; left > 0; left -= t.bk) {
    // This thread's copies of the k-step have arrived; after the barrier those of all threads have. All warps are
    // also done with the stage of the previous k-step then, which is refilled.
    async_wait<ahead - 1>();
    __syncthreads();
    if (left > ahead * t.bk) copy(now == 0 ? ahead : now - 1, left - ahead * t.bk);
    async_commit();

    // Multiply: load the warp's rows of A and columns of B for 16 of k, and multiply each by each.
    const In *tileA = sA + now * LoaderA::kStage, *tileB = sB + now * LoaderB::kStage;
#pragma unroll
    for (int kk = 0; kk < t.bk; kk += kK) {
      std::uint32_t rA[t.wm / kM][4], rB[t.wn / kN][2];
#pragma unroll
      for (int i = 0; i < t.wm / kM; ++i) load_a<LoaderA, k_major_a>(rA[i], tileA, row + i * kM, kk, lane);
#pragma unroll
      for (int j = 0; j < t.wn / kN; j += 2) {
        std::uint32_t two[4];
        load_b<LoaderB, k_major_b>(two, tileB, col + j * kN, kk, lane);
        rB[j][0] = two[0], rB[j][1] = two[1], rB[j + 1][0] = two[2], rB[j + 1][1] = two[3];
      }
#pragma unroll
      for (int i = 0; i < t.wm / kM; ++i) {
#pragma unroll
        for (int j = 0; j < t.wn / kN; ++j) mma<In>(acc[i][j], rA[i], rB[j]);
      }
    }
    now = now == ahead ? 0 : now + 1;
  }

  // Epilogue: a lane has two neighbours of a row, and two more eight rows below. C is not read where beta is 0, since
  // it may hold anything, NaN too.
#pragma unroll
  for (int i = 0; i < t.wm / kM; ++i) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int r = row + i * kM + lane / 4 + e / 2 * 8;
      if (r >= a.in_bounds) continue;
#pragma unroll
      for (int j = 0; j < t.wn / kN; ++j) {
        const int c = col + j * kN + lane % 4 * 2 + e % 2;
        if (c >= b.in_bounds) continue;
        const std::int64_t at = (row0 + r) * g.ldc + col0 + c;
        const float product = g.alpha * acc[i][j][e];
        if (g.wide) {
          update(static_cast<float*>(g.C) + at, product, g.beta);
        } else {
          update(static_cast<In*>(g.C) + at, product, g.beta);
        }
      }
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
      const bool k_major_a = g.op_a == Op::none, k_major_b = g.op_b != Op::none;
      const auto kernel =
          k_major_a
              ? (k_major_b ? tensor_35_mma_ldmatrix<In, i, true, true> : tensor_35_mma_ldmatrix<In, i, true, false>)
              : (k_major_b ? tensor_35_mma_ldmatrix<In, i, false, true>
                           : tensor_35_mma_ldmatrix<In, i, false, false>);
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

extern const Rung rung = {.id = "tensor/35_mma_ldmatrix",
                          .title = "mma.sync, ldmatrix",
                          .kind = RungKind::gemm,
                          .types = types::f16_bf16,
                          .layouts = layout::all,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::tensor_35
