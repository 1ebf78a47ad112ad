// 22 · Pipelined                                   docs/trail/simt_22_pipelined.md · cairn bench simt/22
//
// From    simt/21_cp_async
// Idea    Everything so far, for every layout: 8 x 16 elements per thread, so that 128 multiply-adds need six loads;
//         a ring of stages filled two or three k-steps ahead; the operands of the next kk loaded while this one is
//         multiplied; an order of multiply-adds that reuses operands in registers, and an order of blocks that reuses
//         tiles in L2.
// Before  21 issued one shared-memory load for every 16 multiply-adds, and took one layout.
// Limit   Every issue slot that is not a multiply-add is lost: shared-memory loads, copies, register bank conflicts;
//         and the tail wave, which is seldom full.
// Needs   f32, f64; row-major nn, nt, tn, tt; any m, n, k (edges masked), strided batches; 16-byte copies where A, B
//         and C allow them; groups of rows; sm_80.
#include "device/async_copy.hpp"
#include "device/epilogue.hpp"
#include "device/groups.hpp"
#include "device/launch.hpp"
#include "device/scaled_sum.hpp"
#include "device/vec.hpp"
#include "kernels/parts/block_cost.hpp"
#include "kernels/parts/shortest.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_22 {

inline constexpr int kGroup = 8;  // rows of tiles in a group of the block order, for reuse in L2
inline constexpr int kRun = 8;    // of k: consecutive elements that lanes copy one by one if a tile is transposed

struct Tile {
  int bm, bn, bk;
  int wm, wn;  // the warp tile
  int tm, tn;  // the thread tile
  int stages;
  int blocks;     // the least number of co-resident blocks
  int bytes = 4;  // of an element
  constexpr int warps() const { return bm / wm * (bn / wn); }
  constexpr int threads() const { return warps() * 32; }
  constexpr int chunk() const { return 16 / bytes; }  // elements of a 16-byte access
  constexpr int shared() const { return stages * bk * (bm + bn + 2 * chunk()) * bytes; }
  constexpr bool copyable(int rows) const {  // every copy iteration of a (bk, rows) tile is full, for either layout
    return rows % chunk() == 0 && threads() % (rows / chunk()) == 0 && rows * bk % (threads() * chunk()) == 0 &&
           threads() % (bk / chunk()) == 0 && warps() % (bk / kRun) == 0 && rows * (bk / kRun) % (4 * warps()) == 0 &&
           (threads() % rows == 0 || rows % threads() == 0);
  }
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 &&                                       // full warps
           wm % tm == 0 && wn % tn == 0 && wm / tm * (wn / tn) == 32 &&          // of 32 thread tiles
           tm % chunk() == 0 && tn % chunk() == 0 &&                             // operands are loaded by 16 bytes
           bk % kRun == 0 && bk % 2 == 0 && copyable(bm) && copyable(bn) &&      // the inner loop takes two kk
           stages >= 2 && blocks * shared() <= 227 * 1024 &&                     // shared memory of an SM
           blocks * threads() * (tm * tn + 2 * (tm + tn)) * bytes / 4 <= 65536;  // registers of an SM
  }
  // The same for elements of 8 bytes: half the bn and bk, so that it takes the same registers.
  constexpr Tile of(std::size_t size) const {
    return size == 4 ? *this : Tile{bm, bn / 2, bk / 2, wm, wn / 2, tm, tn / 2, stages, blocks, 8};
  }
  TileName name() const {
    return tile_text("%dx%dx%d %dx%d %dx%d by %d, %d stages", bm, bn, bk, wm, wn, tm, tn, blocks, stages);
  }
};
inline constexpr Tile kTiles[] = {{128, 256, 16, 64, 64, 8, 16, 4, 1},  // [0] is the default
                                  {128, 128, 16, 64, 64, 8, 16, 3, 2},
                                  {64, 64, 16, 32, 32, 4, 8, 4, 4}};

template <class T, int tile> inline constexpr Tile kTile = kTiles[tile].of(sizeof(T));

template <class T> struct Args {
  GemmArgs<T> g;
  std::int64_t stride_a, stride_b, stride_c;
  bool vector_ab, vector_c;  // 16-byte accesses are possible
  Epilogue epilogue;
  Groups groups;
};

// Copies tiles of one operand into shared memory, where a tile is MN-major, (bk, rows): `rows` rows of op(A), or as
// many columns of op(B). In global memory the operand is MN-major too, or k-major; then the tile is transposed.
template <class T, int rows, int bk, int threads, bool transpose> struct TileLoader {
  static constexpr int kChunk = 16 / sizeof(T);
  static constexpr int kLd = rows + (transpose ? kChunk : 0);  // padded: a transposing store has 2-way conflicts only
  static constexpr int kStage = bk * kLd;
  static constexpr int kCopies = rows * bk / kChunk / threads;  // of 16 bytes, per thread
  static constexpr int kRuns = bk / kRun;

  // The rows of the stored matrix that the block covers in one iteration of 16-byte copies.
  static constexpr int kStep = transpose ? threads / (bk / kChunk) : threads / (rows / kChunk);

  const T* tile;  // the first element of the next tile to copy
  std::int64_t ld, step;
  int inside;     // of `rows`, how many are inside the matrix
  T* shared;      // stage 0
  const T* from;  // this thread's first chunk of that tile,
  T* to;          // and its position in stage 0
  T held[transpose ? kCopies : 1][kChunk] = {};

  __device__ __forceinline__ TileLoader(const T* matrix, std::int64_t ld_, std::int64_t first, std::int64_t end,
                                        T* shared_)
      : tile(matrix + (transpose ? first * ld_ : first)),
        ld(ld_),
        step(kStep * ld_),
        inside(static_cast<int>(min(end - first, std::int64_t{rows}))),
        shared(shared_) {
    const int tid = static_cast<int>(threadIdx.x);
    constexpr int width = (transpose ? bk : rows) / kChunk;  // chunks in a row of the tile as it is in global memory
    const int row = tid / width, col = tid % width * kChunk;
    from = tile + row * ld + col;
    to = shared + (transpose ? col * kLd + row : row * kLd + col);
  }

  // For a full and aligned tile: 16 bytes at a time. A tile to transpose is held in registers until put().
  __device__ __forceinline__ void fetch(int stage) {
#pragma unroll
    for (int i = 0; i < kCopies; ++i) {
      if constexpr (transpose) {
        load16(held[i], from + i * step);
      } else {
        async_copy<16>(to + stage * kStage + i * kStep * kLd, from + i * step);
      }
    }
  }
  __device__ __forceinline__ void put(int stage) {
    if constexpr (transpose) {
#pragma unroll
      for (int i = 0; i < kCopies; ++i) {
#pragma unroll
        for (int e = 0; e < kChunk; ++e) to[stage * kStage + e * kLd + i * kStep] = held[i][e];
      }
    }
  }
  // For any tile: one element at a time, and zeros outside the matrix.
  __device__ __forceinline__ void fetch_edge(int stage, int depth) const {
    const int tid = static_cast<int>(threadIdx.x), warp = tid / 32, lane = tid % 32;
    const int k0 = transpose ? warp % kRuns * kRun + lane % kRun : tid / rows;
    const int r0 = transpose ? warp / kRuns * (32 / kRun) + lane / kRun : tid % rows;
    constexpr int step_k = transpose || threads < rows ? 0 : threads / rows;
    constexpr int step_r = transpose ? 32 / kRun * (threads / 32) / kRuns : threads < rows ? threads : 0;
    const T* source = tile + (transpose ? r0 * ld + k0 : k0 * ld + r0);
    T* target = shared + stage * kStage + k0 * kLd + r0;
#pragma unroll 1
    for (int i = 0, k = k0, r = r0; i < rows * bk / threads; ++i) {
      async_copy<sizeof(T)>(target, source, k < depth && r < inside ? static_cast<int>(sizeof(T)) : 0);
      k += step_k, r += step_r;
      target += step_k * kLd + step_r;
      source += transpose ? step_r * ld : step_k * ld + step_r;
      if (!transpose && threads < rows && r >= rows) {  // continue in the next row
        r -= rows, ++k;
        target += kLd - rows;
        source += ld - rows;
      }
    }
  }
  __device__ __forceinline__ void advance() {
    tile += transpose ? bk : bk * ld;
    from += transpose ? bk : bk * ld;
  }
};

template <class T, int tile, bool transpose_a, bool transpose_b, int threads = kTile<T, tile>.threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) simt_22_pipelined(Args<T> args) {
  constexpr Tile t = kTile<T, tile>;
  constexpr int chunk = 16 / sizeof(T);
  using LoaderA = TileLoader<T, t.bm, t.bk, threads, transpose_a>;
  using LoaderB = TileLoader<T, t.bn, t.bk, threads, transpose_b>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  T* const sA = reinterpret_cast<T*>(shared_bytes);  // (stages, bk, bm)
  T* const sB = sA + t.stages * LoaderA::kStage;     // (stages, bk, bn)
  GemmArgs<T>& g = args.g;

  // Where am I: the block order goes down groups of kGroup rows of tiles, so that blocks that run together
  // share A and B in L2.
  const auto tiles_m = static_cast<unsigned>((g.m + t.bm - 1) / t.bm);
  const auto tiles_n = static_cast<unsigned>((g.n + t.bn - 1) / t.bn);
  const unsigned group = blockIdx.x / (kGroup * tiles_n), in_group = blockIdx.x % (kGroup * tiles_n);
  const unsigned height = min(tiles_m - group * kGroup, unsigned{kGroup});
  std::int64_t row0 = std::int64_t{group * kGroup + in_group % height} * t.bm;
  const std::int64_t col0 = std::int64_t{in_group / height} * t.bn;
  std::int64_t rows = g.m, batch = blockIdx.y;  // or a group of rows
  if (args.groups.count > 0) {
    GroupWalk at;
    const auto index = static_cast<int>(row0 / t.bm);
    if (!at.find(args.groups, t.bm, 1, index)) return;
    row0 = at.first + std::int64_t{index - at.before} * t.bm;
    rows = at.end, batch = at.group;
  }

  // In the block's tile the warp's, and in that the first sub-tile of the thread, a chunk wide and high. Its other
  // sub-tiles are chunk * lanes_m rows further down, chunk * lanes_n columns further right.
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  constexpr int lanes_m = t.wm / t.tm, lanes_n = t.wn / t.tn;
  const int row = warp / (t.bn / t.wn) * t.wm + lane / lanes_n * chunk;
  const int col = warp % (t.bn / t.wn) * t.wn + lane % lanes_n * chunk;

  // Copies the tiles of k-step `index` into a stage: fetch() issues the loads, put() stores what is transposed. The
  // condition for 16-byte copies is the same for all threads of the block.
  LoaderA a(g.A + batch * args.stride_a, g.lda, row0, rows, sA);
  LoaderB b(g.B + batch * args.stride_b, g.ldb, col0, g.n, sB);
  const int tiles_k = static_cast<int>((g.k + t.bk - 1) / t.bk);
  const bool full = args.vector_ab && a.inside == t.bm && b.inside == t.bn;
  const int full_tiles = full ? static_cast<int>(g.k / t.bk) : 0;
  const auto fetch = [&](int stage, int index) {
    if (index < full_tiles) {
      a.fetch(stage);
      b.fetch(stage);
    } else if (index < tiles_k) {
      const int depth = static_cast<int>(min(g.k - std::int64_t{index} * t.bk, std::int64_t{t.bk}));
      a.fetch_edge(stage, depth);
      b.fetch_edge(stage, depth);
    }
    async_commit();  // past the last k-step an empty group, so that async_wait counts the same everywhere
  };
  const auto put = [&](int stage, int index) {
    if (index < full_tiles) {
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

  // The operands of the next kk are loaded into one half of the registers while the other half is multiplied. Rows
  // are multiplied left to right and right to left alternately, so that consecutive multiply-adds share an operand.
  T acc[t.tm][t.tn] = {}, rA[2][t.tm], rB[2][t.tn];
  const T *nowA = sA + row, *nowB = sB + col;
  const auto read = [&](int half, int kk) {
#pragma unroll
    for (int i = 0; i < t.tm; i += chunk) load16(&rA[half][i], nowA + kk * LoaderA::kLd + i * lanes_m);
#pragma unroll
    for (int j = 0; j < t.tn; j += chunk) load16(&rB[half][j], nowB + kk * LoaderB::kLd + j * lanes_n);
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

  int stage = 0, free = t.stages - 1;  // the stage being multiplied, and the one to fill next
  const auto after = [&](int s) { return s + 1 == t.stages ? 0 : s + 1; };
  if (tiles_k > 0) {
    async_wait<t.stages - 2>();
    __syncthreads();
    read(0, 0);
  }
  for (int index = 0; index < tiles_k; ++index) {
    fetch(free, index + t.stages - 1);
    // Two kk per iteration, not unrolled further: in a short loop ptxas finds registers without bank conflicts.
#pragma unroll 1
    for (int kk = 0; kk < t.bk - 2; kk += 2) {
      read(1, 1);
      multiply(0);
      read(0, 2);
      multiply(1);
      nowA += 2 * LoaderA::kLd, nowB += 2 * LoaderB::kLd;
    }
    read(1, 1);
    multiply(0);

    // The last kk loads the first operands of the next k-step. One barrier for two purposes: the copies of all
    // threads have arrived, and all reads of this stage are done, which the next iteration fills.
    put(free, index + t.stages - 1);
    async_wait<t.stages - 2>();
    __syncthreads();
    if (index + 1 < tiles_k) stage = after(stage);  // else load unused operands: a branch costs more
    free = after(free);
    nowA = sA + stage * LoaderA::kStage + row, nowB = sB + stage * LoaderB::kStage + col;
    read(0, 0);
    multiply(1);
  }

  // Store. With beta == 0, C is not read: it may hold anything, NaN included.
  T* const C = g.C + batch * args.stride_c;
  if (args.epilogue.any) {
    // An activation is too long a function for every accumulator: a row of a thread goes through shared memory, where a
    // loop can index it.
    __syncthreads();  // all warps have read the last stage
    T* const own = reinterpret_cast<T*>(shared_bytes) + threadIdx.x;
#pragma unroll
    for (int i = 0; i < t.tm; ++i) {
      const int r = row + i / chunk * chunk * lanes_m + i % chunk;
      if (r >= a.inside) continue;
#pragma unroll
      for (int j = 0; j < t.tn; ++j) own[j * threads] = acc[i][j];
#pragma unroll 1
      for (int j = 0; j < t.tn; ++j) {
        const int c = col + j / chunk * chunk * lanes_n + j % chunk;
        if (c >= b.inside) break;
        const std::int64_t at = batch * args.stride_c + (row0 + r) * g.ldc + col0 + c;
        T one[1] = {own[j * threads]};
        finish<T>(args.epilogue, g.C, {at, batch, row0 + r, col0 + c}, one, g.alpha, g.beta);
      }
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < t.tm; ++i) {
    const int r = row + i / chunk * chunk * lanes_m + i % chunk;
    if (r >= a.inside) continue;
    T* c = &C[(row0 + r) * g.ldc + col0 + col];
#pragma unroll
    for (int j = 0; j < t.tn; j += chunk, c += chunk * lanes_n) {
      const int left = b.inside - col - j * lanes_n;
      T v[chunk];
      if (args.vector_c && left >= chunk) {
        if (g.beta != 0) load16(v, c);
#pragma unroll
        for (int e = 0; e < chunk; ++e)
          v[e] = g.beta == 0 ? g.alpha * acc[i][j + e] : scaled_sum(g.alpha, acc[i][j + e], g.beta, v[e]);
        store16(c, v);
      } else {
#pragma unroll
        for (int e = 0; e < chunk; ++e) {
          if (e < left)
            c[e] = g.beta == 0 ? g.alpha * acc[i][j + e] : scaled_sum(g.alpha, acc[i][j + e], g.beta, c[e]);
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
    if (args.idle()) return {};
    const bool vector_ab = rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb) &&
                           p.stride_a % t.chunk() == 0 && p.stride_b % t.chunk() == 0 && groups_of_16_bytes(p);
    const bool vector_c = rows_of_16_bytes(g.C, g.ldc) && p.stride_c % t.chunk() == 0;
    const bool transpose_a = g.op_a == Op::none, transpose_b = g.op_b != Op::none;
    const auto kernel =
        transpose_a ? (transpose_b ? simt_22_pipelined<T, i, true, true> : simt_22_pipelined<T, i, true, false>)
                    : (transpose_b ? simt_22_pipelined<T, i, false, true> : simt_22_pipelined<T, i, false, false>);
    const Epilogue epilogue = epilogue_of(args, vector_c);
    constexpr std::int64_t kMostBatches = 65535;
    for (std::int64_t first = 0; first < p.batch; first += kMostBatches) {
      Args<T> some{g, p.stride_a, p.stride_b, p.stride_c, vector_ab, vector_c, epilogue, groups_of(args)};
      if (p.is_grouped()) {
        some.stride_a = some.stride_c = 0;
        some.g.m = tiles_down(p, t.bm) * t.bm;  // rows of tiles, of which some may not be there
      }
      if (g.k > 0) some.g.A += first * p.stride_a, some.g.B += first * p.stride_b;  // with k == 0 they may be null
      some.g.C += first * p.stride_c;
      some.epilogue = following<T>(epilogue, first, p.stride_c);
      const Grid grid{ceil_div(some.g.m, t.bm) * ceil_div(g.n, t.bn), std::min(kMostBatches, p.batch - first)};
      if (Status s = cairn::launch(grid, t.threads(), t.shared(), stream, kernel, some); !s.ok()) return s;
    }
    return {};
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return args.problem.in == Type::f64 ? launch_typed<double>(args, tile, stream)
                                      : launch_typed<float>(args, tile, stream);
}

Choice choose(const Query& query) {
  constexpr double kRate = 115, kRateOfDoubles = 51, kEfficiency[std::size(kTiles)] = {1, 0.985, 0.8};  // of an H200
  const Problem& p = query.problem;
  const bool aligned = p.lda * size_of(p.in) % 16 == 0 && p.ldb * size_of(p.in) % 16 == 0;
  return shortest(query, std::size(kTiles), [&](int i) {
    const Tile t = kTiles[i].of(static_cast<std::size_t>(size_of(p.in)));
    // Tiles at edges, or all, are copied and stored element by element; a wave that has one waits for it.
    const auto tiles = static_cast<double>(ceil_div(p.m, t.bm) * ceil_div(p.n, t.bn) * p.batch),
               edges = tiles - static_cast<double>(p.m / t.bm * (p.n / t.bn) * p.batch);
    const double wave = query.device.sms * t.blocks, at_edges = std::min(1.0, std::max(edges, wave) / tiles);
    const double single = !aligned ? 1 : edges == 0 ? 0 : at_edges;
    return forecast({.bm = t.bm,
                     .bn = t.bn,
                     .rate = (p.in == Type::f64 ? kRateOfDoubles : kRate) * kEfficiency[i] / (1 + single / 3),
                     .alone = std::min(1.0, t.warps() / 8.0),
                     .dram_alone = 0.5,
                     .epilogue = 2500 + single * t.bm * t.bn / 2,
                     .resident = t.blocks},
                    p, query.device);
  });
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
                          .choose = choose,
                          .grouped = true,
                          .epilogue = true};

}  // namespace cairn::simt_22
