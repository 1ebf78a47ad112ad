// 51 · wgmma                                                 docs/trail/hopper_51_wgmma.md · cairn bench hopper/51
//
// From    -
// Idea    Four warps, a warpgroup, multiply with one instruction that reads both operands from shared memory: wgmma,
//         64 rows by up to 256 columns by 32 bytes of k. Operands need no registers, no ldmatrix and no fragment
//         layout: an operand is a matrix descriptor, an address and the layout of its rows.
// Before  mma.sync, in all of tensor/, reaches two thirds of the rate at best: its operands must be loaded into
//         registers first.
// Limit   The same threads copy and multiply, one after the other: the tensor cores idle while copies are in flight,
//         unless another block of the SM has work for them. Every 16 bytes take a copy instruction. 52 copies by TMA.
// Needs   f16, bf16 (C the same, or f32); row-major nn, nt, tn, tt; any m, n, k (edges masked); 16-byte copies where
//         A and B allow them; sm_90a.
#include "device/accumulators.hpp"
#include "device/async_copy.hpp"
#include "device/block_order.hpp"
#include "device/launch.hpp"
#include "device/matrix_map.hpp"
#include "device/tma.hpp"
#include "device/vec.hpp"
#include "device/wgmma.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper_51 {

inline constexpr int kThreads = 128;   // one warpgroup
inline constexpr int kRowBytes = 128;  // a row of a swizzled tile in shared memory
inline constexpr int kBk = 64;         // a k-step: as many elements as a row holds
inline constexpr int kGroup = 8;       // rows of tiles in a group of the block order

struct Tile {
  int bm, bn;
  int blocks;  // resident on an SM, at least
  constexpr int stage_bytes() const { return (bm + bn) * kRowBytes; }
  constexpr int shared() const { return stage_bytes(); }
  constexpr bool valid() const {
    return bm % 64 == 0 && bn % 64 == 0 && bn <= 256 &&             // wgmma shapes
           bm / 64 * (bn / 2) + 48 <= 65536 / kThreads / blocks &&  // registers
           blocks * (shared() + 1024) <= 227 * 1024;
  }
  TileName name() const { return tile_text("%dx%dx%d, %d blocks", bm, bn, kBk, blocks); }
};
inline constexpr Tile kTiles[] = {{128, 128, 2}};

template <class In> struct Args {
  std::int64_t m, n, k;
  const In* A;
  std::int64_t lda;
  const In* B;
  std::int64_t ldb;
  float alpha, beta;
  void* C;
  std::int64_t ldc;
  bool wide;    // C is f32, else of the type of A and B
  bool vector;  // A and B allow 16-byte copies
};

// Copies a tile of an operand, `rows` rows of op(A) (columns of op(B)) by kBk of k, into `rows` swizzled rows of 128
// bytes. K-major: a tile row is a row of the operand. MN-major: a tile row is 64 rows of the operand at one k, and 64
// tile rows, one for each k, precede the next 64 rows of the operand. Chunk c of tile row r is stored as chunk
// c ^ r % 8, the 128-byte swizzle of wgmma. Elements outside of the operand are zeros.
template <class In, int rows, Major major>
__device__ __forceinline__ void copy(unsigned char* to, const In* matrix, std::int64_t ld, std::int64_t row,
                                     std::int64_t k, std::int64_t rows_left, std::int64_t k_left, bool vector) {
  constexpr int chunk = 16 / sizeof(In);  // elements
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < rows * 8; i += kThreads) {
    const int tile_row = i / 8, tile_col = i % 8 * chunk;
    const int r = major == Major::k ? tile_row : tile_row / 64 * 64 + tile_col,
              kk = major == Major::k ? tile_col : tile_row % 64;
    const In* const from = matrix + (major == Major::k ? (row + r) * ld + k + kk : (k + kk) * ld + row + r);
    const std::int64_t left = major == Major::k ? k_left - kk : rows_left - r;
    const bool inside = major == Major::k ? r < rows_left : kk < k_left;
    const int valid = inside ? static_cast<int>(max(std::int64_t{0}, min(left, std::int64_t{chunk}))) : 0;
    In* const target = reinterpret_cast<In*>(to) + tile_row * kBk + (tile_col ^ tile_row % 8 * chunk);
    if (vector) {
      async_copy<16>(target, from, valid * static_cast<int>(sizeof(In)));
    } else {
#pragma unroll 1
      for (int e = 0; e < chunk; ++e) target[e] = e < valid ? from[e] : In(0.0F);
    }
  }
}

// A tile's rows are swizzled in groups of 8; MN-major, each 64 rows of the operand are kBk rows of the tile.
__device__ __forceinline__ MatrixDescriptor descriptor(const unsigned char* tile) {
  return matrix_descriptor(tile, Swizzle::b128, 8 * kRowBytes, kBk * kRowBytes);
}

template <class In, int tile, Major a_major, Major b_major>
__global__ void __launch_bounds__(kThreads, kTiles[tile].blocks) hopper_51_wgmma(Args<In> g) {
  constexpr Tile t = kTiles[tile];
  constexpr int wgmmas = t.bm / 64;  // of 64 rows, for the warpgroup
  extern __shared__ __align__(1024) unsigned char hopper_51_shared[];
  unsigned char* const sA = hopper_51_shared;       // (bm, bk), or (bm / 64, bk, 64)
  unsigned char* const sB = sA + t.bm * kRowBytes;  // (bn, bk), or (bn / 64, bk, 64)
  AccumulatorStrip* const strips =
      reinterpret_cast<AccumulatorStrip*>(hopper_51_shared);  // for the epilogue, one for each warp

  const TilePosition at = tile_position<t.bm, t.bn, kGroup>(g.m, g.n, static_cast<int>(blockIdx.x));

  float acc[wgmmas][t.bn / 2] = {};
#pragma unroll 1
  for (std::int64_t k = 0; k < g.k; k += kBk) {
    // The proxy fence makes the copies visible to wgmma.
    copy<In, t.bm, a_major>(sA, g.A, g.lda, at.row, k, at.rows, g.k - k, g.vector);
    copy<In, t.bn, b_major>(sB, g.B, g.ldb, at.col, k, at.cols, g.k - k, g.vector);
    async_wait_all();
    fence_proxy_async();
    __syncthreads();

    // A wgmma takes 16 of k: K-major these are 32 bytes of every row, MN-major 16 rows.
    const MatrixDescriptor a = descriptor(sA);
    const MatrixDescriptor b = descriptor(sB);
    wgmma_fence();
#pragma unroll
    for (int kk = 0; kk < kBk; kk += 16) {
      const int ka = a_major == Major::k ? kk * 2 : kk * kRowBytes,
                kb = b_major == Major::k ? kk * 2 : kk * kRowBytes;
#pragma unroll
      for (int i = 0; i < wgmmas; ++i)
        wgmma<In, t.bn, a_major, b_major>(acc[i], a.at(i * 64 * kRowBytes + ka), b.at(kb), true);
    }
    wgmma_commit();
    wgmma_wait<0>();
    __syncthreads();
  }

  // Epilogue. The last barrier has freed the tiles' memory for the strips.
#pragma unroll
  for (int i = 0; i < wgmmas; ++i) {
    const int row = i * 64;
    store_accumulators<In, t.bn>(g.C, (at.row + row) * g.ldc + at.col, g.ldc, at.rows - row, at.cols, acc[i], g.alpha,
                                 g.beta, g.wide, strips[threadIdx.x / 32]);
  }
}

template <class In> Status launch_typed(const RungArgs& args, int tile, Stream stream) {
  const GemmArgs<In, void, float> g(args);
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    constexpr int bm = kTiles[i].bm, bn = kTiles[i].bn, shared = kTiles[i].shared();
    if (g.idle()) return {};
    return with_majors(g.op_a, g.op_b, [&]<Major a, Major b>() -> Status {
      const bool wide = args.problem.out == Type::f32;
      const bool vector = rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb);
      const Args<In> kernel_args{g.m, g.n, g.k, g.A, g.lda, g.B, g.ldb, g.alpha, g.beta, g.C, g.ldc, wide, vector};
      const Grid grid{ceil_div(g.m, bm) * ceil_div(g.n, bn)};
      const auto kernel = hopper_51_wgmma<In, i, a, b>;
      return cairn::launch(grid, kThreads, shared, stream, kernel, kernel_args);
    });
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return args.problem.in == Type::f16 ? launch_typed<__half>(args, tile, stream)
                                      : launch_typed<__nv_bfloat16>(args, tile, stream);
}

extern const Rung rung = {.id = "hopper/51_wgmma",
                          .title = "wgmma",
                          .kind = RungKind::gemm,
                          .types = types::f16_bf16,
                          .layouts = layout::all,
                          .arch = 90,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch,
                          .only_arch = true};

}  // namespace cairn::hopper_51
