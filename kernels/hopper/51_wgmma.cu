// 51 · wgmma                                                 docs/trail/hopper_51_wgmma.md · cairn bench hopper/51
//
// Idea    Four warps multiply as one, and read both operands from shared memory themselves: wgmma, 64 rows by up to
//         256 columns by 32 bytes of k in one instruction. There are no operands in registers any more, no ldmatrix,
//         and no layout of fragments: an operand is an address and how its lines are ordered.
// Before  mma.sync, in all of tensor/, has two thirds of the rate at best: it reads its operands from registers, and
//         they must first be brought there.
// Limit   The threads that multiply are those that copy, and they take turns: while copies are on their way the
//         tensor cores wait, unless another block of the SM has work for them. And every 16 bytes are an instruction.
//         52 leaves copying to an engine.
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

inline constexpr int kThreads = 128;         // a warpgroup
inline constexpr int kLine = 128, kBk = 64;  // of shared memory, in bytes; and so much of k
inline constexpr int kGroup = 8;             // rows of tiles that blocks walk down together

struct Tile {
  int bm, bn;
  int blocks;  // on an SM at a time, at least
  constexpr int shared() const { return (bm + bn) * kLine; }
  constexpr bool valid() const {
    return bm % 64 == 0 && bn % 64 == 0 && bn <= 256 &&             // lines along the rows are 64 elements long
           bm / 64 * (bn / 2) + 48 <= 65536 / kThreads / blocks &&  // registers
           blocks * (shared() + 1024) <= 227 * 1024;
  }
  TileName name() const { return tile_text("%dx%dx%d, %d blocks", bm, bn, kBk, blocks); }
};
inline constexpr Tile kTiles[] = {{128, 128, 2}};

template <class In> struct Args {
  std::int64_t m, n, k;
  float alpha;
  const In* A;
  std::int64_t lda;
  const In* B;
  std::int64_t ldb;
  float beta;
  void* C;
  std::int64_t ldc;
  bool wide;    // C is of f32, else of the type of A and B
  bool vector;  // 16-byte copies of A and B are possible,
};

// Copies a tile of an operand, `rows` rows of op(A) (columns of op(B)) by kBk of k, as many lines as rows. Neighbours
// along k: a line is a row. Neighbours along the rows: a line is 64 of them at one k, and 64 lines of k follow each
// other before the next 64 rows. Either way the eight 16-byte pieces of a line change places by its number, which is
// what wgmma calls the 128-byte swizzle. Zeros stand in for what is outside.
template <class In, int rows, Major major>
__device__ __forceinline__ void copy(In* to, const In* matrix, std::int64_t ld, std::int64_t row, std::int64_t k,
                                     std::int64_t rows_left, std::int64_t k_left, bool vector) {
  constexpr int piece = 16 / sizeof(In);
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < rows * 8; i += kThreads) {
    const int line = i / 8, place = i % 8 * piece;
    const int r = major == Major::k ? line : line / 64 * 64 + place, l = major == Major::k ? place : line % 64;
    const In* const from = matrix + (major == Major::k ? (row + r) * ld + k + l : (k + l) * ld + row + r);
    const std::int64_t across = major == Major::k ? k_left - l : rows_left - r;
    const bool there = major == Major::k ? r < rows_left : l < k_left;
    const int valid = there ? static_cast<int>(max(std::int64_t{0}, min(across, std::int64_t{piece}))) : 0;
    In* const target = to + line * kBk + (place ^ line % 8 * piece);
    if (vector) {
      async_copy<16>(target, from, valid * static_cast<int>(sizeof(In)));
    } else {
#pragma unroll 1
      for (int e = 0; e < piece; ++e) target[e] = e < valid ? from[e] : In(0.0F);
    }
  }
}

template <class In, int tile, Major a_major, Major b_major>
__global__ void __launch_bounds__(kThreads, kTiles[tile].blocks) hopper_51_wgmma(Args<In> g) {
  constexpr Tile t = kTiles[tile];
  extern __shared__ __align__(1024) unsigned char hopper_51_shared[];
  In* const sA = reinterpret_cast<In*>(hopper_51_shared);  // (bm, bk), or (bm / 64, bk, 64)
  In* const sB = sA + t.bm * kBk;                          // (bn, bk), or (bn / 64, bk, 64)

  // Where am I.
  const TilePosition at = tile_position<t.bm, t.bn, kGroup>(g.m, g.n, static_cast<int>(blockIdx.x));

  float acc[t.bm / 64][t.bn / 2] = {};
#pragma unroll 1
  for (std::int64_t k = 0; k < g.k; k += kBk) {
    // Load. What threads bring is not seen by wgmma before the fence.
    copy<In, t.bm, a_major>(sA, g.A, g.lda, at.row, k, at.rows, g.k - k, g.vector);
    copy<In, t.bn, b_major>(sB, g.B, g.ldb, at.col, k, at.cols, g.k - k, g.vector);
    async_wait_all();
    fence_proxy_async();
    __syncthreads();

    // Multiply: 32 bytes of k at a time, the same place in every line, or 16 lines further on.
    const MatrixDescriptor a = matrix_descriptor(sA, Swizzle::b128, 8 * kLine, kBk * kLine);
    const MatrixDescriptor b = matrix_descriptor(sB, Swizzle::b128, 8 * kLine, kBk * kLine);
    wgmma_fence();
#pragma unroll
    for (int kk = 0; kk < kBk; kk += 16) {
      const int ka = a_major == Major::k ? kk * 2 : kk * kLine, kb = b_major == Major::k ? kk * 2 : kk * kLine;
#pragma unroll
      for (int i = 0; i < t.bm / 64; ++i)
        wgmma<In, t.bn, a_major, b_major>(acc[i], a.at(i * 64 * kLine + ka), b.at(kb), true);
    }
    wgmma_commit();
    wgmma_wait<0>();
    __syncthreads();
  }

  // Store. The tiles' memory is free: all have multiplied.
  AccumulatorStrip& strip = reinterpret_cast<AccumulatorStrip*>(hopper_51_shared)[threadIdx.x / 32];
#pragma unroll
  for (int i = 0; i < t.bm / 64; ++i)
    store_accumulators<In, t.bn>(g.C, (at.row + i * 64) * g.ldc + at.col, g.ldc, at.rows - i * 64, at.cols, acc[i],
                                 g.alpha, g.beta, g.wide, strip);
}

template <class In> Status launch_typed(const RungArgs& args, int tile, Stream stream) {
  const GemmArgs<In, void, float> g(args);
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    constexpr Tile t = kTiles[i];
    if (g.idle()) return {};
    const bool wide = args.problem.out == Type::f32;
    const bool vector = rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb);
    const Args<In> same{g.m, g.n, g.k, g.alpha, g.A, g.lda, g.B, g.ldb, g.beta, g.C, g.ldc, wide, vector};
    const Grid grid{ceil_div(g.m, t.bm) * ceil_div(g.n, t.bn)};
    return with_majors(g.op_a, g.op_b, [&]<Major a, Major b>() {
      return cairn::launch(grid, kThreads, t.shared(), stream, hopper_51_wgmma<In, i, a, b>, same);
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
