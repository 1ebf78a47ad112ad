// 40 · FP32 from TF32                     docs/trail/tensor_40_mma_tf32x3.md · cairn bench tensor/40 --type split
//
// Idea    An f32 is a TF32 and what is left of it, nearly another TF32: x = hi + lo. Of (hi + lo)(hi + lo) three
//         products are made, small ones first; lo lo is below what f32 can say. Tensor cores cut sums off where
//         others round, always towards zero: so after 32 steps of k a sum is added to another by an ordinary
//         addition, before it has drifted.
// Before  38 rounded A and B to TF32 and lost 13 bits of each.
// Limit   Three products and two sets of sums: a warp's tile is half that of 38, and so is a block's, which copies
//         half as much again for the same C. And three instructions make the two parts of each element that is read.
// Needs   f32 computed as split; row-major nn, nt, tn, tt; any m, n, k (edges masked); 16-byte accesses where A, B, C
//         allow them; sm_80. Sums that are not finite are made again without tensor cores, slowly.
#include "device/async_copy.hpp"
#include "device/launch.hpp"
#include "device/ldmatrix.hpp"
#include "device/mma.hpp"
#include "device/vec.hpp"
#include "kernels/parts/block_cost.hpp"
#include "kernels/rung.hpp"

namespace cairn::tensor_40 {

inline constexpr int kM = 16, kN = 8, kK = 8;  // of one mma
inline constexpr int kGroup = 8;               // rows of tiles that blocks walk down together
inline constexpr int kPad = 8;                 // words after each row of sums in shared memory

struct Tile {
  int bm, bn, bk;
  int wm, wn;  // the elements of one warp
  int stages;
  int blocks;  // on an SM at a time, at least
  constexpr int threads() const { return bm / wm * (bn / wn) * 32; }
  constexpr int shared() const { return stages * (bm + bn) * bk * 4; }
  // In whole rounds, all threads busy; and `period` lines further on the order of pieces is the same again.
  constexpr bool copies(int lines, int width, int period) const {
    return threads() % (period * width / 4) == 0 && lines * width / 4 % threads() == 0;
  }
  constexpr bool side(int rows) const { return copies(rows, bk, 8) && copies(bk, rows, 4); }  // along k, along rows
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && (wm == 32 || wm == 64) && (wn == 32 || wn == 64) &&  // places by xor
           bk == 32 && side(bm) && side(bn) &&  // a line of 8 pieces; and 32 of k are as many as a sum should take
           stages >= 2 && threads() / 32 * kM * (wn + kPad) * 4 <= shared() &&
           shared() <= 227 * 1024 &&                    // shared memory of a block, on the largest GPUs,
           blocks * (shared() + 1024) <= 227 * 1024 &&  // and of an SM
           blocks * threads() * (wm * wn / 16 + 3 * (wm + wn) / 4) <= 65536;  // registers
  }
  TileName name() const { return tile_text("%dx%dx%d %dx%d, %d stages by %d", bm, bn, bk, wm, wn, stages, blocks); }
};
inline constexpr Tile kTiles[] = {{128, 64, 32, 64, 32, 3, 2}};

// What the kernel is given.
struct Args : GemmArgs<float> {
  bool vector;    // 16-byte copies of A and B are possible,
  bool vector_c;  // 16-byte accesses of C
};

// One operand's tiles: `rows` of op(A), or as many columns of op(B), by `depth` steps of k. They lie in shared memory
// as in memory. Neighbours are steps of k (along_k) and a line is a row; or neighbours are rows, and a line is a
// step.
template <int rows, int depth, int threads, bool along_k> struct Side {
  static constexpr int kLines = along_k ? rows : depth, kWidth = along_k ? depth : rows;
  static constexpr int kStage = kLines * kWidth;
  static constexpr int kAcross = kWidth / 4, kRound = threads / kAcross;
  const float* from;  // this thread's first piece of the next tile
  std::int64_t ld;
  int there;  // of `rows`, how many are in the matrix

  // Where an element lies: its piece of 16 bytes is moved within the line. All lines begin in the same bank. Of eight
  // that ldmatrix reads together every one needs another order; ldmatrix cannot turn words, so across k they are read
  // one by one, of four lines eight neighbours each, and each needs two pieces.
  static __device__ __forceinline__ int at(int line, int place) {
    return line * kWidth + (place ^ (along_k ? line % 8 : line % 4 * 2) * 4);
  }
  static __device__ __forceinline__ int line() { return static_cast<int>(threadIdx.x) / kAcross; }
  static __device__ __forceinline__ int place() { return static_cast<int>(threadIdx.x) % kAcross * 4; }
  __device__ __forceinline__ Side(const float* matrix, std::int64_t ld_, std::int64_t first, std::int64_t end)
      : from(matrix + (along_k ? (first + line()) * ld_ + place() : line() * ld_ + first + place())),
        ld(ld_),
        there(static_cast<int>(min(end - first, std::int64_t{rows}))) {}
  __device__ __forceinline__ void advance() { from += along_k ? depth : depth * ld; }

  // A tile that is whole and aligned. Rounds are as long as the order of pieces, so a piece keeps its place in the
  // line.
  __device__ __forceinline__ void copy(float* to) const {
    float* const first = to + at(line(), place());
    const float* piece = from;  // moved along, so that the compiler keeps one address and not one for each round
#pragma unroll
    for (int i = 0; i < kLines; i += kRound, piece += kRound * ld) async_copy<16>(first + i * kWidth, piece);
  }
  // Any tile, of which k has `left` steps: zeros stand in for what is not there.
  __device__ __forceinline__ void copy_edge(float* to, int left, bool vector) const {
    const int lines = along_k ? there : left, width = along_k ? left : there;
    if (vector) {
#pragma unroll 1
      for (int i = 0; i < kLines; i += kRound)
        async_copy<16>(to + at(line() + i, place()), from + i * ld,
                       line() + i < lines ? 4 * max(0, min(width - place(), 4)) : 0);
    } else {
      const float* const tile = from - line() * ld - place();
#pragma unroll 1
      for (int e = static_cast<int>(threadIdx.x); e < kLines * kWidth; e += threads) {
        const int i = e / kWidth, j = e % kWidth;
        async_copy<4>(to + at(i, j), tile + i * ld + j, i < lines && j < width ? 4 : 0);
      }
    }
  }
};

// x = hi + lo. hi is the nearest TF32: half of the last bit that stays is added to the bits, away from zero, and the
// others are cleared. lo is exact and has 12 bits; a tensor core reads 11 of them.
//
// An infinity leaves lo a NaN, and so does a NaN, whatever the addition made of hi; and a number so large that the
// nearest TF32 is infinite leaves both infinite. So all of these are seen in the sums.
__device__ __forceinline__ void split(std::uint32_t x, std::uint32_t& hi, std::uint32_t& lo) {
  hi = (x + 0x1000U) & 0xffffe000U;
  lo = __float_as_uint(__uint_as_float(x) - __uint_as_float(hi));
}

// Operands for mma out of a tile. Where a lane's first element lies is worked out once (spot); for the others only
// the place in the line changes, by an xor that leaves the order of pieces alone, or the line, by whole periods of
// it.
//
// 16 rows of A by 8 steps of k: lane 8 i + r has row r of matrix i in hand, and the four are the upper and lower
// eight rows of the first half of k, then of the other.
template <class SideA, bool along_k> __device__ __forceinline__ int spot_a(int row, int lane) {
  return along_k ? SideA::at(row + lane % 16, lane / 16 * 4) : SideA::at(lane % 4, row + lane / 4);
}
template <class SideA, bool along_k>
__device__ __forceinline__ void load_a(std::uint32_t (&to)[4], const float* tile, int spot, int row, int kk) {
  if constexpr (along_k) {
    load_matrices(to, tile + (spot ^ kk) + row * SideA::kWidth);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      to[i] = __float_as_uint(tile[(spot ^ (row + i % 2 * 8)) + (kk + i / 2 * 4) * SideA::kWidth]);
  }
}
// 8 steps of k by 16 columns of B, for two of mma: first the columns 0-7 and their two halves of k.
template <class SideB, bool along_k> __device__ __forceinline__ int spot_b(int col, int lane) {
  return along_k ? SideB::at(col + lane % 8 + lane / 16 * 8, lane / 8 % 2 * 4) : SideB::at(lane % 4, col + lane / 4);
}
template <class SideB, bool along_k>
__device__ __forceinline__ void load_b(std::uint32_t (&to)[4], const float* tile, int spot, int col, int kk) {
  if constexpr (along_k) {
    load_matrices(to, tile + (spot ^ kk) + col * SideB::kWidth);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      to[i] = __float_as_uint(tile[(spot ^ (col + i / 2 * 8)) + (kk + i % 2 * 4) * SideB::kWidth]);
  }
}

__device__ __forceinline__ bool finite(float x) { return fabsf(x) < __uint_as_float(0x7f800000U); }
__device__ __forceinline__ bool finite(float4 v) { return finite(v.x) && finite(v.y) && finite(v.z) && finite(v.w); }

// One sum as f32 has it, from memory.
template <bool along_a, bool along_b>
__device__ __forceinline__ float plain_sum(const Args& g, std::int64_t row, std::int64_t col) {
  const float* a = g.A + (along_a ? row * g.lda : row);
  const float* b = g.B + (along_b ? col * g.ldb : col);
  float sum = 0;
#pragma unroll 1
  for (std::int64_t left = g.k; left > 0; --left, a += along_a ? 1 : g.lda, b += along_b ? 1 : g.ldb)
    sum = fmaf(*a, *b, sum);
  return sum;
}

template <int tile, bool along_a, bool along_b, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) tensor_40_mma_tf32x3(Args g) {
  constexpr Tile t = kTiles[tile];
  using SideA = Side<t.bm, t.bk, threads, along_a>;
  using SideB = Side<t.bn, t.bk, threads, along_b>;
  constexpr int tall = t.wm / kM, wide = t.wn / kN, steps = t.bk / kK;
  extern __shared__ __align__(128) float tensor_40_shared[];
  float* const sA = tensor_40_shared;               // (stages, bm, bk), or (…, bk, bm)
  float* const sB = sA + t.stages * SideA::kStage;  // (stages, bn, bk), or (…, bk, bn)

  // Where am I: blocks walk down groups of kGroup rows of tiles, so that those that run together share A and B in L2.
  const auto tiles_m = static_cast<unsigned>((g.m + t.bm - 1) / t.bm);
  const auto tiles_n = static_cast<unsigned>((g.n + t.bn - 1) / t.bn);
  const unsigned group = blockIdx.x / (kGroup * tiles_n), in_group = blockIdx.x % (kGroup * tiles_n);
  const unsigned height = min(tiles_m - group * kGroup, unsigned{kGroup});
  const unsigned tile_m = group * kGroup + in_group % height, tile_n = in_group / height;

  // In it the warp's tile.
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int row = warp / (t.bn / t.wn) * t.wm, col = warp % (t.bn / t.wn) * t.wn;

  // What do I copy: my share of a tile of A and of one of B, where `left` of k begins. They move along k.
  SideA a(g.A, g.lda, std::int64_t{tile_m} * t.bm, g.m);
  SideB b(g.B, g.ldb, std::int64_t{tile_n} * t.bn, g.n);
  const bool whole = g.vector && a.there == t.bm && b.there == t.bn;
  const auto copy = [&](int stage, std::int64_t left) {
    if (whole && left >= t.bk) {  // the block decides as one
      a.copy(sA + stage * SideA::kStage);
      b.copy(sB + stage * SideB::kStage);
    } else {
      const int depth = static_cast<int>(min(left, std::int64_t{t.bk}));
      a.copy_edge(sA + stage * SideA::kStage, depth, g.vector);
      b.copy_edge(sB + stage * SideB::kStage, depth, g.vector);
    }
    a.advance();
    b.advance();
  };

  // The first tiles set out. Each step has a group of copies, be it an empty one: then "all groups but the newest
  // stages - 2" are those up to this step's, at the end too.
  constexpr int ahead = t.stages - 1;
#pragma unroll 1
  for (int i = 0; i < ahead; ++i) {
    if (g.k > i * t.bk) copy(i, g.k - i * t.bk);
    async_commit();
  }

  // One step of k: what was read is split, the next step's operands are read in its place, and the parts multiplied.
  std::uint32_t rA[tall][4], rB[wide / 2][4];  // two columns of mma to a row of rB
  const int spotA = spot_a<SideA, along_a>(row, lane), spotB = spot_b<SideB, along_b>(col, lane);
  const auto read = [&](int stage, int kk) {
#pragma unroll
    for (int j = 0; j < wide / 2; ++j)
      load_b<SideB, along_b>(rB[j], sB + stage * SideB::kStage, spotB, j * 2 * kN, kk);
#pragma unroll
    for (int i = 0; i < tall; ++i) load_a<SideA, along_a>(rA[i], sA + stage * SideA::kStage, spotA, i * kM, kk);
  };
  std::uint32_t hiA[tall][4], loA[tall][4], hiB[wide][2], loB[wide][2];
  const auto part = [&] {
#pragma unroll
    for (int e = 0; e < wide * 2; ++e) split(rB[e / 4][e % 4], hiB[e / 2][e % 2], loB[e / 2][e % 2]);
#pragma unroll
    for (int e = 0; e < tall * 4; ++e) split(rA[e / 4][e % 4], hiA[e / 4][e % 4], loA[e / 4][e % 4]);
  };
  // Small products first. Each goes once through all sums before the next, so that none waits for the one before it.
  const auto multiply = [&](float(&sums)[tall][wide][4]) {
#pragma unroll
    for (int product = 0; product < 3; ++product) {
#pragma unroll
      for (int i = 0; i < tall; ++i) {
#pragma unroll
        for (int j = 0; j < wide; ++j)
          mma<Tf32>(sums[i][j], product == 0 ? loA[i] : hiA[i], product == 1 ? loB[j] : hiB[j]);
      }
    }
  };

  float acc[tall][wide][4] = {};
  int now = 0, fill = ahead;  // the stage being multiplied, and the one to be filled next
  if (g.k > 0) {
    async_wait<ahead - 1>();
    __syncthreads();
    read(0, 0);
  }
  for (std::int64_t left = g.k; left > 0; left -= t.bk) {
    float sums[tall][wide][4] = {};  // of this tile alone
#pragma unroll
    for (int i = 0; i < steps; ++i) {
      part();
      if (i == steps - 1) {
        // The last step reads ahead into the next tile. One barrier: the copies of all threads have arrived, and
        // everybody is done with this stage, which the next round fills. After the last tile it is read once more,
        // for nothing: a branch costs more.
        async_wait<ahead - 1>();
        __syncthreads();
        if (left > t.bk) now = now == ahead ? 0 : now + 1;
      }
      read(now, (i + 1) % steps * kK);
      if (i == 0) {
        if (left > ahead * t.bk) copy(fill, left - ahead * t.bk);
        async_commit();
        fill = fill == ahead ? 0 : fill + 1;
      }
      multiply(sums);
    }
#pragma unroll
    for (int e = 0; e < tall * wide * 4; ++e)
      acc[e / 4 / wide][e / 4 % wide][e % 4] += sums[e / 4 / wide][e / 4 % wide][e % 4];
  }

  // Store: a lane has pairs of neighbours, eight rows apart. Each warp lays 16 rows out in shared memory and reads
  // them row by row, 16 bytes a lane. C is not looked at where beta is 0: it may hold anything, NaN too.
  __syncthreads();  // the stages are free: what is on its way is nothing, and all have read the last one
  auto* strip = reinterpret_cast<float(*)[kM][t.wn + kPad]>(tensor_40_shared)[warp];
  const std::int64_t at_col = std::int64_t{tile_n} * t.bn + col + lane % (t.wn / 4) * 4;
  const int cols = static_cast<int>(max(std::int64_t{0}, min(g.n - at_col, std::int64_t{4})));
#pragma unroll
  for (int i = 0; i < tall; ++i) {
#pragma unroll
    for (int e = 0; e < wide * 2; ++e) {
      float* to = &strip[lane / 4 + e % 2 * 8][e / 2 * kN + lane % 4 * 2];
      *reinterpret_cast<float2*>(to) = make_float2(acc[i][e / 2][e % 2 * 2], acc[i][e / 2][e % 2 * 2 + 1]);
    }
    __syncwarp();
#pragma unroll 1
    for (int r = lane / (t.wn / 4); r < kM; r += 128 / t.wn) {
      const std::int64_t at_row = std::int64_t{tile_m} * t.bm + row + i * kM + r;
      if (at_row >= g.m || cols == 0) break;
      float* const four = &strip[r][lane % (t.wn / 4) * 4];
      float* const c = g.C + at_row * g.ldc + at_col;
      float4 out = load4(four);
      if (!finite(out)) {  // an infinity or a NaN among the factors, or one too large to split: f32 says what it is
#pragma unroll 1
        for (int e = 0; e < cols; ++e)
          if (!finite(four[e])) four[e] = plain_sum<along_a, along_b>(g, at_row, at_col + e);
        out = load4(four);
      }
      out = make_float4(g.alpha * out.x, g.alpha * out.y, g.alpha * out.z, g.alpha * out.w);
      if (g.beta != 0) {
        const float4 old = g.vector_c ? load4_edge<true>(c, cols) : load4_edge<false>(c, cols);
        out = make_float4(out.x + g.beta * old.x, out.y + g.beta * old.y, out.z + g.beta * old.z,
                          out.w + g.beta * old.w);
      }
      g.vector_c ? store4_edge<true>(c, out, cols) : store4_edge<false>(c, out, cols);
    }
    __syncwarp();  // before the next strip is laid over this one
  }
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    constexpr Tile t = kTiles[i];
    const GemmArgs<float> g(args);
    if (g.idle()) return {};
    const Grid grid{ceil_div(g.n, t.bn) * ceil_div(g.m, t.bm)};
    const Args all{g, rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb), rows_of_16_bytes(g.C, g.ldc)};
    const bool along_a = g.op_a == Op::none, along_b = g.op_b != Op::none;
    const auto kernel =
        along_a ? (along_b ? tensor_40_mma_tf32x3<i, true, true> : tensor_40_mma_tf32x3<i, true, false>)
                : (along_b ? tensor_40_mma_tf32x3<i, false, true> : tensor_40_mma_tf32x3<i, false, false>);
    return cairn::launch(grid, t.threads(), t.shared(), stream, kernel, all);
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
