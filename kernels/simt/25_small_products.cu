// 25 · Small products                                 docs/trail/simt_25_small_products.md · cairn bench simt/25
//
// From    simt/22_pipelined
// Idea    Products that are small, or many, get small tiles: 16 x 16 or 32 x 32 by one warp, four products a block, so
//         that nobody waits for a barrier of the block; and where there are too few tiles for the GPU, the teams of a
//         block divide each k-step among themselves and add their sums at the end. Tiles stay in shared memory as they
//         are stored, k-major or MN-major, so every operand is copied asynchronously, and no registers hold it.
// Before  22's smallest tile is 64 x 64 by a block: a product of 16 x 16 x 16 uses a sixteenth of it, and one of
//         512 x 512 has tiles for half of an H200's SMs.
// Limit   Large products: a small tile reads each operand from L2 too often, and what a thread reads from shared memory
//         for the next multiply-adds has to wait until it has room in its registers.
// Needs   f32, f64; row-major nn, nt, tn, tt; any m, n, k (edges masked), leading dimension, alignment and batch;
//         16-byte copies where A, B or C allow them; sm_80.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>

#include "device/async_copy.hpp"
#include "device/epilogue.hpp"
#include "device/launch.hpp"
#include "device/pdl.hpp"
#include "device/scaled_sum.hpp"
#include "device/stored_tile.hpp"
#include "device/vec.hpp"
#include "kernels/parts/shortest.hpp"
#include "kernels/parts/team_cost.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_25 {

struct Tile {
  int bm, bn, bk;  // of C, and of a k-step
  int tm, tn;      // the thread tile
  int teams;       // that divide a k-step; each has threads for all of the tile
  int products;    // tiles that a block computes, each by a warp if there are several
  int stages;
  int blocks;                                         // the least number of co-resident blocks
  int bytes = 4;                                      // of an element
  constexpr int chunk() const { return 16 / bytes; }  // elements of a 16-byte access
  constexpr int team() const { return bm / tm * (bn / tn); }
  constexpr int crew() const { return team() * teams; }  // threads of a tile
  constexpr int threads() const { return crew() * products; }
  constexpr int stage() const { return (bm + bn) * (bk + 1); }  // elements, with padding
  constexpr int sum_ld() const { return bn + chunk(); }
  constexpr int sums() const { return teams * bm * sum_ld(); }              // of the teams, where the stages were
  constexpr int own() const { return std::max(stages * stage(), sums()); }  // shared elements of a tile
  constexpr int shared() const { return products * own() * bytes; }
  constexpr bool valid() const {
    return bm % tm == 0 && bn % tn == 0 && tm % chunk() == 0 && tn % chunk() == 0 &&  // operands come by 16 bytes
           bk % (teams * chunk()) == 0 && (products == 1 || crew() == 32) && crew() % 32 == 0 && stages >= 2 &&
           blocks * shared() <= 227 * 1024 && blocks * threads() <= 2048;
  }
  // The same for elements of 8 bytes: half the bn and bk, so that it takes the same registers.
  constexpr Tile of(std::size_t size) const {
    return size == 4 ? *this : Tile{bm, bn / 2, bk / 2, tm, tn / 2, teams, products, stages, blocks, 8};
  }
  TileName name() const {
    return tile_text("%dx%dx%d %dx%d, k by %d, %d a block", bm, bn, bk, tm, tn, teams, products);
  }
};
// For batches; from [6] on for few tiles; from [10] on for batches of few rows or columns. [0] is the default.
inline constexpr Tile kTiles[] = {
    {64, 64, 16, 8, 16, 1, 1, 3, 8}, {64, 64, 16, 8, 8, 1, 1, 3, 6}, {64, 32, 16, 8, 8, 1, 2, 3, 5},
    {32, 64, 16, 8, 8, 1, 2, 3, 5},  {32, 32, 16, 4, 8, 1, 4, 3, 4}, {16, 16, 16, 4, 4, 2, 4, 3, 7},
    {64, 64, 64, 8, 16, 4, 1, 3, 2}, {32, 64, 64, 8, 8, 8, 1, 4, 1}, {32, 32, 64, 4, 8, 8, 1, 4, 2},
    {16, 16, 128, 4, 4, 8, 1, 3, 4}, {16, 64, 16, 4, 8, 1, 4, 3, 3}, {64, 16, 16, 8, 4, 1, 4, 3, 3}};

// A tile as the kernel is compiled for it.
template <class T, int tile> struct Geometry {
  static constexpr Tile t = kTiles[tile].of(sizeof(T));
  static constexpr int bm = t.bm, bn = t.bn, bk = t.bk, tm = t.tm, tn = t.tn, teams = t.teams, products = t.products;
  static constexpr int chunk = t.chunk(), lanes_m = bm / tm, lanes_n = bn / tn, team = t.team(), crew = t.crew();
  static constexpr int stages = t.stages, stage = t.stage(), sum_ld = t.sum_ld(), own = t.own();
};

template <class T> struct Args {
  GemmArgs<T> g;
  std::int64_t stride_a, stride_b, stride_c;
  int unit_a, unit_b;            // elements of A and B that are copied at once
  bool vector_c;                 // 16-byte accesses are possible
  unsigned across, tiles, work;  // tiles in a row of them, of a product, of the launch
  Epilogue epilogue;
};

// Neighbours in a row of C before alpha: the sums of the teams, added in their order. `sums` is the first team's.
template <class T, int tile, int unit> __device__ __forceinline__ void sum_of_teams(T (&sum)[unit], const T* sums) {
  using G = Geometry<T, tile>;
#pragma unroll
  for (int team = 0; team < G::teams; ++team, sums += G::bm * G::sum_ld) {
    T one[unit];
    if constexpr (unit == 1) one[0] = *sums;
    if constexpr (unit > 1) load16(one, sums);
#pragma unroll
    for (int e = 0; e < unit; ++e) sum[e] = team == 0 ? one[e] : sum[e] + one[e];
  }
}

// Stores `rows` x `cols` of a tile of C, `unit` neighbours at a time. With beta == 0, C is not read: it may hold
// anything, NaN included.
template <class T, int tile, int unit>
__device__ __forceinline__ void store(const GemmArgs<T>& g, T* C, const T* sums, int rows, int cols, int thread) {
  using G = Geometry<T, tile>;
  constexpr int per_row = G::bn / unit, units = G::bm * per_row;
  constexpr int most =
      units < 4 * G::crew ? (units + G::crew - 1) / G::crew : 4;  // at once, so that reads of C overlap
#pragma unroll 1
  for (int i0 = thread; i0 < units; i0 += most * G::crew) {
    T old[most][unit] = {};
    const auto each = [&](auto&& f) {
#pragma unroll
      for (int u = 0; u < most; ++u) {
        const int i = i0 + u * G::crew, r = i / per_row, c = i % per_row * unit;
        if (i < units && r < rows && c < cols) f(old[u], C + r * g.ldc + c, sums + r * G::sum_ld + c, cols - c);
      }
    };
    if (g.beta != 0) {
      each([&](T(&v)[unit], const T* c, const T*, int left) {
        if constexpr (unit > 1) {
          if (left >= unit) return load16(v, c);
        }
#pragma unroll
        for (int e = 0; e < unit; ++e) v[e] = e < left ? c[e] : T(0);
      });
    }
    each([&](T(&v)[unit], T* c, const T* s, int left) {
      T sum[unit];
      sum_of_teams<T, tile>(sum, s);
#pragma unroll
      for (int e = 0; e < unit; ++e)
        v[e] = g.beta == 0 ? g.alpha * sum[e] : scaled_sum(g.alpha, sum[e], g.beta, v[e]);
      if constexpr (unit > 1) {
        if (left >= unit) return store16(c, v);
      }
#pragma unroll
      for (int e = 0; e < unit; ++e) {
        if (e < left) c[e] = v[e];
      }
    });
  }
}

template <class T, int tile, bool k_major_a, bool k_major_b>
__global__ void __launch_bounds__(Geometry<T, tile>::t.threads(), kTiles[tile].blocks)
    simt_25_small_products(const __grid_constant__ Args<T> args) {
  using G = Geometry<T, tile>;
  constexpr int chunk = G::chunk, crew = G::crew, lanes_m = G::lanes_m, lanes_n = G::lanes_n;
  using A = StoredTile<T, G::bm, G::bk, crew, k_major_a>;
  using B = StoredTile<T, G::bn, G::bk, crew, k_major_b>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const GemmArgs<T>& g = args.g;
  const auto sync = [] {
    if constexpr (G::crew > 32) __syncthreads();
    if constexpr (G::crew == 32) __syncwarp();
  };

  // Where am I: the product of the batch, its tile, and in that the first sub-tile of the thread, a chunk wide and
  // high. Its other sub-tiles are chunk * lanes_m rows further down, chunk * lanes_n columns further right. Four lanes
  // are two by two: a request of 16 bytes a lane takes half the wavefronts if neighbours ask for the same.
  const int slot = static_cast<int>(threadIdx.x) / crew, thread = static_cast<int>(threadIdx.x) % crew;
  const int team = thread / G::team;
  const int four = thread % G::team / 4;
  const int row = (four / (lanes_n / 2) * 2 + thread / 2 % 2) * chunk,
            col = (four % (lanes_n / 2) * 2 + thread % 2) * chunk;
  pdl_launch_dependents();
  const unsigned work = blockIdx.x * static_cast<unsigned>(G::products) + static_cast<unsigned>(slot);
  if (work >= args.work) return;  // uniform over the threads of a tile
  const std::int64_t batch = work / args.tiles;
  const unsigned index = work % args.tiles;
  const std::int64_t row0 = std::int64_t{index / args.across} * G::bm,
                     col0 = std::int64_t{index % args.across} * G::bn;
  T* const shared = reinterpret_cast<T*>(shared_bytes) + slot * G::own;
  A a(g.A + batch * args.stride_a, g.lda, row0, g.m, args.unit_a);
  B b(g.B + batch * args.stride_b, g.ldb, col0, g.n, args.unit_b);
  pdl_wait();

  // Copies k-step `step` into its stage. Past the last k-step the group is empty, so that async_wait counts the same
  // everywhere.
  const int steps = static_cast<int>((g.k + G::bk - 1) / G::bk);
  const auto depth_of = [&](int step) {
    return static_cast<int>(min(g.k - std::int64_t{step} * G::bk, std::int64_t{G::bk}));
  };
  const auto fetch = [&](int stage, int step) {
    if (step < steps) {
      T* const to = shared + stage * G::stage;
      a.fetch(to, depth_of(step), thread);
      b.fetch(to + G::bm * (G::bk + 1), depth_of(step), thread);
    }
    async_commit();
  };
#pragma unroll 1
  for (int step = 0; step < G::stages - 1; ++step) fetch(step, step);

  // Multiplies a k-step of which `depth` is in the matrix. A team takes every so many-th chunk of k; the teams of one warp
  // go on together, since past `depth` there are zeros. At an `edge` sub-tiles that are outside of C are left out.
  constexpr bool whole = G::team % 32 == 0;
  constexpr int down_subs = G::tm / chunk, across_subs = G::tn / chunk, sub_m = chunk * lanes_m,
                sub_n = chunk * lanes_n;
  T acc[G::tm][G::tn] = {};
  const auto multiply = [&]<bool edge>(const T* nowA, const T* nowB, int depth) {
#pragma unroll 1
    for (int k = whole ? team * chunk : 0; k < depth; k += G::teams * chunk) {
      const int own = whole ? k : k + team * chunk;
      T rA[down_subs][chunk][chunk], rB[chunk][chunk];
#pragma unroll
      for (int i = 0; i < down_subs; ++i) A::read(rA[i], nowA, row + i * sub_m, own);
#pragma unroll
      for (int j = 0; j < across_subs; ++j) {
        if (edge && j * sub_n >= b.inside) break;
        if constexpr (!edge && !k_major_a && k_major_b && across_subs > 2) {
          if (j == 2) __syncwarp();  // so that ptxas does not read all of B before, for which there are no registers
        }
        B::read(rB, nowB, col + j * sub_n, own);
#pragma unroll
        for (int i = 0; i < down_subs; ++i) {
          if (edge && i * sub_m >= a.inside) break;
          outer_products(acc, i * chunk, j * chunk, rA[i], rB);
        }
      }
    }
  };
  constexpr bool trims = down_subs > 1 || across_subs > 1;
  const bool edge = trims && (a.inside <= (down_subs - 1) * sub_m || b.inside <= (across_subs - 1) * sub_n);
  int stage = 0, free = G::stages - 1;  // the stage being multiplied, and the one to fill next
  const auto after = [&](int s) { return s + 1 == G::stages ? 0 : s + 1; };
  for (int step = 0; step < steps; ++step, stage = after(stage), free = after(free)) {
    async_wait<G::stages - 2>();
    sync();  // the copies of all threads have arrived, and all are done with the stage that is filled next
    fetch(free, step + G::stages - 1);
    const T* const nowA = shared + stage * G::stage;
    const T* const nowB = nowA + G::bm * (G::bk + 1);
    if (edge) {
      multiply.template operator()<true>(nowA, nowB, depth_of(step));
    } else {
      multiply.template operator()<false>(nowA, nowB, depth_of(step));
    }
  }

  // The sums of each team go to shared memory, so that neighbours are stored by neighbours, however C is aligned.
  constexpr int ld = G::sum_ld;
  sync();  // all have read the last step
  T* const sums = shared + (team * G::bm + row) * ld + col;
#pragma unroll
  for (int i = 0; i < G::tm; ++i) {
#pragma unroll
    for (int j = 0; j < G::tn; j += chunk)
      store16(sums + (i / chunk * chunk * lanes_m + i % chunk) * ld + j * lanes_n, &acc[i][j]);
  }
  sync();

  if (args.epilogue.any) {
#pragma unroll 1
    for (int i = thread; i < G::bm * G::bn; i += crew) {
      const int r = i / G::bn, c = i % G::bn;
      if (r >= a.inside || c >= b.inside) continue;
      T one[1];
      sum_of_teams<T, tile>(one, shared + r * ld + c);
      const std::int64_t at = batch * args.stride_c + (row0 + r) * g.ldc + col0 + c;
      finish<T>(args.epilogue, g.C, {at, batch, row0 + r, col0 + c}, one, g.alpha, g.beta);
    }
    return;
  }
  T* const C = g.C + batch * args.stride_c + row0 * g.ldc + col0;
  if (args.vector_c) {
    store<T, tile, chunk>(g, C, shared, a.inside, b.inside, thread);
  } else {
    store<T, tile, 1>(g, C, shared, a.inside, b.inside, thread);
  }
}

template <class T> Status launch_typed(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    constexpr Tile t = Geometry<T, i>::t;
    static_assert(t.valid());
    const Problem& p = args.problem;
    const GemmArgs<T> g(args);
    if (args.idle()) return {};
    const auto unit_of = [&](const T* matrix, std::int64_t ld, std::int64_t stride) {
      return copy_unit(sizeof(T), matrix, ld, p.batch == 1 ? 0 : stride);
    };
    const bool vector_c = unit_of(g.C, g.ldc, p.stride_c) == t.chunk();
    const Epilogue epilogue = epilogue_of(args, vector_c);
    const bool k_major_a = g.op_a == Op::none, k_major_b = g.op_b != Op::none;
    const auto kernel =
        k_major_a
            ? (k_major_b ? simt_25_small_products<T, i, true, true> : simt_25_small_products<T, i, true, false>)
            : (k_major_b ? simt_25_small_products<T, i, false, true> : simt_25_small_products<T, i, false, false>);
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();  // tiles of a launch
    const std::int64_t across = ceil_div(g.n, t.bn), down = ceil_div(g.m, t.bm);
    if (down > kMost / across) {
      return {Code::unsupported,
              std::to_string(down) + " x " + std::to_string(across) + " tiles are more than the rung counts"};
    }
    const std::int64_t tiles = down * across, most = kMost / tiles;
    for (std::int64_t first = 0; first < p.batch; first += most) {
      const std::int64_t work = tiles * std::min(most, p.batch - first);
      Args<T> some{.g = g,
                   .stride_a = p.stride_a,
                   .stride_b = p.stride_b,
                   .stride_c = p.stride_c,
                   .unit_a = unit_of(g.A, g.lda, p.stride_a),
                   .unit_b = unit_of(g.B, g.ldb, p.stride_b),
                   .vector_c = vector_c,
                   .across = static_cast<unsigned>(across),
                   .tiles = static_cast<unsigned>(tiles),
                   .work = static_cast<unsigned>(work),
                   .epilogue = following<T>(epilogue, first, p.stride_c)};
      if (g.k > 0) some.g.A += first * p.stride_a, some.g.B += first * p.stride_b;  // with k == 0 they may be null
      some.g.C += first * p.stride_c;
      const Grid grid{ceil_div(work, t.products)};
      if (Status s = launch_pdl(grid, t.threads(), t.shared(), stream, kernel, some); !s.ok()) return s;
    }
    return {};
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return args.problem.in == Type::f64 ? launch_typed<double>(args, tile, stream)
                                      : launch_typed<float>(args, tile, stream);
}

// Cycles, fitted to times of an H200.
namespace model {
inline constexpr double kLaunch = 2600;   // a grid
inline constexpr double kLatency = 1700;  // from a copy's issue until its k-step can be multiplied
inline constexpr double kChunk = 615;  // a team's chunk of k beyond its multiply-adds: its first loads are waited for
inline constexpr double kFinish = 25;  // from a team's last multiply-add until its stores are issued
inline constexpr double kRead = 2.4, kSum = 8.8;     // a warp's request of operands in shared memory, and of sums
inline constexpr double kCopy = 5.5, kStore = 15.3;  // a warp's copy from global memory, and its store to C
inline constexpr double kBusy = 1.55;                // issue slots that are lost, for each that is used
inline constexpr double kL2Bytes = 21;               // of an SM, where all read
}  // namespace model

Forecast forecast(const Problem& p, const Device& device, int tile) {
  using namespace model;
  const auto of = [](std::int64_t x) { return static_cast<double>(x); };
  const double size = of(size_of(p.in));
  const Tile t = kTiles[tile].of(static_cast<std::size_t>(size_of(p.in)));
  const auto unit = [&](std::int64_t ld, std::int64_t stride) {
    return copy_unit(size_of(p.in), nullptr, ld, p.batch == 1 ? 0 : stride);
  };
  const double across = of(ceil_div(p.n, t.bn)), down = of(ceil_div(p.m, t.bm)), tiles = down * across * of(p.batch);
  const double steps = of(ceil_div(p.k, t.bk)), k = of(p.k), warps = t.crew() / 32.0;
  const double chunks = std::ceil(k / (t.teams * t.chunk()));  // of k, for each team
  const double area = t.bm * t.bn, issues = size / 4;          // a multiply-add of doubles takes two slots

  // What one team waits for: the first k-step, then for copies in flight or for its own multiply-adds.
  const double chunk = t.tm * t.tn * t.chunk() * issues + kChunk, step = steps > 0 ? chunks / steps * chunk : 0;
  const double later = std::max(steps - 1, 0.0) * std::max(step, kLatency / (t.stages - 1));
  const double wait = kLatency + later + step + kFinish;

  // What an SM's multiply-adds and shared memory take, or L2.
  const auto inside = [&](std::int64_t length, int block, int lanes) {  // of the sub-tiles of all tiles, how many
    const int sub = lanes * t.chunk();
    const std::int64_t all = std::max(ceil_div(length, block), std::int64_t{1}) * (block / sub);
    return of(ceil_div(length, sub)) / of(all);
  };
  const double tm = t.tm * inside(p.m, t.bm, t.bm / t.tm), tn = t.tn * inside(p.n, t.bn, t.bn / t.tn);
  const double multiply = warps * chunks * tm * tn * t.chunk() * issues / 4;
  const double read = warps * chunks * (tm + tn) * kRead;
  const double both = kBusy * std::sqrt(std::hypot(multiply * multiply, read * read));  // their 4-norm
  const double copied = t.bm / of(unit(p.lda, p.stride_a)) + t.bn / of(unit(p.ldb, p.stride_b));
  const double sums = 2 * t.teams * area / 32 / t.chunk() * kSum;
  const double stores = area / 32 / (unit(p.ldc, p.stride_c) == t.chunk() ? t.chunk() : 1) * kStore;
  const double l2 = (of(p.m) / down + of(p.n) / across) * k * size / kL2Bytes;
  const double issue = std::max(both + copied * k / 32 * kCopy, l2) + sums + stores;

  // The busiest SM, which has a block more than others.
  const double blocks = std::ceil(tiles / t.products);
  const double busiest = std::clamp(std::ceil(blocks / device.sms) * t.products, 1.0, std::max(tiles, 1.0));
  return forecast(TeamCost{.teams = t.products,
                           .resident = t.blocks,
                           .launch = kLaunch,
                           .wait = wait,
                           .issue = issue * busiest / std::max(tiles / device.sms, 1.0)},
                  tiles, p, device);
}

Choice choose(const Query& query) {
  return shortest(query, std::size(kTiles), [&](int tile) { return forecast(query.problem, query.device, tile); });
}

extern const Rung rung = {.id = "simt/25_small_products",
                          .title = "Small products",
                          .kind = RungKind::gemm,
                          .types = types::f32_f64,
                          .layouts = layout::all,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch,
                          .batched = true,
                          .choose = choose,
                          .epilogue = true};

}  // namespace cairn::simt_25
