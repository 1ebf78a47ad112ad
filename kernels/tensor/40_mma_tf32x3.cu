// 40 · FP32 from TF32                     docs/trail/tensor_40_mma_tf32x3.md · cairn bench tensor/40 --type split
//
// From    tensor/38_mma_block_order
// Idea    An f32 is a TF32 and a remainder that is nearly another TF32: x = hi + lo. Three of the four products of
//         (hi + lo)(hi + lo) are computed, the small ones first; lo lo is below the precision of f32. Tensor cores
//         truncate their sums instead of rounding them, always towards zero: so after 32 of k they are added to f32
//         registers by ordinary additions (promotion), before the error has grown.
// Before  38 rounded A and B to TF32, which drops 13 bits of each factor.
// Limit   Three products and two sets of accumulators: a warp tile is half that of 38, and so is a block tile, which
//         copies half as much again for the same C. And three instructions split each element that is read.
// Needs   f32 computed as split; row-major nn, nt, tn, tt; any m, n, k (edges masked); 16-byte accesses where A, B
//         and C allow them; sm_80. Results that are not finite are recomputed without tensor cores, slowly.
#include "device/async_copy.hpp"
#include "device/launch.hpp"
#include "device/ldmatrix.hpp"
#include "device/mma.hpp"
#include "device/scaled_sum.hpp"
#include "device/vec.hpp"
#include "kernels/parts/block_cost.hpp"
#include "kernels/rung.hpp"

namespace cairn::tensor_40 {

inline constexpr int kM = 16, kN = 8;  // shape of one mma; its k is 32 bytes
inline constexpr int kGroup = 8;       // rows of tiles in a group that blocks walk down
inline constexpr int kPad = 8;         // words after each row of accumulators in shared memory

struct Tile {
  int bm, bn, bk;
  int wm, wn;  // warp tile
  int stages;
  int blocks;  // occupancy: blocks an SM must be able to hold
  constexpr int threads() const { return bm / wm * (bn / wn) * 32; }
  constexpr int shared() const { return stages * (bm + bn) * bk * 4; }
  // All threads copy in every pass, and a pass covers whole periods of the swizzle, `period` rows each.
  constexpr bool copies(int rows, int chunks, int period) const {
    return threads() % (period * chunks) == 0 && rows * chunks % threads() == 0;
  }
  constexpr bool loads(int mn) const { return copies(mn, bk / 4, 8) && copies(bk, mn / 4, 4); }  // k-major, MN-major
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && (wm == 32 || wm == 64) && (wn == 32 || wn == 64) &&  // offsets by XOR
           bk == 32 && loads(bm) && loads(bn) &&                 // rows of 8 chunks, and promotion every 32 of k
           stages >= 2 && shared() <= 227 * 1024 &&              // shared memory of a block on the largest GPUs,
           threads() / 32 * kM * (wn + kPad) * 4 <= shared() &&  // in which the strips fit at the end,
           blocks * (shared() + 1024) <= 227 * 1024 &&           // and of an SM
           blocks * threads() * (wm * wn / 16 + 3 * (wm + wn) / 4) <= 65536;  // registers
  }
  TileName name() const { return tile_text("%dx%dx%d %dx%d, %d stages by %d", bm, bn, bk, wm, wn, stages, blocks); }
};
inline constexpr Tile kTiles[] = {{128, 64, 32, 64, 32, 3, 2}};

// The kernel's arguments.
struct Args : GemmArgs<float> {
  bool vector;    // 16-byte copies of A and B are possible,
  bool vector_c;  // 16-byte accesses of C
};

// Copies tiles of one operand into shared memory: `mn` rows of op(A) or columns of op(B), by `bk` of k. A tile keeps
// the layout of the matrix: kRows rows of kCols elements, neighbours along k (k-major) or along m or n (MN-major).
template <class E, int mn, int bk, int threads, bool k_major> struct TileLoader {
  static constexpr int kChunk = 16 / sizeof(E);
  static constexpr int kRows = k_major ? mn : bk, kCols = k_major ? bk : mn;
  static constexpr int kStage = kRows * kCols;
  static constexpr int kRowChunks = kCols / kChunk, kPassRows = threads / kRowChunks;
  // ldmatrix cannot transpose words of 4 bytes: a warp loads them singly, eight neighbours of each of four rows.
  static constexpr bool kByWords = sizeof(E) == 4 && !k_major;
  const E* from;  // this thread's first chunk of the next tile
  std::int64_t ld;
  int in_bounds;  // how many of the `mn` are in the matrix

  // Offset of an element: the swizzle moves its chunk within the row. The banks are eight groups of 16 bytes. Rows of
  // eight chunks or more begin in the same group, so each of eight rows needs its own XOR; of rows of four chunks,
  // two fill the banks and share one. Where four rows are read two chunks wide, each needs two groups.
  static __device__ __forceinline__ int at(int row, int col) {
    const int swizzle = kByWords ? row % 4 * 2 : kRowChunks >= 8 ? row % 8 : row / 2 % 4;
    return row * kCols + (col ^ swizzle * kChunk);
  }
  static __device__ __forceinline__ int row() { return static_cast<int>(threadIdx.x) / kRowChunks; }
  static __device__ __forceinline__ int col() { return static_cast<int>(threadIdx.x) % kRowChunks * kChunk; }
  __device__ __forceinline__ TileLoader(const E* matrix, std::int64_t ld_, std::int64_t first, std::int64_t end)
      : from(matrix + (k_major ? (first + row()) * ld_ + col() : row() * ld_ + first + col())),
        ld(ld_),
        in_bounds(static_cast<int>(min(end - first, std::int64_t{mn}))) {}
  __device__ __forceinline__ void advance() { from += k_major ? bk : bk * ld; }

  // A full and aligned tile. A pass covers whole periods of the swizzle, so a chunk keeps its column in all passes.
  __device__ __forceinline__ void copy(E* to) const {
    E* const first = to + at(row(), col());
    const E* chunk = from;  // advanced by additions: the compiler keeps one address, not one for each pass
#pragma unroll
    for (int i = 0; i < kRows; i += kPassRows, chunk += kPassRows * ld) async_copy<16>(first + i * kCols, chunk);
  }
  // Any tile, with `left` of k still in the matrix: zeros stand in for what is outside.
  __device__ __forceinline__ void copy_edge(E* to, int left, bool vector) const {
    const int rows = k_major ? in_bounds : left, cols = k_major ? left : in_bounds;
    if (vector) {
#pragma unroll 1
      for (int i = 0; i < kRows; i += kPassRows)
        async_copy<16>(to + at(row() + i, col()), from + i * ld,
                       row() + i < rows ? static_cast<int>(sizeof(E)) * max(0, min(cols - col(), kChunk)) : 0);
    } else {
      const E* const tile = from - row() * ld - col();
#pragma unroll 1
      for (int e = static_cast<int>(threadIdx.x); e < kRows * kCols; e += threads) {
        const int i = e / kCols, j = e % kCols;
        async_copy<4>(to + at(i, j), tile + i * ld + j, i < rows && j < cols ? 4 : 0);
      }
    }
  }
};

// x = hi + lo. hi is the nearest TF32, ties away from zero: half of the last bit kept is added to the bits, and those
// below it are cleared. lo is exact and has 12 bits; a tensor core reads 11 of them.
//
// An infinity or a NaN makes lo a NaN, whatever the addition made of hi; and a number so large that the nearest TF32
// is infinite makes both infinite. So none of these can leave a finite accumulator.
__device__ __forceinline__ void split(std::uint32_t x, std::uint32_t& hi, std::uint32_t& lo) {
  hi = (x + 0x1000U) & 0xffffe000U;
  lo = __float_as_uint(__uint_as_float(x) - __uint_as_float(hi));
}

// Operands of mma from a tile. The offset of a lane's first element is computed once (lane_offset); the others differ
// from it by an XOR within the row, which leaves the swizzle alone, or by whole periods of the swizzle in rows.
//
// 16 rows of A by 32 bytes of k: lane 8 i + r gives the address of row r of matrix i. The four matrices are the upper
// and lower eight rows of the first half of k, then of the second.
template <class LoaderA, bool k_major> __device__ __forceinline__ int lane_offset_a(int row, int lane) {
  if constexpr (k_major) return LoaderA::at(row + lane % 16, lane / 16 * LoaderA::kChunk);
  return LoaderA::at(lane % 4, row + lane / 4);
}
template <class LoaderA, bool k_major, class E>
__device__ __forceinline__ void load_a(std::uint32_t (&to)[4], const E* tile, int offset, int row, int kk) {
  if constexpr (k_major) {
    load_matrices(to, tile + (offset ^ kk) + row * LoaderA::kCols);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      to[i] = __float_as_uint(tile[(offset ^ (row + i % 2 * 8)) + (kk + i / 2 * 4) * LoaderA::kCols]);
  }
}
// 32 bytes of k by 16 columns of B, for two mma: both halves of k of columns 0-7, then of columns 8-15.
template <class LoaderB, bool k_major> __device__ __forceinline__ int lane_offset_b(int col, int lane) {
  if constexpr (k_major) return LoaderB::at(col + lane % 8 + lane / 16 * 8, lane / 8 % 2 * LoaderB::kChunk);
  return LoaderB::at(lane % 4, col + lane / 4);
}
template <class LoaderB, bool k_major, class E>
__device__ __forceinline__ void load_b(std::uint32_t (&to)[4], const E* tile, int offset, int col, int kk) {
  if constexpr (k_major) {
    load_matrices(to, tile + (offset ^ kk) + col * LoaderB::kCols);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      to[i] = __float_as_uint(tile[(offset ^ (col + i / 2 * 8)) + (kk + i % 2 * 4) * LoaderB::kCols]);
  }
}

__device__ __forceinline__ bool finite(float x) { return fabsf(x) < __uint_as_float(0x7f800000U); }
__device__ __forceinline__ bool finite(float4 v) { return finite(v.x) && finite(v.y) && finite(v.z) && finite(v.w); }

// One element of A B by f32 multiply-adds, from global memory.
template <bool k_major_a, bool k_major_b>
__device__ __forceinline__ float plain_sum(const Args& g, std::int64_t row, std::int64_t col) {
  const float* a = g.A + (k_major_a ? row * g.lda : row);
  const float* b = g.B + (k_major_b ? col * g.ldb : col);
  float sum = 0;
#pragma unroll 1
  for (std::int64_t left = g.k; left > 0; --left, a += k_major_a ? 1 : g.lda, b += k_major_b ? 1 : g.ldb)
    sum = fmaf(*a, *b, sum);
  return sum;
}

template <int tile, bool k_major_a, bool k_major_b, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) tensor_40_mma_tf32x3(Args g) {
  constexpr Tile t = kTiles[tile];
  using E = float;
  constexpr int bk = t.bk, mma_k = 32 / sizeof(E), k_slices = bk / mma_k;
  using LoaderA = TileLoader<E, t.bm, bk, threads, k_major_a>;
  using LoaderB = TileLoader<E, t.bn, bk, threads, k_major_b>;
  extern __shared__ __align__(128) unsigned char tensor_40_shared[];
  E* const sA = reinterpret_cast<E*>(tensor_40_shared);  // (stages, bm, bk), or (…, bk, bm)
  E* const sB = sA + t.stages * LoaderA::kStage;         // (stages, bn, bk), or (…, bk, bn)

  // Position: blocks walk down groups of kGroup rows of tiles, so that concurrent blocks share A and B in L2.
  const auto tiles_m = static_cast<unsigned>((g.m + t.bm - 1) / t.bm);
  const auto tiles_n = static_cast<unsigned>((g.n + t.bn - 1) / t.bn);
  const unsigned group = blockIdx.x / (kGroup * tiles_n), in_group = blockIdx.x % (kGroup * tiles_n);
  const unsigned height = min(tiles_m - group * kGroup, unsigned{kGroup});
  const unsigned tile_m = group * kGroup + in_group % height, tile_n = in_group / height;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t row0 = std::int64_t{tile_m} * t.bm, col0 = std::int64_t{tile_n} * t.bn;
  const int row = warp / (t.bn / t.wn) * t.wm, col = warp % (t.bn / t.wn) * t.wn;

  // Copy a tile of A and one of B into a stage, with `left` of k still to come, and advance along k.
  LoaderA a(g.A, g.lda, row0, g.m);
  LoaderB b(g.B, g.ldb, col0, g.n);
  const bool full = g.vector && a.in_bounds == t.bm && b.in_bounds == t.bn;
  const auto copy = [&](int stage, std::int64_t left) {
    if (full && left >= bk) {  // uniform over the block
      a.copy(sA + stage * LoaderA::kStage);
      b.copy(sB + stage * LoaderB::kStage);
    } else {
      const int depth = static_cast<int>(min(left, std::int64_t{bk}));
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
    if (g.k > i * bk) copy(i, g.k - i * bk);
    async_commit();
  }

  // Register pipeline: split the operands of a k-slice, read the next ones in their place, and multiply the parts.
  float acc[t.wm / kM][t.wn / kN][4] = {};
  std::uint32_t rA[t.wm / kM][4], rB[t.wn / kN / 2][4];  // a row of rB is for two mma
  const int offsetA = lane_offset_a<LoaderA, k_major_a>(row, lane);
  const int offsetB = lane_offset_b<LoaderB, k_major_b>(col, lane);
  const auto read = [&](int stage, int kk) {
    const E *tileA = sA + stage * LoaderA::kStage, *tileB = sB + stage * LoaderB::kStage;
#pragma unroll
    for (int j = 0; j < t.wn / kN; j += 2) load_b<LoaderB, k_major_b>(rB[j / 2], tileB, offsetB, j * kN, kk);
#pragma unroll
    for (int i = 0; i < t.wm / kM; ++i) load_a<LoaderA, k_major_a>(rA[i], tileA, offsetA, i * kM, kk);
  };
  std::uint32_t hiA[t.wm / kM][4], loA[t.wm / kM][4], hiB[t.wn / kN][2], loB[t.wn / kN][2];
  const auto part = [&] {
#pragma unroll
    for (int e = 0; e < t.wn / kN * 2; ++e) split(rB[e / 4][e % 4], hiB[e / 2][e % 2], loB[e / 2][e % 2]);
#pragma unroll
    for (int e = 0; e < t.wm / kM * 4; ++e) split(rA[e / 4][e % 4], hiA[e / 4][e % 4], loA[e / 4][e % 4]);
  };
  // Small products first. Each is added to all accumulators before the next, so that no mma waits for another.
  const auto multiply = [&](float(&chain)[t.wm / kM][t.wn / kN][4]) {
#pragma unroll
    for (int product = 0; product < 3; ++product) {
#pragma unroll
      for (int i = 0; i < t.wm / kM; ++i) {
#pragma unroll
        for (int j = 0; j < t.wn / kN; ++j)
          mma<Tf32>(chain[i][j], product == 0 ? loA[i] : hiA[i], product == 1 ? loB[j] : hiB[j]);
      }
    }
  };

  int now = 0, fill = ahead;  // the stage being multiplied, and the next to be filled
  if (g.k > 0) {
    async_wait<ahead - 1>();
    __syncthreads();
    read(0, 0);
  }
  for (std::int64_t left = g.k; left > 0; left -= bk) {
    float chain[t.wm / kM][t.wn / kN][4] = {};  // accumulators of this k-step alone
#pragma unroll
    for (int i = 0; i < k_slices; ++i) {
      part();
      if (i == k_slices - 1) {
        // The last k-slice reads ahead into the next tile. After the barrier the copies of all threads have arrived,
        // and all warps are done with this stage, which the next k-step refills. After the last tile the same stage
        // is read once more without need: a branch costs more.
        async_wait<ahead - 1>();
        __syncthreads();
        if (left > bk) now = now == ahead ? 0 : now + 1;
      }
      read(now, (i + 1) % k_slices * mma_k);
      if (i == 0) {
        if (left > ahead * bk) copy(fill, left - ahead * bk);
        async_commit();
        fill = fill == ahead ? 0 : fill + 1;
      }
      multiply(chain);
    }
    // Promotion to f32 registers, by additions that round to nearest.
#pragma unroll
    for (int i = 0; i < t.wm / kM; ++i) {
#pragma unroll
      for (int e = 0; e < t.wn / kN * 4; ++e) acc[i][e / 4][e % 4] += chain[i][e / 4][e % 4];
    }
  }

  // Epilogue: a lane has pairs of neighbours, eight rows apart. Each warp writes 16 rows to shared memory and reads
  // them back row by row. C is not read where beta is 0, since it may hold anything, NaN too.
  __syncthreads();  // the stages are free: no copy is in flight, and all warps have read the last tile
  auto* strip = reinterpret_cast<float(*)[kM][t.wn + kPad]>(tensor_40_shared)[warp];
  const std::int64_t at_col = col0 + col + lane % (t.wn / 4) * 4;
  const int cols = static_cast<int>(max(std::int64_t{0}, min(g.n - at_col, std::int64_t{4})));
#pragma unroll
  for (int i = 0; i < t.wm / kM; ++i) {
#pragma unroll
    for (int j = 0; j < t.wn / kN; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float* to = &strip[lane / 4 + half * 8][j * kN + lane % 4 * 2];
        *reinterpret_cast<float2*>(to) = make_float2(acc[i][j][2 * half], acc[i][j][2 * half + 1]);
      }
    }
    __syncwarp();
#pragma unroll 1
    for (int r = lane / (t.wn / 4); r < kM; r += 128 / t.wn) {
      const std::int64_t at_row = row0 + row + i * kM + r;
      if (at_row >= g.m || cols == 0) break;
      float* const four = &strip[r][lane % (t.wn / 4) * 4];
      float* const c = g.C + at_row * g.ldc + at_col;
      float4 out = load4(four);
      if (!finite(out)) {  // a factor is infinite, NaN or too large to split: f32 multiply-adds give the right value
#pragma unroll 1
        for (int e = 0; e < cols; ++e)
          if (!finite(four[e])) four[e] = plain_sum<k_major_a, k_major_b>(g, at_row, at_col + e);
        out = load4(four);
      }
      if (g.beta == 0) {
        out = make_float4(g.alpha * out.x, g.alpha * out.y, g.alpha * out.z, g.alpha * out.w);
      } else {
        const float4 old = g.vector_c ? load4_edge<true>(c, cols) : load4_edge<false>(c, cols);
        out = make_float4(scaled_sum(g.alpha, out.x, g.beta, old.x), scaled_sum(g.alpha, out.y, g.beta, old.y),
                          scaled_sum(g.alpha, out.z, g.beta, old.z), scaled_sum(g.alpha, out.w, g.beta, old.w));
      }
      g.vector_c ? store4_edge<true>(c, out, cols) : store4_edge<false>(c, out, cols);
    }
    __syncwarp();  // before the next strip overwrites this one
  }
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    constexpr Tile t = kTiles[i];
    const GemmArgs<float> g(args);
    if (g.idle()) return {};
    const Grid grid{ceil_div(g.n, t.bn) * ceil_div(g.m, t.bm)};
    const bool vector = rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb);
    const bool vector_c = rows_of_16_bytes(g.C, g.ldc);
    const Args same{g, vector, vector_c};
    const bool k_major_a = g.op_a == Op::none, k_major_b = g.op_b != Op::none;
    const auto kernel =
        k_major_a ? (k_major_b ? tensor_40_mma_tf32x3<i, true, true> : tensor_40_mma_tf32x3<i, true, false>)
                  : (k_major_b ? tensor_40_mma_tf32x3<i, false, true> : tensor_40_mma_tf32x3<i, false, false>);
    return cairn::launch(grid, t.threads(), t.shared(), stream, kernel, same);
  });
}

Choice choose(const Query& query) {
  const Problem& p = query.problem;
  const Tile& t = kTiles[0];
  const bool vector = query.aligned && p.lda % 4 == 0 && p.ldb % 4 == 0;
  Choice choice;
  choice.forecast = forecast({.bm = t.bm,
                              .bn = t.bn,
                              .rate = 157.0 * (vector ? 1 : 0.5),
                              .alone = 0.55,
                              .dram_alone = 0.5,
                              .epilogue = 2000},
                             p, query.device);
  return choice;
}

extern const Rung rung = {.id = "tensor/40_mma_tf32x3",
                          .title = "FP32 from TF32",
                          .kind = RungKind::gemm,
                          .types = types::split,
                          .layouts = layout::all,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch,
                          .choose = choose};

}  // namespace cairn::tensor_40
