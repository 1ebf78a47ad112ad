// 38 · mma.sync, block order                       docs/trail/tensor_38_mma_block_order.md · cairn bench tensor/38
//
// From    tensor/37_mma_register_pipeline
// Idea    What is before and after the main loop. Blocks walk down groups of rows of tiles, so that those that run at
//         the same time find A and B in L2; and accumulators pass through shared memory, so that C is stored 16 bytes
//         at a time, in full sectors.
// Before  37 took tiles row by row, and a warp stored C in pairs of elements, 8 rows at a time.
// Limit   The tail wave: where the number of tiles is no multiple of the blocks that run at a time, SMs are idle at
//         the end. 39 distributes k-steps instead of tiles.
// Needs   f16, bf16 (C the same, or f32), tf32; row-major nn, nt, tn, tt; any m, n, k (edges masked); 16-byte
//         accesses where A, B and C allow them; sm_80.
#include <type_traits>

#include "device/async_copy.hpp"
#include "device/launch.hpp"
#include "device/ldmatrix.hpp"
#include "device/mma.hpp"
#include "device/vec.hpp"
#include "kernels/rung.hpp"

namespace cairn::tensor_38 {

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
  std::int64_t m, n, k;
  float alpha;
  const Element<In>* A;
  std::int64_t lda;
  const Element<In>* B;
  std::int64_t ldb;
  float beta;
  void* C;
  std::int64_t ldc;
  bool wide;      // C is f32, else of the type of A and B
  bool vector;    // 16-byte copies of A and B are possible,
  bool vector_c;  // 16-byte accesses of C
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
  int in_bounds;  // how many of the `mn` are in the matrix

  // Offset of an element: the swizzle moves its chunk within the row. The banks are eight groups of 16 bytes. Rows of
  // eight chunks or more begin in the same group, so each of eight rows needs its own XOR; of rows of four chunks,
  // two fill the banks and share one. Where four rows are read two chunks wide, each needs two groups.
  static __device__ __forceinline__ int at(int row, int col) {
    const int swizzle = kByWords ? row % 4 * 2 : kRowChunks >= 8 ? row % 8 : row / 2 % 4;
    return row * kCols + (col ^ swizzle * kChunk);
  }
  static __device__ __forceinline__ int row() { return static_cast<int>(threadIdx.x) / kRowChunks; }
  static __device__ __forceinline__ int col() { return static_cast<int>(threadIdx.x) % kRowChunks * kChunk; }
  __device__ __forceinline__ TileLoader(const E* matrix, std::int64_t ld_, std::int64_t first, std::int64_t end)
      : from(matrix + (k_major ? (first + row()) * ld_ + col() : row() * ld_ + first + col())),
        ld(ld_),
        in_bounds(static_cast<int>(min(end - first, std::int64_t{mn}))) {}
  __device__ __forceinline__ void advance() { from += k_major ? bk : bk * ld; }

  // A full and aligned tile. A pass covers whole periods of the swizzle, so a chunk keeps its column in all passes.
  __device__ __forceinline__ void copy(E* to) const {
    E* const first = to + at(row(), col());
    const E* chunk = from;  // advanced by additions: the compiler keeps one address, not one for each pass
#pragma unroll
    for (int i = 0; i < kRows; i += kPassRows, chunk += kPassRows * ld) async_copy<16>(first + i * kCols, chunk);
  }
  // Any tile, with `left` of k still in the matrix: zeros stand in for what is outside.
  __device__ __forceinline__ void copy_edge(E* to, int left, bool vector) const {
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

// Updates one chunk of a row of C, of which `left` elements are in the matrix.
template <class Out>
__device__ __forceinline__ void update(Out* c, const float* acc, int left, float alpha, float beta, bool vector) {
  constexpr int chunk = 16 / sizeof(Out);
  struct alignas(16) Chunk {
    Out at[chunk];
  };
  Chunk out;
  if (vector && left >= chunk) {
    if (beta != 0) out = *reinterpret_cast<const Chunk*>(c);
#pragma unroll
    for (int e = 0; e < chunk; ++e) {
      const float product = alpha * acc[e];
      out.at[e] = static_cast<Out>(beta == 0 ? product : product + beta * static_cast<float>(out.at[e]));
    }
    *reinterpret_cast<Chunk*>(c) = out;
  } else {
#pragma unroll
    for (int e = 0; e < chunk; ++e) {
      if (e >= left) continue;
      const float product = alpha * acc[e];
      c[e] = static_cast<Out>(beta == 0 ? product : product + beta * static_cast<float>(c[e]));
    }
  }
}

// Updates C by a warp's strip of 16 rows of accumulators in shared memory. Lanes go along the rows.
template <class Out, int width>
__device__ __forceinline__ void store_strip(Out* C, std::int64_t ldc, const float (*strip)[width + kPad], int rows,
                                            int cols, float alpha, float beta, bool vector, int lane) {
  constexpr int chunk = 16 / sizeof(Out), row_chunks = width / chunk, pass_rows = 32 / row_chunks;
  const int col = lane % row_chunks * chunk;
#pragma unroll
  for (int r = lane / row_chunks; r < kM; r += pass_rows) {
    if (r >= rows) break;
    float acc[chunk];
#pragma unroll
    for (int e = 0; e < chunk; e += 4) load4(&acc[e], &strip[r][col + e]);
    update(C + r * ldc + col, acc, cols - col, alpha, beta, vector);
  }
}

template <class In, int tile, bool k_major_a, bool k_major_b, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) tensor_38_mma_block_order(Args<In> g) {
  constexpr Tile t = kTiles[tile];
  using E = Element<In>;
  constexpr int bk = t.bk / sizeof(E), mma_k = 32 / sizeof(E), k_slices = bk / mma_k;
  using LoaderA = TileLoader<E, t.bm, bk, threads, k_major_a>;
  using LoaderB = TileLoader<E, t.bn, bk, threads, k_major_b>;
  extern __shared__ __align__(128) unsigned char tensor_38_shared[];
  E* const sA = reinterpret_cast<E*>(tensor_38_shared);  // (stages, bm, bk), or (…, bk, bm)
  E* const sB = sA + t.stages * LoaderA::kStage;         // (stages, bn, bk), or (…, bk, bn)

  // Position: blocks walk down groups of kGroup rows of tiles, so that concurrent blocks share A and B in L2.
  const auto tiles_m = static_cast<unsigned>((g.m + t.bm - 1) / t.bm);
  const auto tiles_n = static_cast<unsigned>((g.n + t.bn - 1) / t.bn);
  const unsigned group = blockIdx.x / (kGroup * tiles_n), in_group = blockIdx.x % (kGroup * tiles_n);
  const unsigned height = min(tiles_m - group * kGroup, unsigned{kGroup});
  const unsigned tile_m = group * kGroup + in_group % height, tile_n = in_group / height;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t row0 = std::int64_t{tile_m} * t.bm, col0 = std::int64_t{tile_n} * t.bn;
  const int row = warp / (t.bn / t.wn) * t.wm, col = warp % (t.bn / t.wn) * t.wn;

  // Copy a tile of A and one of B into a stage, with `left` of k still to come, and advance along k.
  LoaderA a(g.A, g.lda, row0, g.m);
  LoaderB b(g.B, g.ldb, col0, g.n);
  const bool full = g.vector && a.in_bounds == t.bm && b.in_bounds == t.bn;
  const auto copy = [&](int stage, std::int64_t left) {
    if (full && left >= bk) {  // uniform over the block
      a.copy(sA + stage * LoaderA::kStage);
      b.copy(sB + stage * LoaderB::kStage);
    } else {
      const int depth = static_cast<int>(min(left, std::int64_t{bk}));
      a.copy_edge(sA + stage * LoaderA::kStage, depth, g.vector);
      b.copy_edge(sB + stage * LoaderB::kStage, depth, g.vector);
    }
    a.advance();
    b.advance();
  };

  // Prologue: start copying the first tiles. Every k-step commits one group of copies, at the end an empty one, so
  // that waiting for all groups but the newest stages - 2 always covers the current k-step.
  constexpr int ahead = t.stages - 1;
#pragma unroll 1
  for (int i = 0; i < ahead; ++i) {
    if (g.k > i * bk) copy(i, g.k - i * bk);
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
  if (g.k > 0) {
    async_wait<ahead - 1>();
    __syncthreads();
    read(0, 0, 0);
  }
  for (std::int64_t left = g.k; left > 0; left -= bk) {
#pragma unroll
    for (int i = 0; i < k_slices; ++i) {
      if (i == k_slices - 1) {
        // The last k-slice reads ahead into the next tile. After the barrier the copies of all threads have arrived,
        // and all warps are done with this stage, which the next k-step refills. After the last tile the same stage
        // is read once more without need: a branch costs more.
        async_wait<ahead - 1>();
        __syncthreads();
        if (left > bk) now = now == ahead ? 0 : now + 1;
      }
      if (i == 0) {  // before read(): until then the registers that it fills are free for the copies' addresses
        if (left > ahead * bk) copy(fill, left - ahead * bk);
        async_commit();
        fill = fill == ahead ? 0 : fill + 1;
      }
      read((i + 1) % 2, now, (i + 1) % k_slices * mma_k);
      multiply(i % 2);
    }
  }

  // Epilogue: a lane has pairs of neighbours, eight rows apart. Each warp writes 16 rows to shared memory and reads
  // them back row by row. C is not read where beta is 0, since it may hold anything, NaN too.
  __syncthreads();  // the stages are free: no copy is in flight, and all warps have read the last tile
  auto* strip = reinterpret_cast<float(*)[kM][t.wn + kPad]>(tensor_38_shared)[warp];
  const int cols = b.in_bounds - col;
#pragma unroll
  for (int i = 0; i < t.wm / kM; ++i) {
    const int rows = a.in_bounds - row - i * kM;
    const std::int64_t at = (row0 + row + i * kM) * g.ldc + col0 + col;
#pragma unroll
    for (int j = 0; j < t.wn / kN; ++j) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float* to = &strip[lane / 4 + half * 8][j * kN + lane % 4 * 2];
        *reinterpret_cast<float2*>(to) = make_float2(acc[i][j][2 * half], acc[i][j][2 * half + 1]);
      }
    }
    __syncwarp();
    if (g.wide) {
      store_strip<float, t.wn>(static_cast<float*>(g.C) + at, g.ldc, strip, rows, cols, g.alpha, g.beta, g.vector_c,
                               lane);
    } else {
      store_strip<E, t.wn>(static_cast<E*>(g.C) + at, g.ldc, strip, rows, cols, g.alpha, g.beta, g.vector_c, lane);
    }
    __syncwarp();  // before the next strip overwrites this one
  }
}

template <class In, class Out> Status launch_typed(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    constexpr Tile t = kTiles[i];
    const GemmArgs<Element<In>, Out, float> g(args);
    if (g.idle()) return {};
    const Grid grid{ceil_div(g.n, t.bn) * ceil_div(g.m, t.bm)};
    const bool wide = std::is_same_v<Out, float>;
    const bool vector = rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb);
    const bool vector_c = rows_of_16_bytes(g.C, g.ldc);
    const Args<In> same{g.m, g.n, g.k, g.alpha, g.A, g.lda, g.B, g.ldb, g.beta, g.C, g.ldc, wide, vector, vector_c};
    const bool k_major_a = g.op_a == Op::none, k_major_b = g.op_b != Op::none;
    const auto kernel = k_major_a ? (k_major_b ? tensor_38_mma_block_order<In, i, true, true>
                                               : tensor_38_mma_block_order<In, i, true, false>)
                                  : (k_major_b ? tensor_38_mma_block_order<In, i, false, true>
                                               : tensor_38_mma_block_order<In, i, false, false>);
    return cairn::launch(grid, t.threads(), t.shared(), stream, kernel, same);
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  const bool wide = args.problem.out == Type::f32;
  if (args.problem.in == Type::f32) return launch_typed<Tf32, float>(args, tile, stream);
  if (args.problem.in == Type::bf16) {
    return wide ? launch_typed<__nv_bfloat16, float>(args, tile, stream)
                : launch_typed<__nv_bfloat16, __nv_bfloat16>(args, tile, stream);
  }
  return wide ? launch_typed<__half, float>(args, tile, stream) : launch_typed<__half, __half>(args, tile, stream);
}

extern const Rung rung = {.id = "tensor/38_mma_block_order",
                          .title = "mma.sync, block order",
                          .kind = RungKind::gemm,
                          .types = types::f16_bf16_tf32,
                          .layouts = layout::all,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::tensor_38
