// 52 · TMA                                                       docs/trail/hopper_52_tma.md · cairn bench hopper/52
//
// Idea    One thread asks for a whole tile, and an engine copies it: the addresses, the order of the pieces, zeros at
//         the edges, all of it is in a description of the matrix that the host makes once (a tensor map). A barrier
//         in shared memory counts the bytes and lets the block go on when the tile is there.
// Before  In 51 128 threads spent an instruction and an address on every 16 bytes, and registers on both.
// Limit   There is still one stage: the copy waits for the product, and the product for the copy. 53 gives copying to
//         a warp of its own, which runs ahead.
// Needs   f16, bf16 (C the same, or f32); row-major nn, nt, tn, tt; any m, n, k; A and B and their rows begin at
//         multiples of 16 bytes, as TMA demands; sm_90a.
#include "device/accumulators.hpp"
#include "device/block_order.hpp"
#include "device/launch.hpp"
#include "device/matrix_map.hpp"
#include "device/tma.hpp"
#include "device/wgmma.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper_52 {

inline constexpr int kThreads = 128;         // a warpgroup
inline constexpr int kLine = 128, kBk = 64;  // of shared memory, in bytes; and so much of k
inline constexpr int kGroup = 8;             // rows of tiles that blocks walk down together

struct Tile {
  int bm, bn;
  int blocks;  // on an SM at a time, at least
  constexpr int stage() const { return (bm + bn) * kLine; }
  constexpr int shared() const { return stage() + static_cast<int>(sizeof(Mbarrier)); }
  constexpr bool valid() const {
    return bm % 64 == 0 && bn % 64 == 0 && bm <= 256 && bn <= 256 &&  // boxes; lines along the rows have 64 elements
           bm / 64 * (bn / 2) + 48 <= 65536 / kThreads / blocks &&    // registers
           blocks * (shared() + 1024) <= 227 * 1024;
  }
  TileName name() const { return tile_text("%dx%dx%d, %d blocks", bm, bn, kBk, blocks); }
};
inline constexpr Tile kTiles[] = {{128, 128, 2}};

struct Args {
  std::int64_t m, n, k;
  float alpha, beta;
  void* C;
  std::int64_t ldc;
  bool wide;  // C is of f32, else of the type of A and B
};

// Asks for a tile of an operand, `rows` rows of op(A) (columns of op(B)) by kBk of k. Neighbours along k: a line is a
// row, and the tile is one box. Neighbours along the rows: a line is 64 of them, and so is a box wide.
template <int rows, Major major>
__device__ __forceinline__ void load(unsigned char* to, const TensorMap& map, std::int64_t row, std::int64_t k,
                                     Mbarrier* arrived) {
  const int r = static_cast<int>(row), l = static_cast<int>(k);
  if constexpr (major == Major::k) {
    tma_load(to, map, {l, r}, arrived);
  } else {
#pragma unroll
    for (int i = 0; i < rows; i += 64) tma_load(to + i * kLine, map, {r + i, l}, arrived);
  }
}

template <class In, int tile, Major a_major, Major b_major>
__global__ void __launch_bounds__(kThreads, kTiles[tile].blocks)
    hopper_52_tma(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, Args g) {
  constexpr Tile t = kTiles[tile];
  constexpr int bytes = (t.bm + t.bn) * kLine;  // of a stage
  extern __shared__ __align__(1024) unsigned char hopper_52_shared[];
  unsigned char* const sA = hopper_52_shared;   // (bm, bk), or (bm / 64, bk, 64)
  unsigned char* const sB = sA + t.bm * kLine;  // (bn, bk), or (bn / 64, bk, 64)
  Mbarrier* const arrived = reinterpret_cast<Mbarrier*>(hopper_52_shared + bytes);

  // Where am I.
  const TilePosition at = tile_position<t.bm, t.bn, kGroup>(g.m, g.n, static_cast<int>(blockIdx.x));

  if (threadIdx.x == 0) {
    mbarrier_init(arrived, 1);
    fence_mbarrier_init();
  }
  __syncthreads();

  float acc[t.bm / 64][t.bn / 2] = {};
  unsigned phase = 0;
#pragma unroll 1
  for (std::int64_t k = 0; k < g.k; k += kBk, phase ^= 1) {
    // Load: one thread asks, all wait.
    if (threadIdx.x == 0) {
      mbarrier_arrive_expect_tx(arrived, bytes);
      load<t.bm, a_major>(sA, A, at.row, k, arrived);
      load<t.bn, b_major>(sB, B, at.col, k, arrived);
    }
    mbarrier_wait(arrived, phase);

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
  AccumulatorStrip& strip = reinterpret_cast<AccumulatorStrip*>(hopper_52_shared)[threadIdx.x / 32];
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
    return with_majors(g.op_a, g.op_b, [&]<Major a, Major b>() -> Status {
      TensorMap A{}, B{};
      const Type in = args.problem.in;
      if (Status s = operand_map(A, g.A, in, a, g.m, g.k, g.lda, t.bm); !s.ok()) return s;
      if (Status s = operand_map(B, g.B, in, b, g.n, g.k, g.ldb, t.bn); !s.ok()) return s;
      const bool wide = args.problem.out == Type::f32;
      const Args same{g.m, g.n, g.k, g.alpha, g.beta, g.C, g.ldc, wide};
      const Grid grid{ceil_div(g.m, t.bm) * ceil_div(g.n, t.bn)};
      return cairn::launch(grid, kThreads, t.shared(), stream, hopper_52_tma<In, i, a, b>, A, B, same);
    });
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return args.problem.in == Type::f16 ? launch_typed<__half>(args, tile, stream)
                                      : launch_typed<__nv_bfloat16>(args, tile, stream);
}

extern const Rung rung = {.id = "hopper/52_tma",
                          .title = "TMA",
                          .kind = RungKind::gemm,
                          .types = types::f16_bf16,
                          .layouts = layout::all,
                          .arch = 90,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch,
                          .only_arch = true,
                          .row_alignment = 16,
                          .pointer_alignment = 16};

}  // namespace cairn::hopper_52
