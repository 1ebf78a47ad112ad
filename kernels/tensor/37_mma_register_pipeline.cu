// 37 · mma.sync, register pipeline                 docs/trail/tensor_37_mma_register_pipeline.md · cairn bench
// tensor/37
//
// Idea    Two sets of operands in registers: while one is multiplied, the next step's is on its way from shared
// memory,
//         at the end of a tile from the next tile. A warp waits neither for shared memory nor, but for the barrier,
//         for the others. And TF32: the same instructions for elements of 4 bytes, rounded in registers.
// Before  36 loaded a step's operands and then multiplied them.
// Limit   Blocks that run together read A and B from far apart, and C is stored two elements at a time: 38.
// Needs   f16, bf16 (C the same, or f32), tf32; row-major nn, nt, tn, tt; any m, n, k (edges masked); 16-byte copies
//         where A and B allow them; sm_80.
#include <type_traits>

#include "device/async_copy.hpp"
#include "device/launch.hpp"
#include "device/ldmatrix.hpp"
#include "device/mma.hpp"
#include "device/vec.hpp"
#include "kernels/rung.hpp"

namespace cairn::tensor_37 {

inline constexpr int kM = 16, kN = 8;  // of one mma; of k it takes 32 bytes

// What an operand's elements are stored as.
template <class In> struct Stored { using Element = In; };
template <> struct Stored<Tf32> { using Element = float; };
template <class In> using Element = typename Stored<In>::Element;

struct Tile {
  int bm, bn, bk;  // bk: bytes of k
  int wm, wn;      // the elements of one warp
  int stages;
  int blocks;  // on an SM at a time, at least
  constexpr int threads() const { return bm / wm * (bn / wn) * 32; }
  constexpr int shared() const { return stages * (bm + bn) * bk; }
  // In whole rounds, all threads busy; and `period` lines further on the order of pieces is the same again.
  constexpr bool copies(int lines, int pieces, int period) const {
    return threads() % (period * pieces) == 0 && lines * pieces % threads() == 0;
  }
  constexpr bool side(int rows) const {  // along k, or along the rows with elements of 2 or 4 bytes
    return copies(rows, bk / 16, 8) && copies(bk / 2, rows / 8, 8) && copies(bk / 4, rows / 4, 4);
  }
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && wm % 64 == 0 && wn % 64 == 0 &&  // whole periods of the order of pieces
           bk % 64 == 0 && side(bm) && side(bn) &&                          // steps of k come in pairs
           stages >= 2 && shared() <= 227 * 1024 &&     // shared memory of a block, on the largest GPUs,
           blocks * (shared() + 1024) <= 227 * 1024 &&  // and of an SM
           blocks * threads() * (wm * wn / 32 + wm / 2 + wn / 2) <= 65536;  // registers
  }
  TileName name() const { return tile_text("%dx%dx%d B %dx%d, %d stages by %d", bm, bn, bk, wm, wn, stages, blocks); }
};
inline constexpr Tile kTiles[] = {{128, 128, 128, 64, 64, 3, 2}};

// What the kernel is given. The type of C is looked at once, at the end, so it is no reason to compile it all twice.
template <class In> struct Args {
  std::int64_t m, n, k;
  float alpha;
  const Element<In>* A;
  std::int64_t lda;
  const Element<In>* B;
  std::int64_t ldb;
  float beta;
  void* C;
  std::int64_t ldc;
  bool wide;    // C is of f32, else of the type of A and B
  bool vector;  // 16-byte copies of A and B are possible
};

// One operand's tiles: `rows` of op(A), or as many columns of op(B), by `bytes` of k. They lie in shared memory as in
// memory. Neighbours are steps of k (along_k) and a line is a row; or neighbours are rows, and a line is a step of k.
template <class E, int rows, int bytes, int threads, bool along_k> struct Side {
  static constexpr int kPiece = 16 / sizeof(E), kDepth = bytes / sizeof(E);
  static constexpr int kLines = along_k ? rows : kDepth, kWidth = along_k ? kDepth : rows;
  static constexpr int kStage = kLines * kWidth;
  static constexpr int kAcross = kWidth / kPiece, kRound = threads / kAcross;
  // ldmatrix cannot turn words of 4 bytes: those are read one by one, four lines of eight neighbours at a time.
  static constexpr bool kByWords = sizeof(E) == 4 && !along_k;
  const E* from;  // this thread's first piece of the next tile
  std::int64_t ld;
  int there;  // of `rows`, how many are in the matrix

  // Where an element lies: its piece is moved within the line. The banks are eight groups of 16 bytes wide; lines of
  // eight pieces or more begin in the same group, every one needs another order; of four, two follow each other and
  // share one. Of four lines that are read two pieces wide, each needs two groups.
  static __device__ __forceinline__ int at(int line, int place) {
    const int turn = kByWords ? line % 4 * 2 : kAcross >= 8 ? line % 8 : line / 2 % 4;
    return line * kWidth + (place ^ turn * kPiece);
  }
  static __device__ __forceinline__ int line() { return static_cast<int>(threadIdx.x) / kAcross; }
  static __device__ __forceinline__ int place() { return static_cast<int>(threadIdx.x) % kAcross * kPiece; }
  __device__ __forceinline__ Side(const E* matrix, std::int64_t ld_, std::int64_t first, std::int64_t end)
      : from(matrix + (along_k ? (first + line()) * ld_ + place() : line() * ld_ + first + place())),
        ld(ld_),
        there(static_cast<int>(min(end - first, std::int64_t{rows}))) {}
  __device__ __forceinline__ void advance() { from += along_k ? kDepth : kDepth * ld; }

  // A tile that is whole and aligned. Rounds are as long as the order of pieces, so a piece keeps its place in the
  // line.
  __device__ __forceinline__ void copy(E* to) const {
    E* const first = to + at(line(), place());
    const E* piece = from;  // moved along, so that the compiler keeps one address and not one for each round
#pragma unroll
    for (int i = 0; i < kLines; i += kRound, piece += kRound * ld) async_copy<16>(first + i * kWidth, piece);
  }
  // Any tile, of which k has `left` steps: zeros stand in for what is not there.
  __device__ __forceinline__ void copy_edge(E* to, int left, bool vector) const {
    const int lines = along_k ? there : left, width = along_k ? left : there;
    if (vector) {
#pragma unroll 1
      for (int i = 0; i < kLines; i += kRound)
        async_copy<16>(to + at(line() + i, place()), from + i * ld,
                       line() + i < lines ? static_cast<int>(sizeof(E)) * max(0, min(width - place(), kPiece)) : 0);
    } else {
      // No copy moves 2 bytes: through registers, one by one. The next barrier is theirs too.
      const E* const tile = from - line() * ld - place();
#pragma unroll 1
      for (int e = static_cast<int>(threadIdx.x); e < kLines * kWidth; e += threads) {
        const int i = e / kWidth, j = e % kWidth;
        to[at(i, j)] = i < lines && j < width ? tile[i * ld + j] : E(0.0F);
      }
    }
  }
};

template <class In> __device__ __forceinline__ std::uint32_t rounded(std::uint32_t x) {
  if constexpr (std::is_same_v<In, Tf32>) return __float_as_uint(to_tf32(__uint_as_float(x)));
  return x;
}

// Operands for mma out of a tile. Where a lane's first element lies is worked out once (spot); for the others only
// the place in the line changes, by an xor that leaves the order of pieces alone, or the line, by whole periods of
// it.
//
// 16 rows of A by 32 bytes of k: lane 8 i + r has row r of matrix i in hand, and the four are the upper and lower
// eight rows of the first half of k, then of the other.
template <class SideA, bool along_k> __device__ __forceinline__ int spot_a(int row, int lane) {
  if constexpr (along_k) return SideA::at(row + lane % 16, lane / 16 * SideA::kPiece);
  if constexpr (SideA::kByWords) return SideA::at(lane % 4, row + lane / 4);
  return SideA::at(lane % 8 + lane / 16 * 8, row + lane / 8 % 2 * 8);
}
template <class SideA, bool along_k, class E>
__device__ __forceinline__ void load_a(std::uint32_t (&to)[4], const E* tile, int spot, int row, int kk) {
  if constexpr (along_k) {
    load_matrices(to, tile + (spot ^ kk) + row * SideA::kWidth);
  } else if constexpr (SideA::kByWords) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      to[i] = __float_as_uint(tile[(spot ^ (row + i % 2 * 8)) + (kk + i / 2 * 4) * SideA::kWidth]);
  } else {
    load_transposed(to, tile + (spot ^ row) + kk * SideA::kWidth);
  }
}
// 32 bytes of k by 16 columns of B, for two of mma: first the columns 0-7 and their two halves of k.
template <class SideB, bool along_k> __device__ __forceinline__ int spot_b(int col, int lane) {
  if constexpr (along_k) return SideB::at(col + lane % 8 + lane / 16 * 8, lane / 8 % 2 * SideB::kPiece);
  if constexpr (SideB::kByWords) return SideB::at(lane % 4, col + lane / 4);
  return SideB::at(lane % 16, col + lane / 16 * 8);
}
template <class SideB, bool along_k, class E>
__device__ __forceinline__ void load_b(std::uint32_t (&to)[4], const E* tile, int spot, int col, int kk) {
  if constexpr (along_k) {
    load_matrices(to, tile + (spot ^ kk) + col * SideB::kWidth);
  } else if constexpr (SideB::kByWords) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      to[i] = __float_as_uint(tile[(spot ^ (col + i / 2 * 8)) + (kk + i % 2 * 4) * SideB::kWidth]);
  } else {
    load_transposed(to, tile + (spot ^ col) + kk * SideB::kWidth);
  }
}

template <class Out> __device__ __forceinline__ void update(Out* c, float product, float beta) {
  *c = static_cast<Out>(beta == 0 ? product : product + beta * static_cast<float>(*c));
}

template <class In, int tile, bool along_a, bool along_b, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) tensor_37_mma_register_pipeline(Args<In> g) {
  constexpr Tile t = kTiles[tile];
  using E = Element<In>;
  using SideA = Side<E, t.bm, t.bk, threads, along_a>;
  using SideB = Side<E, t.bn, t.bk, threads, along_b>;
  constexpr int bk = t.bk / sizeof(E), step = 32 / sizeof(E), steps = bk / step;
  extern __shared__ __align__(128) unsigned char tensor_37_shared[];
  E* const sA = reinterpret_cast<E*>(tensor_37_shared);  // (stages, bm, bk), or (…, bk, bm)
  E* const sB = sA + t.stages * SideA::kStage;           // (stages, bn, bk), or (…, bk, bn)

  // Where am I: the block's tile of C, and in it the warp's.
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  const int row = warp / (t.bn / t.wn) * t.wm, col = warp % (t.bn / t.wn) * t.wn;

  // What do I copy: my share of a tile of A and of one of B, where `left` of k begins. They move along k.
  SideA a(g.A, g.lda, row0, g.m);
  SideB b(g.B, g.ldb, col0, g.n);
  const bool whole = g.vector && a.there == t.bm && b.there == t.bn;
  const auto copy = [&](int stage, std::int64_t left) {
    if (whole && left >= bk) {  // the block decides as one
      a.copy(sA + stage * SideA::kStage);
      b.copy(sB + stage * SideB::kStage);
    } else {
      const int depth = static_cast<int>(min(left, std::int64_t{bk}));
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
    if (g.k > i * bk) copy(i, g.k - i * bk);
    async_commit();
  }

  // One step: read the operands of the next into one half of the registers while the other half is multiplied.
  float acc[t.wm / kM][t.wn / kN][4] = {};
  std::uint32_t rA[2][t.wm / kM][4], rB[2][t.wn / kN][2];
  const int spotA = spot_a<SideA, along_a>(row, lane), spotB = spot_b<SideB, along_b>(col, lane);
  const auto read = [&](int half, int stage, int kk) {
    const E *tileA = sA + stage * SideA::kStage, *tileB = sB + stage * SideB::kStage;
#pragma unroll
    for (int j = 0; j < t.wn / kN; j += 2) {
      std::uint32_t two[4];
      load_b<SideB, along_b>(two, tileB, spotB, j * kN, kk);
      rB[half][j][0] = two[0], rB[half][j][1] = two[1], rB[half][j + 1][0] = two[2], rB[half][j + 1][1] = two[3];
    }
#pragma unroll
    for (int i = 0; i < t.wm / kM; ++i) load_a<SideA, along_a>(rA[half][i], tileA, spotA, i * kM, kk);
  };
  const auto multiply = [&](int half) {
  // Rounded only now: a step ago the words had not arrived yet.
#pragma unroll
    for (int j = 0; j < t.wn / kN; ++j) {
#pragma unroll
      for (int e = 0; e < 2; ++e) rB[half][j][e] = rounded<In>(rB[half][j][e]);
    }
#pragma unroll
    for (int i = 0; i < t.wm / kM; ++i) {
#pragma unroll
      for (int e = 0; e < 4; ++e) rA[half][i][e] = rounded<In>(rA[half][i][e]);
#pragma unroll
      for (int j = 0; j < t.wn / kN; ++j) mma<In>(acc[i][j], rA[half][i], rB[half][j]);
    }
  };

  int now = 0, fill = ahead;  // the stage being multiplied, and the one to be filled next
  if (g.k > 0) {
    async_wait<ahead - 1>();
    __syncthreads();
    read(0, 0, 0);
  }
  for (std::int64_t left = g.k; left > 0; left -= bk) {
#pragma unroll
    for (int i = 0; i < steps; ++i) {
      if (i == steps - 1) {
        // The last step reads ahead into the next tile. One barrier: the copies of all threads have arrived, and
        // everybody is done with this stage, which the next round fills. After the last tile it is read once more,
        // for nothing: a branch costs more.
        async_wait<ahead - 1>();
        __syncthreads();
        if (left > bk) now = now == ahead ? 0 : now + 1;
      }
      if (i == 0) {  // before the read: what it fills is free now, and the copies' addresses find room there
        if (left > ahead * bk) copy(fill, left - ahead * bk);
        async_commit();
        fill = fill == ahead ? 0 : fill + 1;
      }
      read((i + 1) % 2, now, (i + 1) % steps * step);
      multiply(i % 2);
    }
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
          update(static_cast<E*>(g.C) + at, product, g.beta);
        }
      }
    }
  }
}

template <class In, class Out> Status launch_typed(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    using Typed = GemmArgs<Element<In>, Out, float>;
    return in_slabs(Typed(args), t.bm, [&](const Typed& g) {
      const Grid grid{ceil_div(g.n, t.bn), ceil_div(g.m, t.bm)};
      const bool wide = std::is_same_v<Out, float>;
      const bool vector = rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb);
      const Args<In> same{g.m, g.n, g.k, g.alpha, g.A, g.lda, g.B, g.ldb, g.beta, g.C, g.ldc, wide, vector};
      const bool along_a = g.op_a == Op::none, along_b = g.op_b != Op::none;
      const auto kernel = along_a ? (along_b ? tensor_37_mma_register_pipeline<In, i, true, true>
                                             : tensor_37_mma_register_pipeline<In, i, true, false>)
                                  : (along_b ? tensor_37_mma_register_pipeline<In, i, false, true>
                                             : tensor_37_mma_register_pipeline<In, i, false, false>);
      return cairn::launch(grid, t.threads(), t.shared(), stream, kernel, same);
    });
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  const bool wide = args.problem.out == Type::f32;
  switch (args.problem.in) {
    case Type::f32: return launch_typed<Tf32, float>(args, tile, stream);
    case Type::bf16:
      return wide ? launch_typed<__nv_bfloat16, float>(args, tile, stream)
                  : launch_typed<__nv_bfloat16, __nv_bfloat16>(args, tile, stream);
    default:
      return wide ? launch_typed<__half, float>(args, tile, stream)
                  : launch_typed<__half, __half>(args, tile, stream);
  }
}

extern const Rung rung = {.id = "tensor/37_mma_register_pipeline",
                          .title = "mma.sync, register pipeline",
                          .kind = RungKind::gemm,
                          .types = types::f16_bf16_tf32,
                          .layouts = layout::all,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::tensor_37
