// 39 · mma.sync, stream-K                          docs/trail/tensor_39_mma_stream_k.md · cairn bench tensor/39
//
// Idea    Where the last tiles are too few for all SMs, they are cut: their steps of k, laid end to end, are shared
//         out evenly. The sums of a share go to scratch memory, and a second kernel adds up the shares of each tile,
//         always in the same order: the same bits every time (device/stream_k.hpp).
// Before  38 had one block for each tile: SMs stood idle in the last wave, and most of them all the time where C is
//         small and k is long.
// Limit   Shared memory, which copies and operands pass through; Hopper's tensor cores read it themselves. And what
//         cutting costs: a tile of sums from each share, written and read, and a second kernel.
// Needs   f16, bf16 (C the same, or f32), tf32; row-major nn, nt, tn, tt; any m, n, k (edges masked); 16-byte
//         accesses where A, B, C allow them; scratch memory, or no tile is cut; sm_80.
#include <type_traits>

#include "device/async_copy.hpp"
#include "device/launch.hpp"
#include "device/ldmatrix.hpp"
#include "device/mma.hpp"
#include "device/pdl.hpp"
#include "device/stream_k.hpp"
#include "device/strip.hpp"
#include "kernels/parts/block_cost.hpp"
#include "kernels/rung.hpp"

namespace cairn::tensor_39 {

inline constexpr int kM = 16, kN = 8;  // of one mma; of k it takes 32 bytes
inline constexpr int kGroup = 8;       // rows of tiles that blocks walk down together
inline constexpr int kPad = 8;         // words after each row of sums in shared memory
inline constexpr int kLayers = 16;     // of threads that add up shares

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
           stages >= 2 && threads() / 32 * kM * (wn + kPad) * 4 <= shared() &&
           shared() <= 227 * 1024 &&                    // shared memory of a block, on the largest GPUs,
           blocks * (shared() + 1024) <= 227 * 1024 &&  // and of an SM
           blocks * threads() * (wm * wn / 32 + wm / 2 + wn / 2) <= 65536;  // registers
  }
  TileName name() const { return tile_text("%dx%dx%d B %dx%d, %d stages by %d", bm, bn, bk, wm, wn, stages, blocks); }
};
inline constexpr Tile kTiles[] = {{128, 128, 128, 64, 64, 3, 2}};

// What the kernel is given. The type of C is looked at once, at the end, so it is no reason to compile it all twice.
template <class In> struct Args {
  std::int64_t m, n, k, lda, ldb, ldc;
  float alpha, beta;
  const Element<In>*A, *B;
  void* C;
  bool wide;      // C is of f32, else of the type of A and B
  bool vector;    // 16-byte copies of A and B are possible,
  bool vector_c;  // 16-byte accesses of C
  StreamK stream_k;
  float* sums;  // of the shares, two tiles each: the one it begins in and the one it ends in
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

  // Where an element lies: its piece is moved within the line. The banks are eight groups of 16 bytes wide; lines of
  // eight pieces or more begin in the same group, every one needs another order; of four, two follow each other and
  // share one. Of four lines that are read two pieces wide, each needs two groups.
  static __device__ __forceinline__ int at(int line, int place) {
    const int turn = kByWords ? line % 4 * 2 : kAcross >= 8 ? line % 8 : line / 2 % 4;
    return line * kWidth + (place ^ turn * kPiece);
  }
  static __device__ __forceinline__ int line() { return static_cast<int>(threadIdx.x) / kAcross; }
  static __device__ __forceinline__ int place() { return static_cast<int>(threadIdx.x) % kAcross * kPiece; }
  __device__ __forceinline__ Side(const E* matrix, std::int64_t ld_, std::int64_t first)
      : from(matrix + (along_k ? (first + line()) * ld_ + place() : line() * ld_ + first + place())), ld(ld_) {}
  __device__ __forceinline__ void advance(std::int64_t tiles) { from += tiles * (along_k ? kDepth : kDepth * ld); }

  // A tile that is whole and aligned, and on to the next. Rounds are as long as the order of pieces, so a piece keeps
  // its place in the line.
  __device__ __forceinline__ void copy(E* to) {
    E* const first = to + at(line(), place());
    const E* piece = from;  // moved along, so that the compiler keeps one address and not one for each round
#pragma unroll
    for (int i = 0; i < kLines; i += kRound, piece += kRound * ld) async_copy<16>(first + i * kWidth, piece);
    from = along_k ? from + kDepth : piece;
  }
  // Any tile, of which `there` rows are in the matrix, and k has `left` steps: zeros stand in for what is not there.
  __device__ __forceinline__ void copy_edge(E* to, int there, int left, bool vector) {
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
    advance(1);
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

template <class In, int tile, bool along_a, bool along_b, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) tensor_39_mma_stream_k(Args<In> g) {
  constexpr Tile t = kTiles[tile];
  using E = Element<In>;
  using SideA = Side<E, t.bm, t.bk, threads, along_a>;
  using SideB = Side<E, t.bn, t.bk, threads, along_b>;
  constexpr int bk = t.bk / sizeof(E), step = 32 / sizeof(E), steps = bk / step;
  extern __shared__ __align__(128) unsigned char tensor_39_shared[];
  E* const sA = reinterpret_cast<E*>(tensor_39_shared);  // (stages, bm, bk), or (…, bk, bm)
  E* const sB = sA + t.stages * SideA::kStage;           // (stages, bn, bk), or (…, bk, bn)

  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int row = warp / (t.bn / t.wn) * t.wm, col = warp % (t.bn / t.wn) * t.wn;  // of the warp in its tile

  // What do I make. One thread works it out, and shared memory keeps it while the registers are full of sums.
  __shared__ Job job;
  if (threadIdx.x == 0) job = job_of<t.bm, t.bn, kGroup>(g.stream_k, g.m, g.n, static_cast<int>(blockIdx.x));
  pdl_launch_dependents();  // it waits, but then it is there
  __syncthreads();
  if (job.slot < 0) return;  // the block decides as one

  // What do I copy: my share of a tile of A and of one of B, the first of `left` of them. They move along k.
  SideA a(g.A, g.lda, job.row);
  SideB b(g.B, g.ldb, job.col);
  a.advance(job.begin);
  b.advance(job.begin);
  const bool whole = g.vector && job.rows == t.bm && job.cols == t.bn;
  const bool to_the_end = whole && std::int64_t{job.end} * bk <= g.k;
  const auto copy = [&](int stage, int left) {
    if (left > 1 ? whole : to_the_end) {  // the block decides as one
      a.copy(sA + stage * SideA::kStage);
      b.copy(sB + stage * SideB::kStage);
    } else {
      const int depth = static_cast<int>(min(g.k - std::int64_t{job.end - left} * bk, std::int64_t{bk}));
      a.copy_edge(sA + stage * SideA::kStage, job.rows, depth, g.vector);
      b.copy_edge(sB + stage * SideB::kStage, job.cols, depth, g.vector);
    }
  };

  // The first tiles set out. Each step has a group of copies, be it an empty one: then "all groups but the newest
  // stages - 2" are those up to this step's, at the end too.
  constexpr int ahead = t.stages - 1;
  int left = job.end - job.begin;
#pragma unroll 1
  for (int i = 0; i < ahead; ++i) {
    if (left > i) copy(i, left - i);
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
  if (left > 0) {
    async_wait<ahead - 1>();
    __syncthreads();
    read(0, 0, 0);
  }
  for (; left > 0; --left) {
#pragma unroll
    for (int i = 0; i < steps; ++i) {
      if (i == steps - 1) {
        // The last step reads ahead into the next tile. One barrier: the copies of all threads have arrived, and
        // everybody is done with this stage, which the next round fills. After the last tile it is read once more,
        // for nothing: a branch costs more.
        async_wait<ahead - 1>();
        __syncthreads();
        if (left > 1) now = now == ahead ? 0 : now + 1;
      }
      if (i == 0) {  // before the read: what it fills is free now, and the copies' addresses find room there
        if (left > ahead) copy(fill, left - ahead);
        async_commit();
        fill = fill == ahead ? 0 : fill + 1;
      }
      read((i + 1) % 2, now, (i + 1) % steps * step);
      multiply(i % 2);
    }
  }

  // Store: a lane has pairs of neighbours, eight rows apart. Each warp lays 16 rows out in shared memory and reads
  // them row by row. C is not looked at where beta is 0: it may hold anything, NaN too. Of a cut tile the bare sums
  // go to scratch memory, in rows as long as the tile is wide.
  __syncthreads();  // the stages are free: what is on its way is nothing, and all have read the last one
  auto* strip = reinterpret_cast<float(*)[kM][t.wn + kPad]>(tensor_39_shared)[warp];
  const bool cut = job.end - job.begin < g.stream_k.steps;
  float* const sums = g.sums + job.slot * (t.bm * t.bn) + col;
  const int cols = job.cols - col;
#pragma unroll
  for (int i = 0; i < t.wm / kM; ++i) {
    const int down = row + i * kM, rows = min(job.rows - down, kM);
    const std::int64_t to = (job.row + down) * g.ldc + job.col + col;
#pragma unroll
    for (int j = 0; j < t.wn / kN; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float* const pair = &strip[lane / 4 + half * 8][j * kN + lane % 4 * 2];
        *reinterpret_cast<float2*>(pair) = make_float2(acc[i][j][2 * half], acc[i][j][2 * half + 1]);
      }
    }
    __syncwarp();
    if (cut) {
      store_strip<float, t.wn>(sums + down * t.bn, t.bn, strip, rows, t.wn, 1, 0, true, lane);
    } else if (g.wide) {
      store_strip<float, t.wn>(static_cast<float*>(g.C) + to, g.ldc, strip, rows, cols, g.alpha, g.beta, g.vector_c,
                               lane);
    } else {
      store_strip<E, t.wn>(static_cast<E*>(g.C) + to, g.ldc, strip, rows, cols, g.alpha, g.beta, g.vector_c, lane);
    }
    __syncwarp();  // before the next strip is laid over this one
  }
}

// Adds up the shares of the cut tiles: a block for each row of each.
template <class In, int tile>
__global__ void __launch_bounds__(kTiles[tile].bn / 4 * kLayers) tensor_39_fixup(Args<In> g) {
  constexpr Tile t = kTiles[tile];
  __shared__ float layers[kLayers][t.bn];
  const int cut = static_cast<int>(blockIdx.y), row = static_cast<int>(blockIdx.x);
  const TilePosition at = tile_position<t.bm, t.bn, kGroup>(g.m, g.n, g.stream_k.whole + cut);
  if (row >= at.rows) return;  // the block decides as one
  pdl_wait();
  if (!add_partials(layers, g.stream_k, g.sums, t.bm * t.bn, cut, row)) return;
  const int col = static_cast<int>(threadIdx.x) * 4, left = at.cols - col;
  const std::int64_t to = (at.row + row) * g.ldc + at.col + col;
  if (g.wide) {
    update<float, 4>(static_cast<float*>(g.C) + to, &layers[0][col], left, g.alpha, g.beta, g.vector_c);
  } else {
    update<Element<In>, 4>(static_cast<Element<In>*>(g.C) + to, &layers[0][col], left, g.alpha, g.beta, g.vector_c);
  }
}

template <class In, class Out> Status launch_typed(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    constexpr Tile t = kTiles[i];
    const GemmArgs<Element<In>, Out, float> g(args);
    if (g.idle()) return {};
    const std::int64_t tiles = ceil_div(g.m, t.bm) * ceil_div(g.n, t.bn), bytes = g.k * size_of(args.problem.in);
    const bool chosen = args.choice != nullptr && g.k > 0;
    const StreamK stream_k = chosen ? args.choice->kept<StreamK>() : whole_tiles(tiles, ceil_div(bytes, t.bk));
    const bool vector = rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb);
    const bool vector_c = rows_of_16_bytes(g.C, g.ldc);
    const Args<In> same{g.m,    g.n,      g.k,      g.lda,
                        g.ldb,  g.ldc,    g.alpha,  g.beta,
                        g.A,    g.B,      g.C,      std::is_same_v<Out, float>,
                        vector, vector_c, stream_k, reinterpret_cast<float*>(args.scratch.data())};
    const bool along_a = g.op_a == Op::none, along_b = g.op_b != Op::none;
    const auto kernel =
        along_a
            ? (along_b ? tensor_39_mma_stream_k<In, i, true, true> : tensor_39_mma_stream_k<In, i, true, false>)
            : (along_b ? tensor_39_mma_stream_k<In, i, false, true> : tensor_39_mma_stream_k<In, i, false, false>);
    const Status s = cairn::launch({stream_k.grid()}, t.threads(), t.shared(), stream, kernel, same);
    if (!s.ok() || stream_k.cut == 0) return s;
    return launch_pdl({t.bm, stream_k.cut}, dim3(t.bn / 4, kLayers), 0, stream, tensor_39_fixup<In, i>, same);
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

// One tile. Rates are of an H200. Rows that are not aligned are copied an element at a time, and that is all one
// sees.
Choice choose(const Query& query) {
  const Problem& p = query.problem;
  const Tile& t = kTiles[0];
  const bool vector = query.aligned && p.lda * size_of(p.in) % 16 == 0 && p.ldb * size_of(p.in) % 16 == 0;
  const double rate = !vector ? 20 : p.in == Type::f32 ? 405 : 890;
  const BlockCost cost{t.bm, t.bn, rate, vector ? 0.45 : 1, 0.25, 5500, 6000};
  return choose_split(cost, ceil_div(p.k * size_of(p.in), t.bk), t.blocks, p, query.device);
}

extern const Rung rung = {.id = "tensor/39_mma_stream_k",
                          .title = "mma.sync, stream-K",
                          .kind = RungKind::gemm,
                          .types = types::f16_bf16_tf32,
                          .layouts = layout::all,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch,
                          .choose = choose};

}  // namespace cairn::tensor_39
