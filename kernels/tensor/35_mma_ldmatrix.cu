// 35 · mma.sync, ldmatrix                          docs/trail/tensor_35_mma_ldmatrix.md · cairn bench tensor/35
//
// Idea    The instructions under WMMA. ldmatrix brings four matrices of 8x8 elements in one instruction, laid out as
//         mma.sync wants them, and turns them on the way if asked: so all four layouts are read with the same ease.
// Before  34 loaded fragments by what WMMA makes of it, and its sums went through shared memory to be stored.
// Limit   Rows of a tile are padded, or eight of them would begin in two groups of banks: a fifth of shared memory
//         holds nothing. 36 does without.
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

inline constexpr int kM = 16, kN = 8, kK = 16;  // of one mma
inline constexpr int kPiece = 8;                // elements of a 16-byte copy
inline constexpr int kPad = 8;  // elements after each line of a tile: eight lines begin in different banks

struct Tile {
  int bm, bn, bk;
  int wm, wn;  // the elements of one warp
  int stages;
  int blocks;  // on an SM at a time, at least
  constexpr int threads() const { return bm / wm * (bn / wn) * 32; }
  // Bytes of a stage of an operand, for the layout that takes more.
  constexpr int stage(int rows) const { return std::max(rows * (bk + kPad), bk * (rows + kPad)) * 2; }
  constexpr int shared() const { return stages * (stage(bm) + stage(bn)); }
  constexpr bool copies(int lines, int width) const {  // in whole rounds of whole lines, all threads busy
    const int across = width / kPiece;
    return width % kPiece == 0 && (across < 8 ? 32 : threads()) % across == 0 && lines * across % threads() == 0;
  }
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && wm % kM == 0 && wn % (2 * kN) == 0 &&
           bk % kK == 0 &&                                                          // whole instructions
           copies(bm, bk) && copies(bk, bm) && copies(bn, bk) && copies(bk, bn) &&  //
           stages >= 2 && shared() <= 99 * 1024 &&                          // shared memory of a block, on any GPU,
           blocks * (shared() + 1024) <= 164 * 1024 &&                      // and of an SM
           blocks * threads() * (wm * wn / 32 + wm / 4 + wn / 4) <= 65536;  // registers
  }
  TileName name() const { return tile_text("%dx%dx%d %dx%d, %d stages by %d", bm, bn, bk, wm, wn, stages, blocks); }
};
inline constexpr Tile kTiles[] = {{128, 128, 32, 64, 64, 3, 2},   // [0] is the default
                                  {128, 128, 32, 64, 32, 3, 1}};  // twice the warps

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
  bool vector;  // 16-byte copies of A and B are possible
};

// One operand's tiles: `rows` of op(A), or as many columns of op(B), by `depth` steps of k. They lie in shared memory
// as in memory. Neighbours are steps of k (along_k) and a line is a row; or neighbours are rows, and a line is a step
// of k.
template <class In, int rows, int depth, int threads, bool along_k> struct Side {
  static constexpr int kLines = along_k ? rows : depth, kWidth = along_k ? depth : rows;
  static constexpr int kLd = kWidth + kPad, kStage = kLines * kLd;
  static constexpr int kAcross = kWidth / kPiece, kRound = threads / kAcross;
  static constexpr int kDown = kAcross < 8 ? 32 / kAcross : 1;  // lines of a warp, where lanes go down: as in 34
  const In* from;                                               // this thread's first piece of the next tile
  std::int64_t ld;
  int there;  // of `rows`, how many are in the matrix

  static __device__ __forceinline__ int line() {
    const int tid = static_cast<int>(threadIdx.x);
    return kDown > 1 ? tid / 32 * kDown + tid % kDown : tid / kAcross;
  }
  static __device__ __forceinline__ int place() {
    const int tid = static_cast<int>(threadIdx.x);
    return (kDown > 1 ? tid % 32 / kDown : tid % kAcross) * kPiece;
  }
  __device__ __forceinline__ Side(const In* matrix, std::int64_t ld_, std::int64_t first, std::int64_t end)
      : from(matrix + (along_k ? (first + line()) * ld_ + place() : line() * ld_ + first + place())),
        ld(ld_),
        there(static_cast<int>(min(end - first, std::int64_t{rows}))) {}
  __device__ __forceinline__ void advance() { from += along_k ? depth : depth * ld; }

  // A tile that is whole and aligned.
  __device__ __forceinline__ void copy(In* to) const {
#pragma unroll
    for (int i = 0; i < kLines; i += kRound) async_copy<16>(to + (line() + i) * kLd + place(), from + i * ld);
  }
  // Any tile, of which k has `left` steps: zeros stand in for what is not there.
  __device__ __forceinline__ void copy_edge(In* to, int left, bool vector) const {
    const int lines = along_k ? there : left, width = along_k ? left : there;
    if (vector) {
#pragma unroll 1
      for (int i = 0; i < kLines; i += kRound)
        async_copy<16>(to + (line() + i) * kLd + place(), from + i * ld,
                       line() + i < lines ? 2 * max(0, min(width - place(), kPiece)) : 0);
    } else {
      // No copy moves 2 bytes: through registers, one by one. The next barrier is theirs too.
      const In* const tile = from - line() * ld - place();
#pragma unroll 1
      for (int e = static_cast<int>(threadIdx.x); e < kLines * kWidth; e += threads) {
        const int i = e / kWidth, j = e % kWidth;
        to[i * kLd + j] = i < lines && j < width ? tile[i * ld + j] : In(0.0F);
      }
    }
  }
};

// 16 rows of A by 16 steps of k for mma: lane 8 i + r has row r of matrix i in hand, and the four are the upper and
// lower eight rows of the first eight steps, then of the other eight.
template <class SideA, bool along_k, class In>
__device__ __forceinline__ void load_a(std::uint32_t (&to)[4], const In* tile, int row, int kk, int lane) {
  if constexpr (along_k) {
    load_matrices(to, tile + (row + lane % 16) * SideA::kLd + kk + lane / 16 * 8);
  } else {
    load_transposed(to, tile + (kk + lane % 8 + lane / 16 * 8) * SideA::kLd + row + lane / 8 % 2 * 8);
  }
}
// 16 steps of k by 16 columns of B, for two of mma: first the columns 0-7 and their two halves of k.
template <class SideB, bool along_k, class In>
__device__ __forceinline__ void load_b(std::uint32_t (&to)[4], const In* tile, int col, int kk, int lane) {
  if constexpr (along_k) {
    load_matrices(to, tile + (col + lane % 8 + lane / 16 * 8) * SideB::kLd + kk + lane / 8 % 2 * 8);
  } else {
    load_transposed(to, tile + (kk + lane % 16) * SideB::kLd + col + lane / 16 * 8);
  }
}

template <class Out> __device__ __forceinline__ void update(Out* c, float product, float beta) {
  *c = static_cast<Out>(beta == 0 ? product : product + beta * static_cast<float>(*c));
}

template <class In, int tile, bool along_a, bool along_b, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) tensor_35_mma_ldmatrix(Args<In> g) {
  constexpr Tile t = kTiles[tile];
  using SideA = Side<In, t.bm, t.bk, threads, along_a>;
  using SideB = Side<In, t.bn, t.bk, threads, along_b>;
  extern __shared__ __align__(16) unsigned char tensor_35_shared[];
  In* const sA = reinterpret_cast<In*>(tensor_35_shared);  // (stages, bm, bk), or (…, bk, bm)
  In* const sB = sA + t.stages * SideA::kStage;            // (stages, bn, bk), or (…, bk, bn)

  // Where am I: the block's tile of C, and in it the warp's.
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  const int row = warp / (t.bn / t.wn) * t.wm, col = warp % (t.bn / t.wn) * t.wn;

  // What do I copy: my share of a tile of A and of one of B, where `left` of k begins. They move along k.
  SideA a(g.A, g.lda, row0, g.m);
  SideB b(g.B, g.ldb, col0, g.n);
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

  float acc[t.wm / kM][t.wn / kN][4] = {};
  int now = 0;
  for (std::int64_t left = g.k; left > 0; left -= t.bk) {
    // My copies of this step are there; behind the barrier everybody's are. It also says that all are done with the
    // stage of the step before, which is filled anew.
    async_wait<ahead - 1>();
    __syncthreads();
    if (left > ahead * t.bk) copy(now == 0 ? ahead : now - 1, left - ahead * t.bk);
    async_commit();

    // Multiply: for 16 steps of k the warp's rows of A and columns of B, and every product of one with the other.
    const In *tileA = sA + now * SideA::kStage, *tileB = sB + now * SideB::kStage;
#pragma unroll
    for (int kk = 0; kk < t.bk; kk += kK) {
      std::uint32_t rA[t.wm / kM][4], rB[t.wn / kN][2];
#pragma unroll
      for (int i = 0; i < t.wm / kM; ++i) load_a<SideA, along_a>(rA[i], tileA, row + i * kM, kk, lane);
#pragma unroll
      for (int j = 0; j < t.wn / kN; j += 2) {
        std::uint32_t two[4];
        load_b<SideB, along_b>(two, tileB, col + j * kN, kk, lane);
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

  // Store: a lane has two neighbours of a row, and two more eight rows below. C is not looked at where beta is 0: it
  // may hold anything, NaN too.
#pragma unroll
  for (int i = 0; i < t.wm / kM; ++i) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int r = row + i * kM + lane / 4 + e / 2 * 8;
      if (r >= a.there) continue;
#pragma unroll
      for (int j = 0; j < t.wn / kN; ++j) {
        const int c = col + j * kN + lane % 4 * 2 + e % 2;
        if (c >= b.there) continue;
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
    return in_slabs(GemmArgs<In, Out, float>(args), t.bm, [&](const GemmArgs<In, Out, float>& g) {
      const Grid grid{ceil_div(g.n, t.bn), ceil_div(g.m, t.bm)};
      const bool wide = std::is_same_v<Out, float>;
      const bool vector = rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb);
      const Args<In> same{g.m, g.n, g.k, g.alpha, g.A, g.lda, g.B, g.ldb, g.beta, g.C, g.ldc, wide, vector};
      const bool along_a = g.op_a == Op::none, along_b = g.op_b != Op::none;
      const auto kernel =
          along_a
              ? (along_b ? tensor_35_mma_ldmatrix<In, i, true, true> : tensor_35_mma_ldmatrix<In, i, true, false>)
              : (along_b ? tensor_35_mma_ldmatrix<In, i, false, true> : tensor_35_mma_ldmatrix<In, i, false, false>);
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
