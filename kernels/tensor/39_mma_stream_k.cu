// 39 · mma.sync, stream-K                          docs/trail/tensor_39_mma_stream_k.md · cairn bench tensor/39
//
// From    tensor/38_mma_block_order
// Idea    Where the tail wave is too small for all SMs, its tiles are split: their k-steps, laid end to end, are
//         divided evenly among the blocks. A block's partial sums go to scratch memory, and a second kernel adds
//         those of each tile, always in the same order: the same bits every time (device/stream_k.hpp).
// Before  38 had one block for each tile: SMs were idle in the tail wave, and most of them all the time where C is
//         small and k is long.
// Limit   Shared memory, which both copies and operands pass through; Hopper's tensor cores read operands from it
//         directly. And the fix-up: each block's partial sums are written and read, and there is a second kernel.
// Needs   f16, bf16 (C the same, or f32), tf32; row-major nn, nt, tn, tt; any m, n, k (edges masked); 16-byte
//         accesses where A, B and C allow them; groups of rows; scratch memory, or no tile is split; sm_80.
#include <type_traits>

#include "device/async_copy.hpp"
#include "device/epilogue.hpp"
#include "device/fixup.hpp"
#include "device/launch.hpp"
#include "device/ldmatrix.hpp"
#include "device/mma.hpp"
#include "device/pdl.hpp"
#include "device/stream_k.hpp"
#include "device/strip.hpp"
#include "kernels/parts/block_cost.hpp"
#include "kernels/rung.hpp"

namespace cairn::tensor_39 {

inline constexpr int kM = 16, kN = 8;  // shape of one mma; its k is 32 bytes
inline constexpr int kGroup = 8;       // rows of tiles in a group that blocks walk down
inline constexpr int kPad = 8;         // words after each row of accumulators in shared memory

// The type in which an operand's elements are stored.
template <class In> struct Stored { using Element = In; };
template <> struct Stored<Tf32> { using Element = float; };
template <class In> using Element = typename Stored<In>::Element;

struct Tile {
  int bm, bn, bk;  // bk: bytes of k
  int wm, wn;      // warp tile
  int stages;
  int blocks;  // occupancy: blocks an SM must be able to hold
  constexpr int threads() const { return bm / wm * (bn / wn) * 32; }
  constexpr int shared() const { return stages * (bm + bn) * bk; }
  // All threads copy in every pass, and a pass covers whole periods of the swizzle, `period` rows each.
  constexpr bool copies(int rows, int chunks, int period) const {
    return threads() % (period * chunks) == 0 && rows * chunks % threads() == 0;
  }
  constexpr bool loads(int mn) const {  // k-major, or MN-major with elements of 2 or 4 bytes
    return copies(mn, bk / 16, 8) && copies(bk / 2, mn / 8, 8) && copies(bk / 4, mn / 4, 4);
  }
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && wm % 64 == 0 && wn % 64 == 0 &&  // full periods of the swizzle
           bk % 64 == 0 && loads(bm) && loads(bn) &&                        // k-slices come in pairs
           stages >= 2 && shared() <= 227 * 1024 &&              // shared memory of a block on the largest GPUs,
           threads() / 32 * kM * (wn + kPad) * 4 <= shared() &&  // in which the strips fit at the end,
           blocks * (shared() + 1024) <= 227 * 1024 &&           // and of an SM
           blocks * threads() * (wm * wn / 32 + wm / 2 + wn / 2) <= 65536;  // registers
  }
  TileName name() const { return tile_text("%dx%dx%d B %dx%d, %d stages by %d", bm, bn, bk, wm, wn, stages, blocks); }
};
inline constexpr Tile kTiles[] = {{128, 128, 128, 64, 64, 3, 2}};

// The kernel's arguments. The type of C matters only in the epilogue, so it is a flag and not a template argument.
template <class In> struct Args {
  std::int64_t m, n, k, lda, ldb, ldc, stride_b;
  const Element<In>*A, *B;
  void* C;
  float alpha, beta;
  bool wide, vector;  // C is f32, else of the type of A and B; 16-byte copies of A and B are possible
  StreamK stream_k;
  float* partials;  // two tiles for each range of k-steps: the tile it begins in, and the tile it ends in
  Epilogue epilogue;
  Groups groups;
};

// Copies tiles of one operand into shared memory: `mn` rows of op(A) or columns of op(B), by `bk` of k. A tile keeps
// the layout of the matrix: kRows rows of kCols elements, neighbours along k (k-major) or along m or n (MN-major).
template <class E, int mn, int bk, int threads, bool k_major> struct TileLoader {
  static constexpr int kChunk = 16 / sizeof(E);
  static constexpr int kRows = k_major ? mn : bk, kCols = k_major ? bk : mn;
  static constexpr int kStage = kRows * kCols;
  static constexpr int kRowChunks = kCols / kChunk, kPassRows = threads / kRowChunks;
  // ldmatrix cannot transpose words of 4 bytes: a warp loads them singly, eight neighbours of each of four rows.
  static constexpr bool kByWords = sizeof(E) == 4 && !k_major;
  const E* from;  // this thread's first chunk of the next tile
  std::int64_t ld;

  // Offset of an element: the swizzle moves its chunk within the row. The banks are eight groups of 16 bytes. Rows of
  // eight chunks or more begin in the same group, so each of eight rows needs its own XOR; of rows of four chunks,
  // two fill the banks and share one. Where four rows are read two chunks wide, each needs two groups.
  static __device__ __forceinline__ int at(int row, int col) {
    const int swizzle = kByWords ? row % 4 * 2 : kRowChunks >= 8 ? row % 8 : row / 2 % 4;
    return row * kCols + (col ^ swizzle * kChunk);
  }
  static __device__ __forceinline__ int row() { return static_cast<int>(threadIdx.x) / kRowChunks; }
  static __device__ __forceinline__ int col() { return static_cast<int>(threadIdx.x) % kRowChunks * kChunk; }
  __device__ __forceinline__ TileLoader(const E* matrix, std::int64_t ld_, std::int64_t first)
      : from(matrix + (k_major ? (first + row()) * ld_ + col() : row() * ld_ + first + col())), ld(ld_) {}
  __device__ __forceinline__ void advance(std::int64_t tiles) { from += tiles * (k_major ? bk : bk * ld); }

  // A full and aligned tile. A pass covers whole periods of the swizzle, so a chunk keeps its column in all passes.
  __device__ __forceinline__ void copy(E* to) {
    E* const first = to + at(row(), col());
    const E* chunk = from;  // advanced by additions: the compiler keeps one address, not one for each pass
#pragma unroll
    for (int i = 0; i < kRows; i += kPassRows, chunk += kPassRows * ld) async_copy<16>(first + i * kCols, chunk);
    from = k_major ? from + bk : chunk;
  }
  // Any tile, with `left` of k still in the matrix: zeros stand in for what is outside.
  __device__ __forceinline__ void copy_edge(E* to, int in_bounds, int left, bool vector) {
    const int rows = k_major ? in_bounds : left, cols = k_major ? left : in_bounds;
    if (vector) {
#pragma unroll 1
      for (int i = 0; i < kRows; i += kPassRows)
        async_copy<16>(to + at(row() + i, col()), from + i * ld,
                       row() + i < rows ? static_cast<int>(sizeof(E)) * max(0, min(cols - col(), kChunk)) : 0);
    } else {
      // cp.async cannot copy 2 bytes, so elements go through registers. The barrier before a stage is read covers
      // these stores too.
      const E* const tile = from - row() * ld - col();
#pragma unroll 1
      for (int e = static_cast<int>(threadIdx.x); e < kRows * kCols; e += threads) {
        const int i = e / kCols, j = e % kCols;
        to[at(i, j)] = i < rows && j < cols ? tile[i * ld + j] : E(0.0F);
      }
    }
    advance(1);
  }
};

template <class In> __device__ __forceinline__ std::uint32_t rounded(std::uint32_t x) {
  if constexpr (std::is_same_v<In, Tf32>) return __float_as_uint(to_tf32(__uint_as_float(x)));
  return x;
}

// Operands of mma from a tile. The offset of a lane's first element is computed once (lane_offset); the others differ
// from it by an XOR within the row, which leaves the swizzle alone, or by whole periods of the swizzle in rows.
//
// 16 rows of A by 32 bytes of k: lane 8 i + r gives the address of row r of matrix i. The four matrices are the upper
// and lower eight rows of the first half of k, then of the second.
template <class LoaderA, bool k_major> __device__ __forceinline__ int lane_offset_a(int row, int lane) {
  if constexpr (k_major) return LoaderA::at(row + lane % 16, lane / 16 * LoaderA::kChunk);
  if constexpr (LoaderA::kByWords) return LoaderA::at(lane % 4, row + lane / 4);
  return LoaderA::at(lane % 8 + lane / 16 * 8, row + lane / 8 % 2 * 8);
}
template <class LoaderA, bool k_major, class E>
__device__ __forceinline__ void load_a(std::uint32_t (&to)[4], const E* tile, int offset, int row, int kk) {
  if constexpr (k_major) {
    load_matrices(to, tile + (offset ^ kk) + row * LoaderA::kCols);
  } else if constexpr (LoaderA::kByWords) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      to[i] = __float_as_uint(tile[(offset ^ (row + i % 2 * 8)) + (kk + i / 2 * 4) * LoaderA::kCols]);
  } else {
    load_transposed(to, tile + (offset ^ row) + kk * LoaderA::kCols);
  }
}
// 32 bytes of k by 16 columns of B, for two mma: both halves of k of columns 0-7, then of columns 8-15.
template <class LoaderB, bool k_major> __device__ __forceinline__ int lane_offset_b(int col, int lane) {
  if constexpr (k_major) return LoaderB::at(col + lane % 8 + lane / 16 * 8, lane / 8 % 2 * LoaderB::kChunk);
  if constexpr (LoaderB::kByWords) return LoaderB::at(lane % 4, col + lane / 4);
  return LoaderB::at(lane % 16, col + lane / 16 * 8);
}
template <class LoaderB, bool k_major, class E>
__device__ __forceinline__ void load_b(std::uint32_t (&to)[4], const E* tile, int offset, int col, int kk) {
  if constexpr (k_major) {
    load_matrices(to, tile + (offset ^ kk) + col * LoaderB::kCols);
  } else if constexpr (LoaderB::kByWords) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      to[i] = __float_as_uint(tile[(offset ^ (col + i / 2 * 8)) + (kk + i % 2 * 4) * LoaderB::kCols]);
  } else {
    load_transposed(to, tile + (offset ^ col) + kk * LoaderB::kCols);
  }
}

// Finishes n neighbours of C, of which `left` are in the matrix. A batch is a launch for each product.
template <int n, class In>
__device__ __forceinline__ void finish_some(const Args<In>& g, int group, std::int64_t row, std::int64_t col,
                                            const float* sums, int left) {
  const Place at{row * g.ldc + col, group, row, col};
  if (g.wide) return finish_neighbours<float, n>(g.epilogue, g.C, at, left, sums, g.alpha, g.beta);
  finish_neighbours<Element<In>, n>(g.epilogue, g.C, at, left, sums, g.alpha, g.beta);
}

template <class In, int tile, bool k_major_a, bool k_major_b, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) tensor_39_mma_stream_k(Args<In> g) {
  constexpr Tile t = kTiles[tile];
  using E = Element<In>;
  constexpr int bk = t.bk / sizeof(E), mma_k = 32 / sizeof(E), k_slices = bk / mma_k;
  using LoaderA = TileLoader<E, t.bm, bk, threads, k_major_a>;
  using LoaderB = TileLoader<E, t.bn, bk, threads, k_major_b>;
  extern __shared__ __align__(128) unsigned char tensor_39_shared[];
  E* const sA = reinterpret_cast<E*>(tensor_39_shared);  // (stages, bm, bk), or (…, bk, bm)
  E* const sB = sA + t.stages * LoaderA::kStage;         // (stages, bn, bk), or (…, bk, bn)

  // Position: the block's tile and k-steps, computed by one thread. They stay in shared memory to save registers.
  __shared__ Job job;
  if (threadIdx.x == 0) job = job_of<t.bm, t.bn, kGroup>(g.groups, g.stream_k, g.m, g.n, blockIdx.x);
  pdl_launch_dependents();  // the fix-up kernel is scheduled early, and waits
  __syncthreads();
  if (job.slot < 0) return;  // uniform over the block
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int row = warp / (t.bn / t.wn) * t.wm, col = warp % (t.bn / t.wn) * t.wn;

  // Copy a tile of A and one of B into a stage, with `left` k-steps still to come, and advance along k.
  LoaderA a(g.A, g.lda, job.row);
  LoaderB b(g.B + job.group * g.stride_b, g.ldb, job.col);
  a.advance(job.begin), b.advance(job.begin);
  const bool full = g.vector && job.rows == t.bm && job.cols == t.bn;
  const bool full_to_end = full && std::int64_t{job.end} * bk <= g.k;
  const auto copy = [&](int stage, int left) {
    if (left > 1 ? full : full_to_end) {  // uniform over the block
      a.copy(sA + stage * LoaderA::kStage);
      b.copy(sB + stage * LoaderB::kStage);
    } else {
      const int depth = static_cast<int>(min(g.k - std::int64_t{job.end - left} * bk, std::int64_t{bk}));
      a.copy_edge(sA + stage * LoaderA::kStage, job.rows, depth, g.vector);
      b.copy_edge(sB + stage * LoaderB::kStage, job.cols, depth, g.vector);
    }
  };

  // Prologue: start copying the first tiles. Every k-step commits one group of copies, at the end an empty one, so
  // that waiting for all groups but the newest stages - 2 always covers the current k-step.
  constexpr int ahead = t.stages - 1;
  int left = job.end - job.begin;
#pragma unroll 1
  for (int i = 0; i < ahead; ++i) {
    if (left > i) copy(i, left - i);
    async_commit();
  }

  // Register pipeline: read the operands of the next k-slice into one half of the registers, and multiply the other.
  float acc[t.wm / kM][t.wn / kN][4] = {};
  std::uint32_t rA[2][t.wm / kM][4], rB[2][t.wn / kN][2];
  const int offsetA = lane_offset_a<LoaderA, k_major_a>(row, lane);
  const int offsetB = lane_offset_b<LoaderB, k_major_b>(col, lane);
  const auto read = [&](int half, int stage, int kk) {
    const E *tileA = sA + stage * LoaderA::kStage, *tileB = sB + stage * LoaderB::kStage;
#pragma unroll
    for (int j = 0; j < t.wn / kN; j += 2) {
      std::uint32_t two[4];
      load_b<LoaderB, k_major_b>(two, tileB, offsetB, j * kN, kk);
      rB[half][j][0] = two[0], rB[half][j][1] = two[1], rB[half][j + 1][0] = two[2], rB[half][j + 1][1] = two[3];
    }
#pragma unroll
    for (int i = 0; i < t.wm / kM; ++i) load_a<LoaderA, k_major_a>(rA[half][i], tileA, offsetA, i * kM, kk);
  };
  const auto multiply = [&](int half) {
  // Rounded here: in read() the words have not arrived yet, and rounding would wait for them.
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

  int now = 0, fill = ahead;  // the stage being multiplied, and the next to be filled
  if (left > 0) {
    async_wait<ahead - 1>();
    __syncthreads();
    read(0, 0, 0);
  }
  for (; left > 0; --left) {
#pragma unroll
    for (int i = 0; i < k_slices; ++i) {
      if (i == k_slices - 1) {
        // The last k-slice reads ahead into the next tile. After the barrier the copies of all threads have arrived,
        // and all warps are done with this stage, which the next k-step refills. After the last tile the same stage
        // is read once more without need: a branch costs more.
        async_wait<ahead - 1>();
        __syncthreads();
        if (left > 1) now = now == ahead ? 0 : now + 1;
      }
      if (i == 0) {  // before read(): until then the registers that it fills are free for the copies' addresses
        if (left > ahead) copy(fill, left - ahead);
        async_commit();
        fill = fill == ahead ? 0 : fill + 1;
      }
      read((i + 1) % 2, now, (i + 1) % k_slices * mma_k);
      multiply(i % 2);
    }
  }

  // Epilogue: a lane has pairs of neighbours, eight rows apart. Each warp writes 16 rows to shared memory and reads
  // them back row by row. C is not read where beta is 0, since it may hold anything, NaN too. Of a split tile the
  // partial sums go to scratch memory instead, in rows of bn.
  __syncthreads();  // the stages are free: no copy is in flight, and all warps have read the last tile
  auto* strip = reinterpret_cast<float(*)[kM][t.wn + kPad]>(tensor_39_shared)[warp];
  const bool split = job.end - job.begin < g.stream_k.steps;
  float* const partials = g.partials + job.slot * (t.bm * t.bn) + col;
  const int cols = job.cols - col;
#pragma unroll
  for (int i = 0; i < t.wm / kM; ++i) {
    const int down = row + i * kM, rows = min(job.rows - down, kM);
#pragma unroll
    for (int j = 0; j < t.wn / kN; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float* to = &strip[lane / 4 + half * 8][j * kN + lane % 4 * 2];
        *reinterpret_cast<float2*>(to) = make_float2(acc[i][j][2 * half], acc[i][j][2 * half + 1]);
      }
    }
    __syncwarp();
    if (split) {
      store_strip<float, t.wn>(partials + down * t.bn, t.bn, strip, rows, t.wn, 1, 0, true, lane);
    } else {
#pragma unroll 1
      for (int e = lane * LoaderA::kChunk; e < rows * t.wn; e += 32 * LoaderA::kChunk) {
        const int r = e / t.wn, c = e % t.wn;
        finish_some<LoaderA::kChunk>(g, job.group, job.row + down + r, job.col + col + c, &strip[r][c], cols - c);
      }
    }
    __syncwarp();  // before the next strip overwrites this one
  }
}

// Fix-up: adds the partial sums of the split tiles and updates C.
template <class In, int tile> __global__ void __launch_bounds__(kFixupThreads) tensor_39_fixup(Args<In> g) {
  constexpr Tile t = kTiles[tile];
  __shared__ __align__(16) float shared[kFixupShared<float>];
  const int split = static_cast<int>(blockIdx.y), col = fixup_col<float>();
  const TilePosition at = tile_position<t.bm, t.bn, kGroup>(g.m, g.n, g.stream_k.whole + split);
  pdl_wait();
  const float* const sums = add_partials(shared, t.bn, g.stream_k, g.partials, t.bm * t.bn, split, at.rows);
  if (sums != nullptr) finish_some<4>(g, 0, at.row + fixup_row(), at.col + col, sums + col, at.cols - col);
}

template <class In, class Out> Status launch_typed(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    constexpr Tile t = kTiles[i];
    const GemmArgs<Element<In>, Out, float> g(args);
    if (args.idle()) return {};
    const Problem& p = args.problem;
    const std::int64_t tiles = tiles_down(p, t.bm) * ceil_div(g.n, t.bn), bytes = g.k * size_of(p.in);
    const bool chosen = args.choice != nullptr && g.k > 0 && !p.is_grouped();
    const StreamK stream_k = chosen ? args.choice->kept<StreamK>() : whole_tiles(tiles, ceil_div(bytes, t.bk));
    constexpr bool wide = std::is_same_v<Out, float>;
    const bool vector = rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb) && groups_of_16_bytes(p);
    const Epilogue epilogue = epilogue_of(args, rows_of_16_bytes(g.C, g.ldc));
    auto* const partials = reinterpret_cast<float*>(args.scratch.data());
    const Args<In> same{g.m, g.n,     g.k,    g.lda, g.ldb,  g.ldc,    p.stride_b, g.A,      g.B,
                        g.C, g.alpha, g.beta, wide,  vector, stream_k, partials,   epilogue, groups_of(args)};
    const bool k_major_a = g.op_a == Op::none, k_major_b = g.op_b != Op::none;
    const auto kernel =
        k_major_a
            ? (k_major_b ? tensor_39_mma_stream_k<In, i, true, true> : tensor_39_mma_stream_k<In, i, true, false>)
            : (k_major_b ? tensor_39_mma_stream_k<In, i, false, true> : tensor_39_mma_stream_k<In, i, false, false>);
    const Status s = cairn::launch({stream_k.grid()}, t.threads(), t.shared(), stream, kernel, same);
    if (!s.ok() || stream_k.split == 0) return s;
    const dim3 block = fixup_block(stream_k, t.bm, t.bn * sizeof(float), args.sms);
    return launch_pdl({ceil_div(t.bm, block.z), stream_k.split}, block, 0, stream, tensor_39_fixup<In, i>, same);
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  const auto typed = [&]<class In>() {
    return args.problem.out == Type::f32 ? launch_typed<In, float>(args, tile, stream)
                                         : launch_typed<In, Element<In>>(args, tile, stream);
  };
  if (args.problem.in == Type::f32) return typed.template operator()<Tf32>();
  if (args.problem.in == Type::bf16) return typed.template operator()<__nv_bfloat16>();
  return typed.template operator()<__half>();
}

// The cost of the one tile, with rates measured on an H200. Rows that are not aligned are copied element by element,
// which takes longer than everything else.
Choice choose(const Query& query) {
  const Problem& p = query.problem;
  const Tile& t = kTiles[0];
  const bool vector = query.aligned && p.lda * size_of(p.in) % 16 == 0 && p.ldb * size_of(p.in) % 16 == 0;
  const double rate = !vector ? 20 : p.in == Type::f32 ? 405 : 890;
  const BlockCost cost{t.bm, t.bn, rate, vector ? 0.45 : 1, 0.25, 5500, /*turn=*/0, 6000, t.blocks};
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
                          .choose = choose,
                          .grouped = true,
                          .epilogue = true};

}  // namespace cairn::tensor_39
