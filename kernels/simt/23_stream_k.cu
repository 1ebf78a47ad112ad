// 23 · Stream-K                                       docs/trail/simt_23_stream_k.md · cairn bench simt/23
//
// From    simt/22_pipelined
// Idea    All SMs are busy to the end, and rows of any alignment are copied as fast as aligned ones. Where tiles do not
//         fill the tail wave, their k-steps, laid end to end, are divided evenly among the blocks; a second kernel adds
//         the partial sums of a tile, always in the same order (device/stream_k.hpp). And a thread copies 4, 2 or 1
//         neighbours at a time, as many as the rows of a matrix are aligned to.
// Before  22 had one block for each tile: with a C of a few tiles most SMs were idle however long k was. And it copied
//         tiles element by element in a loop with bounds checks wherever rows were not aligned to 16 bytes.
// Limit   Issue slots, as in 22. Where C is small, the fix-up: partial sums are written and read, and there is a second
//         kernel.
// Needs   f32; row-major nn, nt, tn, tt; any m, n, k (edges masked), strided batches; 16-byte stores where C allows
//         them; groups of rows; scratch memory, or no tile is split; sm_80.
#include "device/async_copy.hpp"
#include "device/epilogue.hpp"
#include "device/fixup.hpp"
#include "device/groups.hpp"
#include "device/launch.hpp"
#include "device/mn_major.hpp"
#include "device/pdl.hpp"
#include "device/scaled_sum.hpp"
#include "device/stream_k.hpp"
#include "device/strip.hpp"
#include "device/vec.hpp"
#include "kernels/parts/split_cost.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_23 {

inline constexpr int kGroup = 8;  // rows of tiles in a group of the block order, for reuse in L2
inline constexpr int kChunk = 4;  // elements of a 16-byte access
inline constexpr std::int64_t kMostTiles = std::int64_t{1} << 30;  // of a launch

struct Tile {
  int bm, bn, bk;
  int wm, wn;  // the warp tile
  int tm, tn;  // the thread tile
  int stages;
  int blocks;  // the least number of co-resident blocks
  constexpr int warps() const { return bm / wm * (bn / wn); }
  constexpr int threads() const { return warps() * 32; }
  constexpr int shared() const { return stages * bk * (bm + bn + 2 * kChunk) * 4; }
  constexpr int strip_rows() const { return wm / tm * kChunk; }  // a sub-tile of every thread of a warp
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 &&                               // full warps
           wm % tm == 0 && wn % tn == 0 && wm / tm * (wn / tn) == 32 &&  // of 32 thread tiles,
           wn % 32 == 0 &&                                               // whose rows warps store
           tm % kChunk == 0 && tn % kChunk == 0 &&                       // operands are loaded by 16 bytes
           mn_major_loads(bm, bk, threads()) && mn_major_loads(bn, bk, threads()) && bk % 2 == 0 && stages >= 2 &&
           blocks * (shared() + 1024) <= 227 * 1024 &&                // shared memory of an SM,
           warps() * strip_rows() * (wn + kChunk) * 4 <= shared() &&  // in which the strips fit at the end
           blocks * threads() * (tm * tn + 2 * (tm + tn)) <= 65536;   // registers of an SM
  }
  TileName name() const {
    return tile_text("%dx%dx%d %dx%d %dx%d by %d, %d stages", bm, bn, bk, wm, wn, tm, tn, blocks, stages);
  }
};
inline constexpr Tile kTiles[] = {
    {128, 256, 16, 64, 64, 8, 16, 4, 1},  // [0] is the default
    {128, 128, 16, 64, 64, 8, 16, 3, 2}, {64, 128, 16, 32, 64, 8, 8, 4, 2},
    {64, 64, 16, 32, 32, 4, 8, 4, 4},    {32, 256, 16, 32, 64, 8, 8, 4, 2},  // for few rows,
    {256, 32, 16, 64, 32, 8, 8, 4, 2}};                                      // or columns

struct Args {
  GemmArgs<float> g;
  std::int64_t stride_a, stride_b, stride_c;
  int products;        // of the batch
  int unit_a, unit_b;  // neighbours in a row that are copied at a time: 4, 2 or 1
  bool vector_c;       // 16-byte accesses to C are possible
  StreamK stream_k;
  float* partials;  // two tiles for each range of k-steps: the tile it begins in, and the tile it ends in
  Epilogue epilogue;
  Groups groups;
};

// The products of a batch lie one below the other, each from a row of tiles on.
template <int bm> __device__ __forceinline__ int product_of(const Args& args, TilePosition& at) {
  const auto down = static_cast<unsigned>((args.g.m + bm - 1) / bm), tile_row = static_cast<unsigned>(at.row / bm);
  const unsigned product = tile_row / down;
  at.row = std::int64_t{tile_row - product * down} * bm;
  at.rows = static_cast<int>(min(args.g.m - at.row, std::int64_t{bm}));
  return static_cast<int>(product);
}
template <int bm> __device__ __forceinline__ std::int64_t rows_of_all(const Args& args) {
  return (args.g.m + bm - 1) / bm * bm * args.products;
}

// The number of the job with which block `block` goes on after its first, or -1: its range of k-steps reaches across a
// border between tiles.
__device__ __forceinline__ int second_job(const StreamK& s, int block) {
  const int range = block - s.whole;
  if (range < 0 || range >= s.blocks) return -1;
  const int border = s.first(range) / s.steps + 1;
  return s.first(range + 1) > border * s.steps ? s.whole + s.blocks + border - 1 : -1;
}

template <int tile, bool transpose_a, bool transpose_b, bool aligned, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) simt_23_stream_k(Args args) {
  constexpr Tile t = kTiles[tile];
  using LoaderA = MnMajorLoader<t.bm, t.bk, threads, transpose_a, aligned>;
  using LoaderB = MnMajorLoader<t.bn, t.bk, threads, transpose_b, aligned>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  float* const sA = reinterpret_cast<float*>(shared_bytes);  // (stages, bk, bm)
  float* const sB = sA + t.stages * LoaderA::kStage;         // (stages, bk, bn)
  GemmArgs<float>& g = args.g;
  pdl_launch_dependents();  // the fix-up kernel is scheduled early, and waits

  // In the block's tile the warp's, and in that the first sub-tile of the thread, a chunk wide and high. Its other
  // sub-tiles are chunk * lanes_m rows further down, chunk * lanes_n columns further right.
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  constexpr int lanes_m = t.wm / t.tm, lanes_n = t.wn / t.tn;
  const int warp_row = warp / (t.bn / t.wn) * t.wm, row = warp_row + lane / lanes_n * kChunk;
  const int warp_col = warp % (t.bn / t.wn) * t.wn, col = warp_col + lane % lanes_n * kChunk;

  // Where am I: one thread computes the tile and the k-steps. They stay in shared memory to save registers. A block
  // whose range reaches into a second tile goes on with that.
  __shared__ Job job;
  for (int block = static_cast<int>(blockIdx.x); block >= 0;) {
    if (threadIdx.x == 0) {
      job = job_of<t.bm, t.bn, kGroup>(args.groups, args.stream_k, rows_of_all<t.bm>(args), g.n, block);
      if (args.groups.count == 0) job.group = product_of<t.bm>(args, job);
    }
    __syncthreads();
    if (job.slot < 0) return;  // uniform over the block

    // Copies the tiles of the next k-step, with `left` still to come, into a stage: fetch() issues the loads, put()
    // stores what is transposed.
    LoaderA a(g.A + job.group * args.stride_a, g.lda, job.row, job.rows, args.unit_a, sA);
    LoaderB b(g.B + job.group * args.stride_b, g.ldb, job.col, job.cols, args.unit_b, sB);
    a.advance(job.begin), b.advance(job.begin);
    const int last = static_cast<int>(min(g.k - std::int64_t{job.end - 1} * t.bk, std::int64_t{t.bk}));  // k-step
    const auto fetch = [&](int stage, int left) {
      if (left > 0) a.fetch(stage, left > 1 ? t.bk : last), b.fetch(stage, left > 1 ? t.bk : last);
      async_commit();  // past the last k-step an empty group, so that async_wait counts the same everywhere
    };
    const auto put = [&](int stage, int left) {
      if (left > 0) a.put(stage), b.put(stage);
      a.advance(1), b.advance(1);
    };
    int left = job.end - job.begin;
#pragma unroll 1
    for (int stage = 0; stage < t.stages - 1; ++stage) {
      if (left > stage)
        a.start(stage, left > stage + 1 ? t.bk : last), b.start(stage, left > stage + 1 ? t.bk : last);
      a.advance(1), b.advance(1);
      async_commit();
    }

    // The operands of the next kk are loaded into one half of the registers while the other half is multiplied. Rows
    // are multiplied left to right and right to left alternately, so that consecutive multiply-adds share an operand.
    float acc[t.tm][t.tn] = {}, rA[2][t.tm], rB[2][t.tn];
    const float *nowA = sA + row, *nowB = sB + col;
    const auto read = [&](int half, int kk) {
#pragma unroll
      for (int i = 0; i < t.tm; i += kChunk) load16(&rA[half][i], nowA + kk * LoaderA::kLd + i * lanes_m);
#pragma unroll
      for (int j = 0; j < t.tn; j += kChunk) load16(&rB[half][j], nowB + kk * LoaderB::kLd + j * lanes_n);
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
    if (left > 0) {
      async_wait<t.stages - 2>();
      __syncthreads();
      read(0, 0);
    }
    for (; left > 0; --left) {
      fetch(free, left - (t.stages - 1));

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
      put(free, left - (t.stages - 1));
      async_wait<t.stages - 2>();
      __syncthreads();
      if (left > 1) stage = after(stage);  // else load unused operands: a branch costs more
      free = after(free);
      nowA = sA + stage * LoaderA::kStage + row, nowB = sB + stage * LoaderB::kStage + col;
      read(0, 0);
      multiply(1);
    }

    // Store. Of a split tile the partial sums go to scratch memory, in rows of bn. With beta == 0, C is not read: it may
    // hold anything, NaN included.
    const bool split = job.end - job.begin < args.stream_k.steps;
    if (split || (args.vector_c && !args.epilogue.any && job.cols == t.bn)) {
      float* const C = split ? args.partials + job.slot * (t.bm * t.bn)
                             : g.C + job.group * args.stride_c + job.row * g.ldc + job.col;
      const std::int64_t ldc = split ? t.bn : g.ldc;
      const float alpha = split ? 1 : g.alpha, beta = split ? 0 : g.beta;
#pragma unroll
      for (int i = 0; i < t.tm; ++i) {
        const int r = row + i / kChunk * kChunk * lanes_m + i % kChunk;
        if (r >= job.rows) continue;
        float* c = C + r * ldc + col;
#pragma unroll
        for (int j = 0; j < t.tn; j += kChunk, c += kChunk * lanes_n) {
          float v[kChunk];
          if (beta != 0) load16(v, c);
#pragma unroll
          for (int e = 0; e < kChunk; ++e)
            v[e] = beta == 0 ? alpha * acc[i][j + e] : scaled_sum(alpha, acc[i][j + e], beta, v[e]);
          store16(c, v);
        }
      }
    } else {
      // Through shared memory, where a loop can index the sums: an activation is too long a function for every
      // accumulator. And where rows of C are not aligned, neighbouring lanes store neighbouring elements. Multiplied by
      // alpha here: ptxas would put sums that are stored as they are into the register banks of rB, and every
      // multiply-add of the main loop would take two cycles.
      __syncthreads();  // all warps have read the last stage
      constexpr int strip_rows = lanes_m * kChunk;
      auto* const strip = reinterpret_cast<float(*)[t.wn + kChunk]>(shared_bytes) + warp * strip_rows;
      const int width = args.epilogue.vector ? kChunk : 1;
#pragma unroll
      for (int i = 0; i < t.tm; i += kChunk) {
#pragma unroll
        for (int down = 0; down < kChunk; ++down) {
#pragma unroll
          for (int j = 0; j < t.tn; j += kChunk) {
            float v[kChunk];
#pragma unroll
            for (int e = 0; e < kChunk; ++e) v[e] = g.alpha * acc[i + down][j + e];
            store16(&strip[row - warp_row + down][col - warp_col + j * lanes_n], v);
          }
        }
        __syncwarp();
        const int first = warp_row + i * lanes_m, rows = min(job.rows - first, strip_rows);
        if (!args.epilogue.any) {
          float* c = g.C + job.group * args.stride_c + (job.row + first) * g.ldc + job.col + warp_col + lane;
#pragma unroll 4
          for (int r = 0; r < rows; ++r, c += g.ldc) {
#pragma unroll
            for (int j = 0; j < t.wn; j += 32)
              if (warp_col + lane + j < job.cols) update_one(c + j, strip[r][lane + j], 1, g.beta);
          }
        } else {
#pragma unroll 1
          for (int e = lane * width; e < rows * t.wn; e += 32 * width) {
            const std::int64_t r = job.row + first + e / t.wn, c = job.col + warp_col + e % t.wn;
            finish_neighbours<float, kChunk>(
                args.epilogue, g.C, {job.group * args.stride_c + r * g.ldc + c, job.group, r, c},
                min(job.cols - warp_col - e % t.wn, width), &strip[e / t.wn][e % t.wn], 1, g.beta);
          }
        }
        __syncwarp();  // before the next strip overwrites this one
      }
    }
    block = second_job(args.stream_k, block);
    __syncthreads();  // all are done with the job and with shared memory
  }
}

// Fix-up: adds the partial sums of the split tiles and updates C.
template <int tile> __global__ void __launch_bounds__(kFixupThreads) simt_23_fixup(Args args) {
  constexpr Tile t = kTiles[tile];
  __shared__ __align__(16) float shared[kFixupShared<float>];
  const int split = static_cast<int>(blockIdx.y), row = fixup_row();
  TilePosition at = tile_position<t.bm, t.bn, kGroup>(rows_of_all<t.bm>(args), args.g.n, args.stream_k.whole + split);
  const std::int64_t product = product_of<t.bm>(args, at);
  pdl_wait();
  const float* const sums = add_partials(shared, t.bn, args.stream_k, args.partials, t.bm * t.bn, split, at.rows);
  if (sums == nullptr) return;
  // Where rows are not aligned, neighbouring lanes take neighbouring elements of the columns that their warp has.
  constexpr int lanes = t.bn / kChunk < 32 ? t.bn / kChunk : 32;
  const int x = static_cast<int>(threadIdx.x), width = args.epilogue.vector ? kChunk : 1;
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  __syncwarp(lanes == 32 ? ~0U : ((1U << lanes) - 1) << thread % 32 / lanes * lanes);
  const int first = args.epilogue.vector ? x * kChunk : x / lanes * lanes * kChunk + x % lanes;
  const std::int64_t r = at.row + row, start = product * args.stride_c + r * args.g.ldc + at.col;
#pragma unroll 1
  for (int i = 0, col = first; i < kChunk; i += width, col += lanes) {
    const int left = min(at.cols - col, width);
    const float alpha = args.g.alpha, beta = args.g.beta;
    if (!args.epilogue.any) {
      update(args.g.C + start + col, sums + col, left, alpha, beta, width == kChunk);
    } else {
      const Place place{start + col, product, r, at.col + col};
      finish_neighbours<float, kChunk>(args.epilogue, args.g.C, place, left, sums + col, alpha, beta);
    }
  }
}

template <int tile> Status launch_tile(const RungArgs& args, Stream stream) {
  constexpr Tile t = kTiles[tile];
  const Problem& p = args.problem;
  const GemmArgs<float> g(args);
  const bool vector_c = rows_of_16_bytes(g.C, g.ldc) && p.stride_c % kChunk == 0;
  const bool transpose_a = g.op_a == Op::none, transpose_b = g.op_b != Op::none;
  const Epilogue epilogue = epilogue_of(args, vector_c);
  const std::int64_t stride_a = p.is_grouped() ? 0 : p.stride_a, stride_c = p.is_grouped() ? 0 : p.stride_c;
  const int unit_a = copy_unit(sizeof(float), g.A, g.lda, p.is_grouped() && !transpose_a ? 1 : stride_a),
            unit_b = copy_unit(sizeof(float), g.B, g.ldb, p.stride_b);
  const auto kernel_of = [&]<bool aligned>() {
    return transpose_a ? (transpose_b ? simt_23_stream_k<tile, true, true, aligned>
                                      : simt_23_stream_k<tile, true, false, aligned>)
                       : (transpose_b ? simt_23_stream_k<tile, false, true, aligned>
                                      : simt_23_stream_k<tile, false, false, aligned>);
  };
  const auto kernel =
      unit_a == 4 && unit_b == 4 ? kernel_of.template operator()<true>() : kernel_of.template operator()<false>();
  const std::int64_t tiles = tiles_down(p, t.bm) * ceil_div(g.n, t.bn),
                     at_once = std::max(kMostTiles / tiles, std::int64_t{1});
  for (std::int64_t first = 0; first < p.batch; first += at_once) {
    const std::int64_t products = std::min(at_once, p.batch - first);
    const bool chosen = args.choice != nullptr && g.k > 0 && !p.is_grouped() && products == p.batch;
    Args some{g,
              stride_a,
              p.stride_b,
              stride_c,
              static_cast<int>(products),
              unit_a,
              unit_b,
              vector_c,
              chosen ? args.choice->kept<StreamK>() : whole_tiles(tiles * products, ceil_div(g.k, t.bk)),
              reinterpret_cast<float*>(args.scratch.data()),
              following<float>(epilogue, first, stride_c),
              groups_of(args)};
    if (g.k > 0) some.g.A += first * stride_a, some.g.B += first * p.stride_b;  // with k == 0 they may be null
    some.g.C += first * stride_c;
    const StreamK& stream_k = some.stream_k;
    const Grid grid{stream_k.split == 0 ? tiles * products : std::int64_t{stream_k.whole} + stream_k.blocks};
    if (Status s = cairn::launch(grid, t.threads(), t.shared(), stream, kernel, some); !s.ok()) return s;
    if (stream_k.split == 0) continue;
    const dim3 block = fixup_block(stream_k, t.bm, t.bn * sizeof(float), args.sms);
    const Grid grid_of_rows{ceil_div(t.bm, block.z), stream_k.split};
    if (Status s = launch_pdl(grid_of_rows, block, 0, stream, simt_23_fixup<tile>, some); !s.ok()) return s;
  }
  return {};
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile,
                           [&]<int i>() -> Status { return args.idle() ? Status{} : launch_tile<i>(args, stream); });
}

// The tile and the division of its k-steps with the shortest forecast. A smaller thread tile spends more of its issue slots
// on loads, and so do copies of single elements; a block that is alone on its SM has one warp on each scheduler, and nothing
// to issue where that waits.
Choice choose(const Query& query) {
  struct Speed {
    double efficiency, alone, turn;  // multiply-adds per issue slot, relative to 1; BlockCost's alone and turn
  };
  constexpr Speed kSpeeds[] = {{1.01, 0.92, 13000}, {0.99, 0.7, 6400},  {0.875, 0.65, 4000},
                               {0.715, 0.66, 1850}, {0.73, 0.73, 4000}, {0.78, 0.66, 4000}};  // of an H200
  static_assert(std::size(kSpeeds) == std::size(kTiles));
  const Problem& p = query.problem;
  const auto copies = [](std::int64_t ld) { return ld % 4 == 0 ? 1 : ld % 2 == 0 ? 0.98 : 0.953; };
  return shortest_division(query, std::size(kTiles), [&](int i) {
    const Tile& t = kTiles[i];
    const BlockCost cost{.bm = t.bm,
                         .bn = t.bn,
                         .rate = 117 * kSpeeds[i].efficiency * copies(p.lda) * copies(p.ldb),
                         .alone = kSpeeds[i].alone,
                         .dram_alone = 0.47,
                         .epilogue = 3300,
                         .turn = kSpeeds[i].turn,
                         .fixup = 2850,
                         .resident = t.blocks};
    return divided(cost, ceil_div(p.k, t.bk), t.blocks, p, query.device);
  });
}

extern const Rung rung = {.id = "simt/23_stream_k",
                          .title = "Stream-K",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::all,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch,
                          .batched = true,
                          .choose = choose,
                          .grouped = true,
                          .epilogue = true};

}  // namespace cairn::simt_23
