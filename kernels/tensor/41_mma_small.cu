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
#include <type_traits>

#include "device/launch.hpp"
#include "device/mma.hpp"
#include "device/pdl.hpp"
#include "device/strip.hpp"
#include "kernels/rung.hpp"

namespace cairn::tensor_41 {

inline constexpr int kThreads = 128;
inline constexpr int kM = 16, kN = 8, kWords = 8;  // shape of one mma; its k is 32 bytes, 8 words
inline constexpr int kDepth = 32;                  // of k, in a step
inline constexpr int kPad = 8;                     // words after each row of sums in shared memory

// The type in which an operand's elements are stored.
template <class In> struct Stored { using Element = In; };
template <> struct Stored<Tf32> { using Element = float; };
template <class In> using Element = typename Stored<In>::Element;

struct Tile {
  int bm, bn;                                                   // of C, which a team of warps computes
  int down, across;                                             // warps of a team
  int resident;                                                 // blocks that the registers of an SM must hold
  constexpr int threads() const { return 32 * down * across; }  // of a team
  constexpr int teams() const { return kThreads / threads(); }
  constexpr int wm() const { return bm / down; }
  constexpr int wn() const { return bn / across; }
  constexpr bool valid() const {
    return wm() % kM == 0 && wn() % kN == 0 && kThreads % threads() == 0 && (teams() == 1 || threads() == 32) &&
           bm <= threads() && bn <= threads() && std::min(bm, bn) % 8 == 0 &&
           bm * (bn + kPad) * 4 <= 2 * (bm + bn) * (kDepth * 2 + 16);  // the sums fit where the operands were
  }
  TileName name() const { return tile_text("%dx%d, %d a block", bm, bn, teams()); }
};
inline constexpr Tile kTiles[] = {
    {64, 64, 2, 2, 4}, {32, 32, 2, 2, 8}, {16, 16, 1, 1, 6}, {64, 16, 4, 1, 8}, {16, 64, 1, 4, 8}};

// A tile as the kernel is compiled for it.
template <int tile> struct Geometry {
  static constexpr Tile t = kTiles[tile];
  static constexpr int bm = t.bm, bn = t.bn, across = t.across, threads = t.threads(), teams = t.teams();
  static constexpr int wm = t.wm(), wn = t.wn(), down_mmas = wm / kM, across_mmas = wn / kN;
};

// A or B as stored: lines of neighbours along k (k-major) or along m or n, `ld` apart.
struct Operand {
  const void* base;
  std::int64_t ld, stride;  // stride: from a product of the batch to the next
  bool k_major;
  bool wide;  // its lines begin and end at multiples of 16 bytes
};

struct Args {
  std::int64_t m, n, k;
  float alpha, beta;
  Operand a, b;
  void* C;
  std::int64_t ldc, stride_c;
  bool f32;                      // C is f32, else of the type of A and B
  bool vector_c;                 // 16-byte accesses of C are possible
  unsigned across, tiles, work;  // tiles in a row of them, of a product, of the batch
};

// The bits of an element in a word.
template <class E> __device__ __forceinline__ std::uint32_t word_of(E x) {
  if constexpr (sizeof(E) == 4) return __float_as_uint(x);
  if constexpr (sizeof(E) == 2) return *reinterpret_cast<const std::uint16_t*>(&x);
}
template <class In> __device__ __forceinline__ std::uint32_t rounded(std::uint32_t x) {
  if constexpr (std::is_same_v<In, Tf32>) return __float_as_uint(to_tf32(__uint_as_float(x)));
  return x;
}

// Moves `rows` rows of op(A), or columns of op(B), by kDepth of k into shared memory, where neighbours are along k
// whatever the matrix has: first into registers, so that the loads are on their way while the step before is
// multiplied. A team moves units of one element or of 16 bytes.
template <class In, int rows, int threads> struct Loader {
  using E = Element<In>;
  using Bits = std::conditional_t<sizeof(E) == 4, std::uint32_t, std::uint16_t>;
  static constexpr int kChunk = 16 / sizeof(E),
                       kRow = kDepth + kChunk;  // a padded row: its neighbours are 4 banks on
  static constexpr int kSingles = rows * kDepth / threads, kChunks = (kSingles + kChunk - 1) / kChunk;
  static_assert(4 * kChunks <= kSingles);
  const E* from;  // this thread's first unit of the next step
  std::int64_t ld;
  int line, along;  // where that is in the step
  int rows_left;
  bool k_major, wide;
  std::uint32_t words[kSingles];  // an element each, or four for a chunk

  __device__ __forceinline__ Loader(const Operand& o, std::int64_t batch, std::int64_t first, int left, int thread)
      : ld(o.ld), rows_left(left), k_major(o.k_major), wide(o.wide) {
    const int each = (k_major ? kDepth : rows) / (wide ? kChunk : 1);  // units of a line
    line = thread / each, along = thread % each * (wide ? kChunk : 1);
    from = static_cast<const E*>(o.base) + batch * o.stride + first * (k_major ? ld : 1) + line * ld + along;
  }
  // Lines from one of a thread's units to the next.
  __device__ __forceinline__ int step() const {
    return (k_major ? threads / kDepth : threads / rows) * (wide ? kChunk : 1);
  }
  // Reads the next step, of which `depth` is left in the matrix, into registers: zeros where it ends.
  __device__ __forceinline__ void read(int depth) {
    const int lines = along < (k_major ? depth : rows_left) ? (k_major ? rows_left : depth) : 0;
    const std::int64_t between = step() * ld;
    const E* next = from;
    if (wide) {
#pragma unroll
      for (int i = 0; i < kChunks; ++i, next += between) {
        const uint4 four = line + i * step() < lines ? *reinterpret_cast<const uint4*>(next) : make_uint4(0, 0, 0, 0);
        words[4 * i] = four.x, words[4 * i + 1] = four.y, words[4 * i + 2] = four.z, words[4 * i + 3] = four.w;
      }
    } else {
#pragma unroll
      for (int i = 0; i < kSingles; ++i, next += between) words[i] = line + i * step() < lines ? word_of(*next) : 0;
    }
    from += k_major ? std::int64_t{kDepth} : kDepth * ld;
  }
  __device__ __forceinline__ void write(E* tile) const {
    auto* const to = reinterpret_cast<Bits*>(tile) + (k_major ? line * kRow + along : along * kRow + line);
    const int between = step() * (k_major ? kRow : 1);
    if (!wide) {
#pragma unroll
      for (int i = 0; i < kSingles; ++i) to[i * between] = static_cast<Bits>(rounded<In>(words[i]));
      return;
    }
#pragma unroll
    for (int i = 0; i < kChunks; ++i) {
      if (line + i * step() >= (k_major ? rows : kDepth)) continue;  // a team has more threads than there are chunks
      const std::uint32_t four[] = {rounded<In>(words[4 * i]), rounded<In>(words[4 * i + 1]),
                                    rounded<In>(words[4 * i + 2]), rounded<In>(words[4 * i + 3])};
      if (k_major) {
        *reinterpret_cast<uint4*>(to + i * between) = make_uint4(four[0], four[1], four[2], four[3]);
      } else {
#pragma unroll
        for (int e = 0; e < kChunk; ++e)
          to[i * between + e * kRow] = static_cast<Bits>(four[e * sizeof(E) / 4] >> e * sizeof(E) % 4 * 8);
      }
    }
  }
};

template <class Out, int bm, int bn, int threads>
__device__ __forceinline__ void store(Out* C, std::int64_t ldc, const float* sums, int rows, int cols, const Args& g,
                                      int thread) {
  constexpr int chunk = 16 / sizeof(Out), stride = bn + kPad;
  if (g.vector_c) {
#pragma unroll 1
    for (int i = thread; i < bm * (bn / chunk); i += threads) {
      const int row = i / (bn / chunk), col = i % (bn / chunk) * chunk;
      if (row < rows) update<Out>(C + row * ldc + col, sums + row * stride + col, cols - col, g.alpha, g.beta, true);
    }
  } else {
#pragma unroll 1
    for (int i = thread; i < bm * bn; i += threads) {
      const int row = i / bn, col = i % bn;
      if (row < rows && col < cols) update_one(C + row * ldc + col, sums[row * stride + col], g.alpha, g.beta);
    }
  }
}

template <class In, int tile>
__global__ void __launch_bounds__(kThreads, kTiles[tile].resident)
    tensor_41_mma_small(const __grid_constant__ Args g) {
  using G = Geometry<tile>;
  constexpr int bm = G::bm, bn = G::bn, threads = G::threads, teams = G::teams;
  using E = Element<In>;
  using LoaderA = Loader<In, bm, threads>;
  using LoaderB = Loader<In, bn, threads>;
  constexpr int kRow = LoaderA::kRow, row_words = kRow * sizeof(E) / 4;
  __shared__ __align__(16) E shared[teams][2][(bm + bn) * kRow];  // two steps, A above B
  const auto sync = [] {
    if constexpr (teams == 1) __syncthreads();
    if constexpr (teams > 1) __syncwarp();
  };

  // Position: the team's tile of its product.
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

bool lines_of_16_bytes(const void* matrix, std::int64_t ld, std::int64_t stride, Type type, std::int64_t batch) {
  return reinterpret_cast<std::uintptr_t>(matrix) % 16 == 0 && ld * size_of(type) % 16 == 0 &&
         (batch == 1 || stride * size_of(type) % 16 == 0);
}

template <class In> Status launch_typed(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    constexpr Tile t = kTiles[i];
    if (args.idle()) return {};
    const Problem& p = args.problem;
    const std::int64_t across = ceil_div(p.n, t.bn), tiles = ceil_div(p.m, t.bm) * across;
    const Grid grid{ceil_div(tiles * p.batch, t.teams())};
    const auto operand = [&](const void* base, std::int64_t rows, std::int64_t ld, std::int64_t stride,
                             bool k_major) {
      const bool whole = (k_major ? args.depth() : rows) * size_of(p.in) % 16 == 0;
      return Operand{base, ld, stride, k_major, whole && lines_of_16_bytes(base, ld, stride, p.in, p.batch)};
    };
    const Args g{.m = p.m,
                 .n = p.n,
                 .k = args.depth(),
                 .alpha = args.depth() > 0 ? static_cast<float>(args.alpha) : 0.0f,
                 .beta = static_cast<float>(args.beta),
                 .a = operand(args.A, p.m, p.lda, p.stride_a, p.op_a == Op::none),
                 .b = operand(args.B, p.n, p.ldb, p.stride_b, p.op_b != Op::none),
                 .C = args.C,
                 .ldc = p.ldc,
                 .stride_c = p.stride_c,
                 .f32 = p.out == Type::f32,
                 .vector_c = lines_of_16_bytes(args.C, p.ldc, p.stride_c, p.out, p.batch),
                 .across = static_cast<unsigned>(across),
                 .tiles = static_cast<unsigned>(tiles),
                 .work = static_cast<unsigned>(tiles * p.batch)};
    return launch_pdl(grid, kThreads, 0, stream, tensor_41_mma_small<In, i>, g);
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  if (args.problem.in == Type::f32) return launch_typed<Tf32>(args, tile, stream);
  if (args.problem.in == Type::bf16) return launch_typed<__nv_bfloat16>(args, tile, stream);
  return launch_typed<__half>(args, tile, stream);
}

// What a tile costs, in cycles of an SM: a block takes so long from its first load to its last store, longer for each
// step, and an SM works on `resident` of them at the same time, until its load and store units are busy all the time.
struct Cost {
  int resident;   // blocks on an SM
  double block;   // cycles from a block's start to its end, without its steps
  double step;    // of a block's step, while it waits for the loads
  double issue;   // of an SM's load and store units for a step of a block, with single elements
  double finish;  // the same for its epilogue
};
inline constexpr Cost kCosts[std::size(kTiles)] = {{4, 1800, 900, 160, 260},
                                                   {10, 1500, 800, 80, 90},
                                                   {10, 1500, 800, 160, 90},
                                                   {10, 1500, 800, 90, 90},
                                                   {10, 1500, 800, 90, 90}};

Forecast forecast(const Problem& p, const Device& device, int tile, bool aligned) {
  constexpr double kLaunch = 2300, kDramBytes = 18, kClock = 0.98;
  const Tile& t = kTiles[tile];
  const Cost& c = kCosts[tile];
  const auto lines = [&](std::int64_t ld) { return aligned && ld * size_of(p.in) % 16 == 0 ? 0.3 : 1.0; };
  const auto of = [](std::int64_t x) { return static_cast<double>(x); };
  const double steps = of(ceil_div(p.k, kDepth));
  const double blocks = std::ceil(of(ceil_div(p.m, t.bm)) * of(ceil_div(p.n, t.bn)) * of(p.batch) / t.teams());
  const double issue = c.issue * (lines(p.lda) * t.bm + lines(p.ldb) * t.bn) / (t.bm + t.bn);
  const double rounds = std::ceil(blocks / device.sms / c.resident), each = std::ceil(blocks / device.sms);
  const double loop = std::max(rounds * (c.block + steps * c.step), each * (c.finish + steps * issue));
  const double bytes = (of(p.m) + of(p.n)) * of(p.k) * of(p.batch) * of(size_of(p.in)) +
                       of(p.m) * of(p.n) * of(p.batch) * of(size_of(p.out));
  const double memory = bytes / (kDramBytes * device.sms), mhz = kClock * device.mhz;
  Forecast f;
  f.add("launch", kLaunch / mhz);
  f.add(loop >= memory ? "blocks" : "blocks (DRAM)", std::max(loop, memory) / mhz);
  return f;
}

Choice choose(const Query& query) {
  const auto choice = [&](int tile) {
    Choice one;
    one.tile = tile;
    one.forecast = forecast(query.problem, query.device, tile, query.aligned);
    return one;
  };
  if (query.tile != kAnyTile) return choice(query.tile);
  Choice best = choice(0);
  for (int tile = 1; tile < static_cast<int>(std::size(kTiles)); ++tile)
    if (const Choice other = choice(tile); other.forecast.us() < best.forecast.us()) best = other;
  return best;
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
