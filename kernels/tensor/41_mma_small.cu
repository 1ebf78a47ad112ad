// 41 · mma.sync, small products                        docs/trail/tensor_41_mma_small.md · cairn bench tensor/41
//
// From    tensor/39_mma_stream_k
// Idea    For products that are small, odd or many, nothing is prepared: no ring of stages, no copies of 16 bytes that
//         every row must be aligned for, no one launch for each product of a batch. Small tiles go through registers
//         into shared memory, element by element if need be, and an SM holds so many blocks that some of them always
//         load. The smallest tile takes one warp, so a block computes four products.
// Before  39 has one tile of 128 x 128, copies misaligned rows so slowly that it loses to everything, and launches a
//         batch product by product.
// Limit   Large products: a tile of 64 x 64 reads each operand from L2 too often.
// Needs   f16, bf16 (C the same, or f32), tf32; row-major nn, nt, tn, tt; any m, n, k, leading dimension, alignment
//         and batch; 16-byte accesses where A, B or C allow them; sm_80.
#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

#include "device/any_tile.hpp"
#include "device/launch.hpp"
#include "device/mma.hpp"
#include "device/pdl.hpp"
#include "device/strip.hpp"
#include "kernels/parts/shortest.hpp"
#include "kernels/parts/team_cost.hpp"
#include "kernels/rung.hpp"

namespace cairn::tensor_41 {

inline constexpr int kM = 16, kN = 8, kWords = 8;  // shape of one mma; its k is 32 bytes, 8 words
inline constexpr int kDepth = 32;                  // of k, in a step
inline constexpr int kPad = 8;                     // words after each row of sums in shared memory

struct Tile {
  int bm, bn;                                                   // of C, which a team of warps computes
  int down, across;                                             // warps of a team
  int teams;                                                    // of a block
  int resident;                                                 // blocks on an SM
  constexpr int threads() const { return 32 * down * across; }  // of a team
  constexpr int wm() const { return bm / down; }
  constexpr int wn() const { return bn / across; }
  constexpr bool valid() const {
    return wm() % kM == 0 && wn() % kN == 0 && (teams == 1 || threads() == 32) && bm <= threads() &&
           bn <= threads() &&
           bm * (bn + kPad) * 4 <= 2 * (bm + bn) * (kDepth * 2 + 16);  // the sums fit where the operands were
  }
  TileName name() const { return tile_text("%dx%d, %d a block", bm, bn, teams); }
};
inline constexpr Tile kTiles[] = {
    {64, 64, 2, 2, 1, 4}, {32, 32, 2, 2, 1, 8}, {16, 16, 1, 1, 4, 6}, {64, 16, 4, 1, 1, 8}, {16, 64, 1, 4, 1, 8}};

// A tile as the kernel is compiled for it.
template <int tile> struct Geometry {
  static constexpr Tile t = kTiles[tile];
  static constexpr int bm = t.bm, bn = t.bn, across = t.across, threads = t.threads(), teams = t.teams;
  static constexpr int wm = t.wm(), wn = t.wn(), down_mmas = wm / kM, across_mmas = wn / kN;
};

struct Args {
  std::int64_t m, n, k;
  float alpha, beta;
  AnyOperand a, b;
  void* C;
  std::int64_t ldc, stride_c;
  bool f32;                      // C is f32, else of the type of A and B
  int unit_c;                    // elements of C that are accessed at once: 16 bytes, 4, or one
  unsigned across, tiles, work;  // tiles in a row of them, of a product, of the batch
};

template <class Out, int bm, int bn, int threads>
__device__ __forceinline__ void store(Out* C, std::int64_t ldc, const float* sums, int rows, int cols, const Args& g,
                                      int thread) {
  constexpr int chunk = 16 / sizeof(Out), pair = 4 / sizeof(Out), stride = bn + kPad;
  if (g.unit_c == chunk) {
#pragma unroll 1
    for (int i = thread; i < bm * (bn / chunk); i += threads) {
      const int row = i / (bn / chunk), col = i % (bn / chunk) * chunk;
      if (row < rows) update<Out>(C + row * ldc + col, sums + row * stride + col, cols - col, g.alpha, g.beta, true);
    }
    return;
  }
  if constexpr (pair > 1) {
    if (g.unit_c == pair) {
#pragma unroll 1
      for (int i = thread; i < bm * (bn / pair); i += threads) {
        const int row = i / (bn / pair), col = i % (bn / pair) * pair;
        if (row < rows) update_pair<Out>(C + row * ldc + col, sums + row * stride + col, cols - col, g.alpha, g.beta);
      }
      return;
    }
  }
#pragma unroll 1
  for (int i = thread; i < bm * bn; i += threads) {
    const int row = i / bn, col = i % bn;
    if (row < rows && col < cols) update_one(C + row * ldc + col, sums[row * stride + col], g.alpha, g.beta);
  }
}

template <class In, int tile, int unit>
__global__ void __launch_bounds__(kTiles[tile].teams* Geometry<tile>::threads, kTiles[tile].resident)
    tensor_41_mma_small(const __grid_constant__ Args g) {
  using G = Geometry<tile>;
  constexpr int bm = G::bm, bn = G::bn, threads = G::threads, teams = G::teams;
  using E = StoredElement<In>;
  using LoaderA = AnyTileLoader<In, unit, bm, kDepth, threads>;
  using LoaderB = AnyTileLoader<In, unit, bn, kDepth, threads>;
  constexpr int kRow = LoaderA::kRow, row_words = kRow * sizeof(E) / 4;
  __shared__ __align__(16) E shared[teams][2][(bm + bn) * kRow];  // two steps, A above B
  const auto sync = [] {
    if constexpr (teams == 1) __syncthreads();
    if constexpr (teams > 1) __syncwarp();
  };
  const int team = static_cast<int>(threadIdx.x) / threads, thread = static_cast<int>(threadIdx.x) % threads;
  const int warp = thread / 32, lane = thread % 32;
  const int down = warp / G::across * G::wm, right = warp % G::across * G::wn;
  pdl_launch_dependents();
  const unsigned work = blockIdx.x * static_cast<unsigned>(teams) + static_cast<unsigned>(team);
  if (work >= g.work) return;  // uniform over the team
  const std::int64_t batch = work / g.tiles;
  const unsigned at = work % g.tiles;
  const std::int64_t row = std::int64_t{at / g.across} * bm, col = std::int64_t{at % g.across} * bn;
  const int rows = static_cast<int>(min(g.m - row, std::int64_t{bm}));
  const int cols = static_cast<int>(min(g.n - col, std::int64_t{bn}));
  pdl_wait();

  LoaderA a(g.a, batch, row, rows, thread);
  LoaderB b(g.b, batch, col, cols, thread);
  const auto read = [&](std::int64_t k) {
    const int depth = static_cast<int>(min(g.k - k, std::int64_t{kDepth}));
    a.read(depth);
    b.read(depth);
  };
  float acc[G::down_mmas][G::across_mmas][4] = {};
  if (g.k > 0) read(0);
  int now = 0;
  for (std::int64_t k = 0; k < g.k; k += kDepth, now ^= 1) {
    // One barrier a step: a warp writes into the other half while the slowest still multiplies this one.
    E* const sA = shared[team][now];
    E* const sB = sA + bm * kRow;
    a.write(sA);
    b.write(sB);
    sync();
    if (k + kDepth < g.k) read(k + kDepth);
    const auto* wordsA = reinterpret_cast<const std::uint32_t*>(sA) + (down + lane / 4) * row_words + lane % 4;
    const auto* wordsB = reinterpret_cast<const std::uint32_t*>(sB) + (right + lane / 4) * row_words + lane % 4;
#pragma unroll
    for (int w = 0; w < kDepth * static_cast<int>(sizeof(E)) / 4; w += kWords) {
      std::uint32_t rA[G::down_mmas][4], rB[G::across_mmas][2];
#pragma unroll
      for (int i = 0; i < G::down_mmas; ++i) {
#pragma unroll
        for (int e = 0; e < 4; ++e) rA[i][e] = wordsA[(i * kM + e % 2 * 8) * row_words + w + e / 2 * 4];
      }
#pragma unroll
      for (int j = 0; j < G::across_mmas; ++j) {
#pragma unroll
        for (int e = 0; e < 2; ++e) rB[j][e] = wordsB[j * kN * row_words + w + e * 4];
      }
#pragma unroll
      for (int i = 0; i < G::down_mmas; ++i) {
#pragma unroll
        for (int j = 0; j < G::across_mmas; ++j) mma<In>(acc[i][j], rA[i], rB[j]);
      }
    }
  }

  // Epilogue: by way of shared memory, so that neighbours are stored by neighbours, however C is aligned.
  sync();  // all warps have read the last step
  auto* const sums = reinterpret_cast<float*>(shared[team][0]);
#pragma unroll
  for (int i = 0; i < G::down_mmas; ++i) {
#pragma unroll
    for (int j = 0; j < G::across_mmas; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float* to = sums + (down + i * kM + lane / 4 + half * 8) * (bn + kPad) + right + j * kN + lane % 4 * 2;
        *reinterpret_cast<float2*>(to) = make_float2(acc[i][j][2 * half], acc[i][j][2 * half + 1]);
      }
    }
  }
  sync();
  const std::int64_t first = batch * g.stride_c + row * g.ldc + col;
  if (g.f32) {
    store<float, bm, bn, threads>(static_cast<float*>(g.C) + first, g.ldc, sums, rows, cols, g, thread);
  } else {
    store<E, bm, bn, threads>(static_cast<E*>(g.C) + first, g.ldc, sums, rows, cols, g, thread);
  }
}

// Whether all lines of a matrix, of every product, begin at multiples of so many bytes.
bool begin_aligned(const void* matrix, Type type, std::int64_t ld, std::int64_t stride, std::int64_t batch,
                   int bytes) {
  const auto whole = [&](std::int64_t elements) { return elements * size_of(type) % bytes == 0; };
  const bool begins = reinterpret_cast<std::uintptr_t>(matrix) % static_cast<std::uintptr_t>(bytes) == 0;
  return begins && whole(ld) && (batch == 1 || whole(stride));
}
int unit_of_c(const Problem& p, const void* C) {
  for (const int bytes : {16, 4}) {
    if (begin_aligned(C, p.out, p.ldc, p.stride_c, p.batch, bytes)) return bytes / static_cast<int>(size_of(p.out));
  }
  return 1;
}
// A or B: `rows` of op(A), or columns of op(B), by `k`.
AnyOperand operand_of(const Problem& p, const void* base, bool k_major, std::int64_t rows, std::int64_t k,
                      std::int64_t ld, std::int64_t stride) {
  const auto aligned = [&](int bytes) {
    return (k_major ? k : rows) * size_of(p.in) % bytes == 0 && begin_aligned(base, p.in, ld, stride, p.batch, bytes);
  };
  return {base, ld, stride, k_major, aligned(16), aligned(4)};
}
AnyOperand operand_a(const Problem& p, const void* base, std::int64_t k) {
  return operand_of(p, base, p.op_a == Op::none, p.m, k, p.lda, p.stride_a);
}
AnyOperand operand_b(const Problem& p, const void* base, std::int64_t k) {
  return operand_of(p, base, p.op_b != Op::none, p.n, k, p.ldb, p.stride_b);
}

// The elements that are loaded at once where 16 bytes cannot be: both operands have the same.
int unit_of(const AnyOperand& a, const AnyOperand& b, Type type) {
  const bool words = a.even && b.even && !(a.wide && b.wide);
  return size_of(type) == 2 && words ? 2 : 1;
}

template <class In> Status launch_typed(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    constexpr Tile t = kTiles[i];
    if (args.idle()) return {};
    const Problem& p = args.problem;
    const std::int64_t across = ceil_div(p.n, t.bn), tiles = ceil_div(p.m, t.bm) * across;
    if (tiles * p.batch > std::numeric_limits<std::int32_t>::max()) {
      return {Code::unsupported, std::to_string(tiles * p.batch) + " tiles are more than the rung counts"};
    }
    const Grid grid{ceil_div(tiles * p.batch, t.teams)};
    const Args g{.m = p.m,
                 .n = p.n,
                 .k = args.depth(),
                 .alpha = args.depth() > 0 ? static_cast<float>(args.alpha) : 0.0f,
                 .beta = static_cast<float>(args.beta),
                 .a = operand_a(p, args.A, args.depth()),
                 .b = operand_b(p, args.B, args.depth()),
                 .C = args.C,
                 .ldc = p.ldc,
                 .stride_c = p.stride_c,
                 .f32 = p.out == Type::f32,
                 .unit_c = unit_of_c(p, args.C),
                 .across = static_cast<unsigned>(across),
                 .tiles = static_cast<unsigned>(tiles),
                 .work = static_cast<unsigned>(tiles * p.batch)};
    const auto kernel = [&] {
      if constexpr (sizeof(StoredElement<In>) == 2) {
        if (unit_of(g.a, g.b, p.in) == 2) return tensor_41_mma_small<In, i, 2>;
      }
      return tensor_41_mma_small<In, i, 1>;
    }();
    return launch_pdl(grid, t.teams * t.threads(), 0, stream, kernel, g);
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  if (args.problem.in == Type::f32) return launch_typed<Tf32>(args, tile, stream);
  if (args.problem.in == Type::bf16) return launch_typed<__nv_bfloat16>(args, tile, stream);
  return launch_typed<__half>(args, tile, stream);
}

// Cycles, fitted to every tile on shapes drawn by lot, odd and batched (results/h200/tiles_fitted_*.json).
namespace model {
inline constexpr double kLaunch = 3300;          // a grid
inline constexpr double kStep = 1610;            // a step of a team, which waits for its loads
inline constexpr double kUnit = 3.8;             // a warp's load and its store to shared memory,
inline constexpr double kConflict = 0.34;        // and for each lane that has to wait for a bank
inline constexpr double kMma = 13.8;             // an mma, and the loads of its operands
inline constexpr double kStore = 7.2, kSum = 7;  // a warp's store to C, and 32 sums by way of shared memory
}  // namespace model

Forecast forecast(const Problem& p, const Device& device, int tile) {
  using namespace model;
  const Tile& t = kTiles[tile];
  const auto of = [](std::int64_t x) { return static_cast<double>(x); };
  const double size = of(size_of(p.in)), chunk = 16 / size, steps = std::max(of(ceil_div(p.k, kDepth)), 1.0);
  const AnyOperand a = operand_a(p, nullptr, p.k), b = operand_b(p, nullptr, p.k);
  const int unit = unit_of(a, b, p.in);
  // Neighbours along m or n go to the same few banks: four at a time, or eight where a thread has several of them.
  const auto load = [&](const AnyOperand& o, int rows) {
    return rows * (kUnit / (o.wide ? chunk : unit) + (o.k_major ? 0 : kConflict * (o.wide || unit > 1 ? 8 : 4)));
  };
  const double loads = load(a, t.bm) + load(b, t.bn);
  const double area = t.bm * t.bn, mmas = area * kDepth * size / 2 / (kM * kN * 16);
  const double finish = area / 32 * (kStore / unit_of_c(p, nullptr) + kSum);
  return forecast(TeamCost{.teams = t.teams,
                           .resident = t.resident,
                           .launch = kLaunch,
                           .wait = steps * kStep,
                           .issue = finish + steps * (loads + kMma * mmas)},
                  of(ceil_div(p.m, t.bm)) * of(ceil_div(p.n, t.bn)) * of(p.batch), p, device);
}

Choice choose(const Query& query) {
  return shortest(query, std::size(kTiles), [&](int tile) { return forecast(query.problem, query.device, tile); });
}

extern const Rung rung = {.id = "tensor/41_mma_small",
                          .title = "mma.sync, small products",
                          .kind = RungKind::gemm,
                          .types = types::f16_bf16_tf32,
                          .layouts = layout::all,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch,
                          .batched = true,
                          .choose = choose};

}  // namespace cairn::tensor_41
