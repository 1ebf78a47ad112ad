// 42 · mma.sync, f64                                    docs/trail/tensor_42_mma_f64.md · cairn bench tensor/42
//
// From    tensor/39_mma_stream_k
// Idea    f64 on tensor cores. A fragment of f64 is one double of a lane for each four of k, so lanes load it by
//         themselves, 8 bytes each: nothing is transposed, whatever the layout. A swizzle of 32 bytes keeps four rows of
//         a tile in different banks. A warp loads all its fragments, 8 or 16 deep, and then multiplies them; it is the
//         block beside it on the SM that keeps the tensor cores busy meanwhile.
// Before  39 has no f64. Its fragments come by ldmatrix, which is made for 16 bits, and rows that are not aligned to 16
//         bytes are copied element by element.
// Limit   The rate of tensor cores: two warps share each of an SM's four units, and at times both load.
// Needs   f64; row-major nn, nt, tn, tt; any m, n, k (edges masked), strided batches; 16-byte copies of A and B where
//         they are possible, else 8-byte ones; groups of rows; scratch memory, or no tile is split; sm_80, whose
//         multiplications are 8 x 8 x 4 (device/mma_f64.hpp).
#include <limits>

#include "device/async_copy.hpp"
#include "device/epilogue.hpp"
#include "device/fixup.hpp"
#include "device/launch.hpp"
#include "device/mma_f64.hpp"
#include "device/pdl.hpp"
#include "device/stream_k.hpp"
#include "device/strip_f64.hpp"
#include "device/vec.hpp"
#include "kernels/parts/split_cost.hpp"
#include "kernels/rung.hpp"

namespace cairn::tensor_42 {

inline constexpr int kM = 16, kN = 8;  // of one mma
inline constexpr int kK = 16;          // of a k-step
inline constexpr int kGroup = 8;       // rows of tiles in a group that blocks walk down
inline constexpr int kPad = 8;         // doubles after each row of accumulators in shared memory
inline constexpr int kMost = std::numeric_limits<int>::max();
inline constexpr std::int64_t kMostTiles = 1 << 30;  // of a launch

struct Tile {
  int bm, bn;  // the block tile; a k-step is 16 deep
  int wm, wn;  // the warp tile
  int deep;    // k of one mma, 8 or 16: fragments of 8 take half the registers
  int stages;
  int blocks;  // occupancy: blocks an SM must be able to hold
  constexpr int threads() const { return bm / wm * (bn / wn) * 32; }
  constexpr int shared() const { return stages * (bm + bn) * kK * 8; }
  // All threads copy in every pass, by 16 bytes and by 8, of a k-major and of an MN-major tile.
  constexpr bool copies(int mn) const {
    return threads() % kK == 0 && threads() % mn == 0 && kK * mn / 2 % threads() == 0;
  }
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && wn % (2 * kN) == 0 && copies(bm) && copies(bn) && wm % kM == 0 &&
           (deep == 8 || deep == 16) && stages >= 2 &&
           shared() <= 99 * 1024 - 256 &&                        // shared memory of a block on the smallest GPUs,
           threads() / 32 * kM * (wn + kPad) * 8 <= shared() &&  // in which the strips fit at the end,
           blocks * (shared() + 1024) <= 227 * 1024 &&           // and of an SM of the largest
           blocks * threads() * (wm * wn / 16 + (wm + wn) * deep / 16 + 30) <= 65536;  // registers
  }
  TileName name() const {
    return tile_text("%dx%dx%d %dx%dx%d, %d stages by %d", bm, bn, kK, wm, wn, deep, stages, blocks);
  }
};
inline constexpr Tile kTiles[] = {{128, 64, 64, 32, 16, 3, 2},  // [0] is the default
                                  {64, 64, 32, 32, 8, 4, 3},
                                  {128, 16, 32, 16, 16, 4, 3},
                                  {32, 128, 32, 32, 16, 3, 2}};
inline constexpr Types kTypes[] = {{Type::f64, Type::f64}};

// The kernel's arguments.
struct Args : GemmArgs<double> {
  std::int64_t stride_a, stride_b, stride_c;
  bool vector_a, vector_b;  // 16-byte copies are possible
  int each, tiles;          // tiles of a product, and of all of the batch
  StreamK stream_k;
  double* partials;  // two tiles for each range of k-steps: the tile it begins in, and the tile it ends in
  Epilogue epilogue;
  Groups groups;
};

// Copies tiles of one operand into shared memory: `mn` rows of op(A) or columns of op(B), by kK of k. A tile keeps the
// layout of the matrix: kRows rows of kCols doubles, neighbours along k (k-major) or along m or n (MN-major).
template <int mn, int threads, bool k_major> struct TileLoader {
  static constexpr int kRows = k_major ? mn : kK, kCols = k_major ? kK : mn, kStage = kRows * kCols;
  const double* tile;  // the first element of the next tile
  std::int64_t ld;
  int inside;  // of `mn`, how many are in the matrix
  bool vector;

  // Offset of an element. Rows fill the banks a whole number of times. A half-warp reads four neighbours of each of
  // four rows at a time, 32 bytes, so that the swizzle moves groups of four doubles within a row.
  static __device__ __forceinline__ int at(int row, int col) { return row * kCols + (col ^ row % 4 * 4); }

  // Of a lane's elements of a fragment the first, where `first` is the fragment's row or column; and from there the
  // element `down` rows or columns further, a multiple of 8, and kk further along k, a multiple of 4.
  static __device__ __forceinline__ int lane_offset(int first, int lane) {
    return k_major ? at(first + lane / 4, lane % 4) : at(lane % 4, first + lane / 4);
  }
  static __device__ __forceinline__ int element(int offset, int down, int kk) {
    return k_major ? (offset ^ kk) + down * kCols : (offset ^ down % 16) + down / 16 * 16 + kk * kCols;
  }

  __device__ __forceinline__ TileLoader(const double* matrix, std::int64_t ld_, std::int64_t first, int begin,
                                        int inside_, bool vector_)
      : tile(matrix + (k_major ? first * ld_ + std::int64_t{begin} * kK : std::int64_t{begin} * kK * ld_ + first)),
        ld(ld_),
        inside(inside_),
        vector(vector_ && inside_ == mn) {}

  // A tile with `depth` of k still in the matrix; zeros stand in for what is outside.
  __device__ __forceinline__ void copy(double* to, int depth) {
    if (vector && depth >= kK) {  // uniform over the block
      copy_by<2>(to, kRows, kCols);
    } else {
      copy_by<1>(to, k_major ? inside : depth, k_major ? depth : inside);
    }
    tile += k_major ? kK : kK * ld;
  }
  // By `each` doubles, of which only the single ones look at edges.
  template <int each> __device__ __forceinline__ void copy_by(double* to, int rows, int cols) const {
    constexpr int wide = kCols / each, pass = threads / wide;
    const int row = static_cast<int>(threadIdx.x) / wide, col = static_cast<int>(threadIdx.x) % wide * each;
    const double* from = tile + row * ld + col;
#pragma unroll
    for (int i = 0; i < kRows; i += pass, from += pass * ld) {
      if constexpr (each == 2) {
        async_copy<16>(to + at(row + i, col), from);
      } else {
        async_copy<8>(to + at(row + i, col), from, row + i < rows && col < cols ? 8 : 0);
      }
    }
  }
};

// The tile of a number: products one after the other, and in each of them the block order.
template <int tile> struct Where : TilePosition {
  int batch;
  __device__ __forceinline__ Where(const Args& g, int number)
      : TilePosition(tile_position<kTiles[tile].bm, kTiles[tile].bn, kGroup>(g.m, g.n, number % g.each)),
        batch(number / g.each) {}
};
template <int tile> __device__ __forceinline__ Job work_of(const Args& g, int block) {
  if (g.groups.count > 0) return job_of<kTiles[tile].bm, kTiles[tile].bn>(g.groups, g.stream_k, g.n, block);
  // As if the tiles were the elements of a column: its row is the tile's number.
  Job job = job_of<1, 1, kMost>(g.stream_k, g.tiles, 1, block);
  const Where<tile> at(g, static_cast<int>(job.row));
  static_cast<TilePosition&>(job) = at;
  job.group = at.batch;
  return job;
}

// Finishes n neighbours of C by the epilogue.
template <int n>
__device__ __forceinline__ void finish_some(const Args& g, int batch, std::int64_t row, std::int64_t col,
                                            const double* sums) {
  double x[n];
#pragma unroll
  for (int e = 0; e < n; ++e) x[e] = sums[e];
  finish<double>(g.epilogue, g.C, {batch * g.stride_c + row * g.ldc + col, batch, row, col}, x, g.alpha, g.beta);
}

template <int tile, bool k_major_a, bool k_major_b, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) tensor_42_mma_f64(Args g) {
  constexpr Tile t = kTiles[tile];
  using LoaderA = TileLoader<t.bm, threads, k_major_a>;
  using LoaderB = TileLoader<t.bn, threads, k_major_b>;
  extern __shared__ __align__(128) unsigned char tensor_42_shared[];
  double* const sA = reinterpret_cast<double*>(tensor_42_shared);  // (stages, bm, kK), or (…, kK, bm)
  double* const sB = sA + t.stages * LoaderA::kStage;              // (stages, bn, kK), or (…, kK, bn)

  // Position: the block's tile and k-steps, computed by one thread. They stay in shared memory to save registers.
  __shared__ Job job;
  if (threadIdx.x == 0) job = work_of<tile>(g, static_cast<int>(blockIdx.x));
  pdl_launch_dependents();  // the fix-up kernel is scheduled early, and waits
  __syncthreads();
  if (job.slot < 0) return;  // uniform over the block
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int row = warp / (t.bn / t.wn) * t.wm, col = warp % (t.bn / t.wn) * t.wn;

  // Copy a tile of A and one of B into a stage, with `left` k-steps still to come, and advance along k.
  LoaderA a(g.A + job.group * g.stride_a, g.lda, job.row, job.begin, job.rows, g.vector_a);
  LoaderB b(g.B + job.group * g.stride_b, g.ldb, job.col, job.begin, job.cols, g.vector_b);
  const int last =
      static_cast<int>(min(g.k - std::int64_t{job.end - 1} * kK, std::int64_t{kK}));  // depth of that k-step
  const auto copy = [&](int stage, int left) {
    const int depth = left > 1 ? kK : last;
    a.copy(sA + stage * LoaderA::kStage, depth);
    b.copy(sB + stage * LoaderB::kStage, depth);
  };

  // Prologue: start copying the first tiles. Every k-step commits one group of copies, at the end an empty one, so
  // that waiting for all groups but the newest stages - 2 always covers the current k-step.
  constexpr int ahead = t.stages - 1, down = t.wm / kM, across = t.wn / kN;
  int left = job.end - job.begin;
#pragma unroll 1
  for (int i = 0; i < ahead; ++i) {
    if (left > i) copy(i, left - i);
    async_commit();
  }

  constexpr int deep = t.deep;
  double acc[down][across][4] = {}, rA[down][deep / 2], rB[across][deep / 4];
  const int offset_a = LoaderA::lane_offset(row, lane), offset_b = LoaderB::lane_offset(col, lane);
#pragma unroll 1
  for (int now = 0; left > 0; --left) {
    async_wait<ahead - 1>();
    __syncthreads();  // the copies of all threads have arrived, and all warps are done with the stage that is filled next
    if (left > ahead) copy(now == 0 ? ahead : now - 1, left - ahead);
    async_commit();

    // All fragments, and then all products: while one block loads, another block of the SM multiplies.
    const double *const nowA = sA + now * LoaderA::kStage, *const nowB = sB + now * LoaderB::kStage;
#pragma unroll
    for (int k = 0; k < kK; k += deep) {
#pragma unroll
      for (int j = 0; j < across; ++j) {
#pragma unroll
        for (int e = 0; e < deep / 4; ++e) rB[j][e] = nowB[LoaderB::element(offset_b, j * kN, k + e * 4)];
      }
#pragma unroll
      for (int i = 0; i < down; ++i) {
#pragma unroll
        for (int e = 0; e < deep / 2; ++e)
          rA[i][e] = nowA[LoaderA::element(offset_a, i * kM + e % 2 * 8, k + e / 2 * 4)];
      }
#pragma unroll
      for (int i = 0; i < down; ++i) {
#pragma unroll
        for (int jj = 0; jj < across; ++jj) {
          const int j = i % 2 == 0 ? jj : across - 1 - jj;
          mma(acc[i][j], rA[i], rB[j]);
        }
      }
    }

    now = now == ahead ? 0 : now + 1;
  }

  // Store: a lane has pairs of neighbours, eight rows apart. Each warp writes 16 rows to shared memory and reads them
  // back row by row. Of a split tile the partial sums go to scratch memory instead, in rows of bn.
  __syncthreads();  // the stages are free: no copy is in flight, and all warps have read the last tile
  auto* const strip = reinterpret_cast<double(*)[kM][t.wn + kPad]>(tensor_42_shared)[warp];
  const bool split = job.end - job.begin < g.stream_k.steps;
  const bool pairs = g.epilogue.vector && job.cols % 2 == 0;
  double* const partials = g.partials + job.slot * (t.bm * t.bn) + col;
  const int cols = min(job.cols - col, t.wn);
#pragma unroll
  for (int i = 0; i < down; ++i) {
    const int below = row + i * kM, rows = min(job.rows - below, kM);
#pragma unroll
    for (int j = 0; j < across; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half)
        store16(&strip[lane / 4 + half * 8][j * kN + lane % 4 * 2], &acc[i][j][2 * half]);
    }
    __syncwarp();
    if (split) {
      store_strip<2, kM, t.wn>(partials + below * t.bn, t.bn, strip, rows, t.wn, 1, 0, lane);
    } else if (g.epilogue.any) {
#pragma unroll 1
      for (int e = lane * (pairs ? 2 : 1); e < rows * t.wn; e += pairs ? 64 : 32) {
        const int r = e / t.wn, c = e % t.wn;
        if (c >= cols) continue;
        pairs ? finish_some<2>(g, job.group, job.row + below + r, job.col + col + c, &strip[r][c])
              : finish_some<1>(g, job.group, job.row + below + r, job.col + col + c, &strip[r][c]);
      }
    } else {
      double* const C = g.C + job.group * g.stride_c + (job.row + below) * g.ldc + job.col + col;
      pairs ? store_strip<2, kM, t.wn>(C, g.ldc, strip, rows, cols, g.alpha, g.beta, lane)
            : store_strip<1, kM, t.wn>(C, g.ldc, strip, rows, cols, g.alpha, g.beta, lane);
    }
    __syncwarp();  // before the next strip overwrites this one
  }
}

// Fix-up: adds the partial sums of the split tiles and updates C.
template <int tile> __global__ void __launch_bounds__(kFixupThreads) tensor_42_fixup(Args g) {
  constexpr Tile t = kTiles[tile];
  __shared__ __align__(16) double shared[kFixupShared<double>];
  const int split = static_cast<int>(blockIdx.y), col = fixup_col<double>();
  const Where<tile> at(g, g.stream_k.whole + split);
  pdl_wait();
  const double* const sums = add_partials(shared, t.bn, g.stream_k, g.partials, t.bm * t.bn, split, at.rows);
  if (sums == nullptr) return;
  const std::int64_t row = at.row + fixup_row();
  if (g.epilogue.vector && col + 1 < at.cols) {
    finish_some<2>(g, at.batch, row, at.col + col, sums + col);
  } else {
#pragma unroll 1
    for (int e = 0; e < min(at.cols - col, 2); ++e)
      finish_some<1>(g, at.batch, row, at.col + col + e, sums + col + e);
  }
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    constexpr Tile t = kTiles[i];
    const GemmArgs<double> g(args);
    if (args.idle()) return {};
    const Problem& p = args.problem;
    const bool grouped = p.is_grouped();
    const std::int64_t each = tiles_down(p, t.bm) * ceil_div(g.n, t.bn), steps = ceil_div(g.k, kK);
    const std::int64_t stride_a = grouped ? 0 : p.stride_a, stride_c = grouped ? 0 : p.stride_c;
    const bool vector_a = rows_of_16_bytes(g.A, g.lda) && stride_a % 2 == 0 && groups_of_16_bytes(p),
               vector_b = rows_of_16_bytes(g.B, g.ldb) && p.stride_b % 2 == 0;
    const Epilogue epilogue = epilogue_of(args, rows_of_16_bytes(g.C, g.ldc) && stride_c % 2 == 0);
    const StreamK chosen = args.choice != nullptr && g.k > 0 && !grouped ? args.choice->kept<StreamK>() : StreamK{};
    const Groups groups = groups_of(args);
    auto* const partials = reinterpret_cast<double*>(args.scratch.data());
    constexpr auto nn = tensor_42_mma_f64<i, true, false>, nt = tensor_42_mma_f64<i, true, true>;
    constexpr auto tn = tensor_42_mma_f64<i, false, false>, tt = tensor_42_mma_f64<i, false, true>;
    const auto kernel = g.op_a == Op::none ? (g.op_b == Op::none ? nn : nt) : (g.op_b == Op::none ? tn : tt);
    const std::int64_t most = chosen.split > 0 ? p.batch : std::max<std::int64_t>(1, kMostTiles / each);  // products
    for (std::int64_t first = 0; first < p.batch; first += most) {
      const std::int64_t tiles = std::min(most, p.batch - first) * each;
      const StreamK stream_k = chosen.split > 0 ? chosen : whole_tiles(tiles, steps);
      const Epilogue some = following<double>(epilogue, first, stride_c);
      const auto count = [](std::int64_t x) { return static_cast<int>(x); };
      Args same{g,           stride_a,     p.stride_b, stride_c, vector_a, vector_b,
                count(each), count(tiles), stream_k,   partials, some,     groups};
      if (g.k > 0) same.A += first * stride_a, same.B += first * p.stride_b;  // with k == 0 they may be null
      same.C += first * stride_c;
      if (Status s = cairn::launch({stream_k.grid()}, t.threads(), t.shared(), stream, kernel, same); !s.ok())
        return s;
      if (chosen.split == 0) continue;
      const dim3 block = fixup_block(chosen, t.bm, t.bn * sizeof(double), args.sms);
      return launch_pdl({ceil_div(t.bm, block.z), chosen.split}, block, 0, stream, tensor_42_fixup<i>, same);
    }
    return {};
  });
}

// The tile and the division of its k-steps with the shortest forecast; before sm_90 tensor cores multiply half as much in
// a cycle.
Choice choose(const Query& query) {
  struct Speed {
    double efficiency, alone;  // the part of the peak that all blocks of an SM reach, and of that, one
  };
  constexpr Speed kSpeeds[] = {{0.92, 0.65}, {0.94, 0.5}, {0.62, 0.5}, {0.8, 0.6}};  // of an H200
  static_assert(std::size(kSpeeds) == std::size(kTiles));
  const Problem& p = query.problem;
  const double peak = query.device.arch >= 90 ? 128 : 64;
  return shortest_division(query, std::size(kTiles), [&](int i) {
    const Tile& t = kTiles[i];
    const BlockCost cost{.bm = t.bm,
                         .bn = t.bn,
                         .rate = peak * kSpeeds[i].efficiency,
                         .alone = kSpeeds[i].alone,
                         .dram_alone = 0.6,
                         .epilogue = 500 + t.bm * t.bn * 0.6,
                         .fixup = 2850,
                         .resident = t.blocks};
    return divided(cost, ceil_div(p.k, kK), t.blocks, p, query.device);
  });
}

extern const Rung rung = {.id = "tensor/42_mma_f64",
                          .title = "mma.sync, f64",
                          .kind = RungKind::gemm,
                          .types = kTypes,
                          .layouts = layout::all,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch,
                          .batched = true,
                          .choose = choose,
                          .grouped = true,
                          .epilogue = true};

}  // namespace cairn::tensor_42
