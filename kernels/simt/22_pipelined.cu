// 22 · Pipelined                                   docs/trail/simt_22_pipelined.md · cairn bench simt/22
//
// Idea    All of it at once, for every layout: 8 x 16 elements a thread, so that 128 multiply-adds share six loads; a
//         ring of stages filled two or three tiles ahead; the next step's operands read while this one is multiplied;
//         an order of multiplications and of blocks that reuses what is near: registers, L2.
// Before  21 issued one load of shared memory for every 16 multiply-adds, and took one layout.
// Limit   Every slot that is not a multiply-add is lost: loads of shared memory, copies, two operands that sit in one
//         register bank; and the last wave of blocks, which is seldom full.
// Needs   f32, f64; row-major nn, nt, tn, tt; any m, n, k (edges masked), strided batches; 16-byte copies where A, B
//         and C allow them; sm_80.
#include "device/async_copy.hpp"
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "kernels/parts/block_cost.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_22 {

inline constexpr int kGroup = 8;  // rows of tiles that neighbouring blocks walk together, for L2
inline constexpr int kRun = 8;    // steps of k that neighbouring lanes copy one by one where a tile is turned

struct Tile {
  int bm, bn, bk, stages;
  int wm, wn, tm, tn;  // of a warp, of a thread
  int blocks;          // on an SM at a time
  int bytes = 4;       // of an element
  constexpr int warps() const { return bm / wm * (bn / wn); }
  constexpr int threads() const { return warps() * 32; }
  constexpr int piece() const { return 16 / bytes; }  // elements of a 16-byte access
  constexpr int shared() const { return stages * bk * (bm + bn + 2 * piece()) * bytes; }
  constexpr bool side(int rows) const {  // can the block copy a tile of bk by `rows` in whole rounds, either way?
    return rows % piece() == 0 && threads() % (rows / piece()) == 0 && rows * bk % (threads() * piece()) == 0 &&
           threads() % (bk / piece()) == 0 && warps() % (bk / kRun) == 0 && rows * (bk / kRun) % (4 * warps()) == 0 &&
           (threads() % rows == 0 || rows % threads() == 0);
  }
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && wm % tm == 0 && wn % tn == 0 && wm / tm * (wn / tn) == 32 &&
           tm % piece() == 0 && tn % piece() == 0 &&                   // fragments are read 16 bytes at a time
           bk % kRun == 0 && bk % 2 == 0 && stages >= 2 &&             // steps of k come in pairs
           side(bm) && side(bn) && blocks * shared() <= 227 * 1024 &&  // the copies, and where they go
           blocks * threads() * (tm * tn + 2 * (tm + tn)) * bytes / 4 <= 65536;  // registers
  }
  // The same for elements of 8 bytes: half as wide and deep, so that it takes the same registers.
  constexpr Tile of(std::size_t size) const {
    return size == 4 ? *this : Tile{bm, bn / 2, bk / 2, stages, wm, wn / 2, tm, tn / 2, blocks, 8};
  }
  TileName name() const {
    return tile_text("%dx%dx%d %dx%d %dx%d by %d, %d stages", bm, bn, bk, wm, wn, tm, tn, blocks, stages);
  }
};
inline constexpr Tile kTiles[] = {{128, 256, 16, 4, 64, 64, 8, 16, 1},  // [0] is the default
                                  {128, 128, 16, 3, 64, 64, 8, 16, 2},
                                  {64, 64, 16, 4, 32, 32, 4, 8, 4}};

template <class T, int tile> inline constexpr Tile kTile = kTiles[tile].of(sizeof(T));

template <class T> struct Args {
  GemmArgs<T> g;
  std::int64_t stride_a, stride_b, stride_c;
  bool vector_ab, vector_c;  // 16-byte accesses are possible
};

// One operand's way into shared memory, where its tile lies (bk, rows): `rows` of op(A), or as many columns of op(B).
// In global memory either those are neighbours, or the steps of k are; then the tile has to be turned.
template <class T, int rows, int bk, int threads, bool turned> struct Side {
  static constexpr int kPiece = 16 / sizeof(T);
  static constexpr int kLd = rows + (turned ? kPiece : 0);  // turned words meet in a bank two by two, not all
  static constexpr int kStage = bk * kLd;
  static constexpr int kCopies = rows * bk / kPiece / threads;  // of 16 bytes, one thread's
  static constexpr int kRuns = bk / kRun;

  // In one round of 16-byte copies the block takes this many rows, or steps of k.
  static constexpr int kRound = turned ? threads / (bk / kPiece) : threads / (rows / kPiece);

  const T* tile;  // where the next tile to be copied begins
  std::int64_t ld, round;
  int there;      // of `rows`, how many are in the matrix
  T* shared;      // stage 0
  const T* from;  // this thread's first piece of that tile,
  T* to;          // and its place in stage 0
  T held[turned ? kCopies : 1][kPiece] = {};

  __device__ __forceinline__ Side(const T* matrix, std::int64_t ld_, std::int64_t first, std::int64_t end, T* shared_)
      : tile(matrix + (turned ? first * ld_ : first)),
        ld(ld_),
        round(kRound * ld_),
        there(static_cast<int>(min(end - first, std::int64_t{rows}))),
        shared(shared_) {
    const int tid = static_cast<int>(threadIdx.x);
    constexpr int width = (turned ? bk : rows) / kPiece;  // pieces side by side in memory
    const int line = tid / width, place = tid % width * kPiece;
    from = tile + line * ld + place;
    to = shared + (turned ? place * kLd + line : line * kLd + place);
  }

  // A tile that is whole and aligned: 16 bytes at a time. What must be turned waits in registers for put().
  __device__ __forceinline__ void fetch(int stage) {
#pragma unroll
    for (int i = 0; i < kCopies; ++i) {
      if constexpr (turned) {
        load16(held[i], from + i * round);
      } else {
        async_copy<16>(to + stage * kStage + i * kRound * kLd, from + i * round);
      }
    }
  }
  __device__ __forceinline__ void put(int stage) {
    if constexpr (turned) {
#pragma unroll
      for (int i = 0; i < kCopies; ++i) {
#pragma unroll
        for (int e = 0; e < kPiece; ++e) to[stage * kStage + e * kLd + i * kRound] = held[i][e];
      }
    }
  }
  // Any tile, one element at a time; where it hangs over an edge, zeros.
  __device__ __forceinline__ void fetch_edge(int stage, int depth) const {
    const int tid = static_cast<int>(threadIdx.x), warp = tid / 32, lane = tid % 32;
    const int k0 = turned ? warp % kRuns * kRun + lane % kRun : tid / rows;
    const int r0 = turned ? warp / kRuns * (32 / kRun) + lane / kRun : tid % rows;
    constexpr int step_k = turned || threads < rows ? 0 : threads / rows;
    constexpr int step_r = turned ? 32 / kRun * (threads / 32) / kRuns : threads < rows ? threads : 0;
    const T* source = tile + (turned ? r0 * ld + k0 : k0 * ld + r0);
    T* target = shared + stage * kStage + k0 * kLd + r0;
#pragma unroll 1
    for (int i = 0, k = k0, r = r0; i < rows * bk / threads; ++i) {
      async_copy<sizeof(T)>(target, source, k < depth && r < there ? static_cast<int>(sizeof(T)) : 0);
      k += step_k, r += step_r;
      target += step_k * kLd + step_r;
      source += turned ? step_r * ld : step_k * ld + step_r;
      if (!turned && threads < rows && r >= rows) {  // the next row
        r -= rows, ++k;
        target += kLd - rows;
        source += ld - rows;
      }
    }
  }
  __device__ __forceinline__ void advance() {
    tile += turned ? bk : bk * ld;
    from += turned ? bk : bk * ld;
  }
};

template <class T, int tile, bool turn_a, bool turn_b, int threads = kTile<T, tile>.threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) simt_22_pipelined(Args<T> args) {
  constexpr Tile t = kTile<T, tile>;
  constexpr int piece = 16 / sizeof(T);
  using SideA = Side<T, t.bm, t.bk, threads, turn_a>;
  using SideB = Side<T, t.bn, t.bk, threads, turn_b>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  T* const sA = reinterpret_cast<T*>(shared_bytes);  // (stages, bk, bm)
  T* const sB = sA + t.stages * SideA::kStage;       // (stages, bk, bn)
  GemmArgs<T>& g = args.g;

  // Where am I: blocks walk down groups of kGroup rows of tiles, so that those that run together share A and B in L2.
  const auto tiles_m = static_cast<unsigned>((g.m + t.bm - 1) / t.bm);
  const auto tiles_n = static_cast<unsigned>((g.n + t.bn - 1) / t.bn);
  const unsigned group = blockIdx.x / (kGroup * tiles_n), in_group = blockIdx.x % (kGroup * tiles_n);
  const unsigned height = min(tiles_m - group * kGroup, unsigned{kGroup});
  const std::int64_t row0 = std::int64_t{group * kGroup + in_group % height} * t.bm;
  const std::int64_t col0 = std::int64_t{in_group / height} * t.bn;

  // In it the warp's tile, and in that the first of the thread's pieces; the others follow as many lanes further on.
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  constexpr int lanes_m = t.wm / t.tm, lanes_n = t.wn / t.tn;
  const int row = warp / (t.bn / t.wn) * t.wm + lane / lanes_n * piece;
  const int col = warp % (t.bn / t.wn) * t.wn + lane % lanes_n * piece;

  // Copy the tile `index` of k into a stage: fetch, and put what needed turning. Whole tiles take the short way; the
  // block decides as one.
  const std::int64_t batch = blockIdx.y;
  SideA a(g.A + batch * args.stride_a, g.lda, row0, g.m, sA);
  SideB b(g.B + batch * args.stride_b, g.ldb, col0, g.n, sB);
  const int tiles_k = static_cast<int>((g.k + t.bk - 1) / t.bk);
  const bool whole = args.vector_ab && a.there == t.bm && b.there == t.bn;
  const int whole_tiles = whole ? static_cast<int>(g.k / t.bk) : 0;
  const auto fetch = [&](int stage, int index) {
    if (index < whole_tiles) {
      a.fetch(stage);
      b.fetch(stage);
    } else if (index < tiles_k) {
      const int depth = static_cast<int>(min(g.k - std::int64_t{index} * t.bk, std::int64_t{t.bk}));
      a.fetch_edge(stage, depth);
      b.fetch_edge(stage, depth);
    }
    async_commit();  // an empty group where there is no such tile, so that counting them stays simple
  };
  const auto put = [&](int stage, int index) {
    if (index < whole_tiles) {
      a.put(stage);
      b.put(stage);
    }
    a.advance();
    b.advance();
  };
#pragma unroll
  for (int stage = 0; stage < t.stages - 1; ++stage) {
    fetch(stage, stage);
    put(stage, stage);
  }

  // One step: read the operands of the next into one half of the registers while the other half is multiplied. The
  // order of multiplications goes to and fro, so that each shares an operand with the one before.
  T acc[t.tm][t.tn] = {}, rA[2][t.tm], rB[2][t.tn];
  const T *nowA = sA + row, *nowB = sB + col;
  const auto read = [&](int half, int kk) {
#pragma unroll
    for (int i = 0; i < t.tm; i += piece) load16(&rA[half][i], nowA + kk * SideA::kLd + i * lanes_m);
#pragma unroll
    for (int j = 0; j < t.tn; j += piece) load16(&rB[half][j], nowB + kk * SideB::kLd + j * lanes_n);
  };
  const auto multiply = [&](int half) {
#pragma unroll
    for (int i = 0; i < t.tm; ++i) {
#pragma unroll
      for (int jj = 0; jj < t.tn; ++jj) {
        const int j = i % 2 == 0 ? jj : t.tn - 1 - jj;
        acc[i][j] += rA[half][i] * rB[half][j];
      }
    }
  };

  int stage = 0, free = t.stages - 1;  // the one being multiplied, and the one that will be filled next
  const auto after = [&](int s) { return s + 1 == t.stages ? 0 : s + 1; };
  if (tiles_k > 0) {
    async_wait<t.stages - 2>();
    __syncthreads();
    read(0, 0);
  }
  for (int index = 0; index < tiles_k; ++index) {
    fetch(free, index + t.stages - 1);

    // Two steps at a time and not all of them: ptxas finds registers in the right banks for a loop as short as this.
#pragma unroll 1
    for (int kk = 0; kk < t.bk - 2; kk += 2) {
      read(1, 1);
      multiply(0);
      read(0, 2);
      multiply(1);
      nowA += 2 * SideA::kLd, nowB += 2 * SideB::kLd;
    }
    read(1, 1);
    multiply(0);

    // The last step reads ahead into the next tile. One barrier: the copies of all threads have arrived, and
    // everybody is done with this stage, which the next round fills.
    put(free, index + t.stages - 1);
    async_wait<t.stages - 2>();
    __syncthreads();
    if (index + 1 < tiles_k) stage = after(stage);  // else once more from this one, for nothing: a branch costs more
    free = after(free);
    nowA = sA + stage * SideA::kStage + row, nowB = sB + stage * SideB::kStage + col;
    read(0, 0);
    multiply(1);
  }

  // Store. C is not looked at where beta is 0: it may hold anything, NaN too.
  T* const C = g.C + batch * args.stride_c;
#pragma unroll
  for (int i = 0; i < t.tm; ++i) {
    const int r = row + i / piece * piece * lanes_m + i % piece;
    if (r >= a.there) continue;
    T* c = &C[(row0 + r) * g.ldc + col0 + col];
#pragma unroll
    for (int j = 0; j < t.tn; j += piece, c += piece * lanes_n) {
      const int left = b.there - col - j * lanes_n;
      T v[piece];
      if (args.vector_c && left >= piece) {
        if (g.beta != 0) load16(v, c);
#pragma unroll
        for (int e = 0; e < piece; ++e)
          v[e] = g.beta == 0 ? g.alpha * acc[i][j + e] : g.alpha * acc[i][j + e] + g.beta * v[e];
        store16(c, v);
      } else {
#pragma unroll
        for (int e = 0; e < piece; ++e) {
          if (e < left) c[e] = g.beta == 0 ? g.alpha * acc[i][j + e] : g.alpha * acc[i][j + e] + g.beta * c[e];
        }
      }
    }
  }
}

template <class T> Status launch_typed(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    constexpr Tile t = kTile<T, i>;
    static_assert(t.valid());
    const Problem& p = args.problem;
    const GemmArgs<T> g(args);
    if (g.idle()) return {};
    const bool vector_ab = rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb) &&
                           p.stride_a % t.piece() == 0 && p.stride_b % t.piece() == 0;
    const bool vector_c = rows_of_16_bytes(g.C, g.ldc) && p.stride_c % t.piece() == 0;
    const bool turn_a = g.op_a == Op::none, turn_b = g.op_b != Op::none;
    const auto kernel = turn_a
                            ? (turn_b ? simt_22_pipelined<T, i, true, true> : simt_22_pipelined<T, i, true, false>)
                            : (turn_b ? simt_22_pipelined<T, i, false, true> : simt_22_pipelined<T, i, false, false>);
    constexpr std::int64_t kMostBatches = 65535;
    for (std::int64_t first = 0; first < p.batch; first += kMostBatches) {
      Args<T> some{g, p.stride_a, p.stride_b, p.stride_c, vector_ab, vector_c};
      if (g.k > 0)
        some.g.A += first * p.stride_a, some.g.B += first * p.stride_b;  // else they may be null, and stay so
      some.g.C += first * p.stride_c;
      const Grid grid{ceil_div(g.m, t.bm) * ceil_div(g.n, t.bn), std::min(kMostBatches, p.batch - first)};
      if (Status s = cairn::launch(grid, t.threads(), t.shared(), stream, kernel, some); !s.ok()) return s;
    }
    return {};
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return args.problem.in == Type::f64 ? launch_typed<double>(args, tile, stream)
                                      : launch_typed<float>(args, tile, stream);
}

// The tile that is done first: the SM with the most blocks decides. A block that is alone on its SM keeps only its
// own warps' schedulers busy, and a smaller tile spends more of its slots on loads.
Choice choose(const Query& query) {
  constexpr double kShare[] = {1, 0.97, 0.7};  // of the slots that multiply, against tile 0
  static_assert(std::size(kShare) == std::size(kTiles));
  const Problem& p = query.problem;
  const double rate = p.in == Type::f64 ? 51 : 117;  // of the 64 and 128 that an SM of an H200 has
  Choice best;
  for (int i = 0; i < static_cast<int>(std::size(kTiles)); ++i) {
    if (query.tile != kAnyTile && query.tile != i) continue;
    const Tile t = kTiles[i].of(static_cast<std::size_t>(size_of(p.in)));
    Choice choice;
    choice.tile = i;
    choice.forecast = forecast({.bm = t.bm,
                                .bn = t.bn,
                                .rate = rate * kShare[i],
                                .alone = std::min(1.0, t.warps() / 8.0),
                                .dram_alone = 0.5,
                                .epilogue = 1500},
                               p, query.device);
    if (best.forecast.us() == 0 || choice.forecast.us() < best.forecast.us()) best = choice;
  }
  return best;
}

extern const Rung rung = {.id = "simt/22_pipelined",
                          .title = "Pipelined",
                          .kind = RungKind::gemm,
                          .types = types::f32_f64,
                          .layouts = layout::all,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch,
                          .batched = true,
                          .choose = choose};

}  // namespace cairn::simt_22
