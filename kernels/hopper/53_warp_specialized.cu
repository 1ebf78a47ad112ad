// 53 · Warp specialized                         docs/trail/hopper_53_warp_specialized.md · cairn bench hopper/53
//
// Idea    One warp does nothing but ask for tiles, and a warpgroup nothing but multiply. Between them is a ring of
//         stages with two barriers each: "full", which the copy engine completes, and "empty", at which the warpgroup
//         arrives when it has read a stage. The producer runs ahead as far as there are empty stages.
// Before  In 52 the copy of a tile began when the product of the one before had ended.
// Limit   A tile of 128 x 128 asks shared memory for more than it gives: wgmma reads 64 + 128 lines for every
//         64 x 128 sums. 54 makes the tile wider.
// Needs   f16, bf16 (C the same, or f32); row-major nn, nt, tn, tt; any m, n, k; A and B and their rows begin at
//         multiples of 16 bytes, as TMA demands; sm_90a.
#include "device/accumulators.hpp"
#include "device/barrier.hpp"
#include "device/block_order.hpp"
#include "device/launch.hpp"
#include "device/matrix_map.hpp"
#include "device/tma.hpp"
#include "device/wgmma.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper_53 {

inline constexpr int kThreads = 128 + 32;    // a warpgroup multiplies, one more warp copies
inline constexpr int kLine = 128, kBk = 64;  // of shared memory, in bytes; and so much of k
inline constexpr int kGroup = 8;             // rows of tiles that blocks walk down together

struct Tile {
  int bm, bn;
  int stages;
  int blocks;  // on an SM at a time, at least
  constexpr int stage() const { return (bm + bn) * kLine; }
  constexpr int shared() const { return stages * (stage() + 2 * static_cast<int>(sizeof(Mbarrier))); }
  constexpr bool valid() const {
    return bm % 64 == 0 && bn % 64 == 0 && bm <= 256 && bn <= 256 &&  // boxes; lines along the rows have 64 elements
           bm / 64 * (bn / 2) + 48 <= 65536 / kThreads / blocks &&    // registers
           stages >= 2 && blocks * (shared() + 1024) <= 227 * 1024;
  }
  TileName name() const { return tile_text("%dx%dx%d, %d stages by %d", bm, bn, kBk, stages, blocks); }
};
inline constexpr Tile kTiles[] = {{128, 128, 3, 2}};

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
    hopper_53_warp_specialized(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, Args g) {
  constexpr Tile t = kTiles[tile];
  constexpr int bytes = (t.bm + t.bn) * kLine;  // of a stage
  extern __shared__ __align__(1024) unsigned char hopper_53_shared[];
  unsigned char* const sA = hopper_53_shared;              // (stages, bm, bk), or (…, bm / 64, bk, 64)
  unsigned char* const sB = sA + t.stages * t.bm * kLine;  // (stages, bn, bk), or (…, bn / 64, bk, 64)
  Mbarrier* const full = reinterpret_cast<Mbarrier*>(hopper_53_shared + t.stages * bytes);
  Mbarrier* const empty = full + t.stages;

  // Where am I.
  const TilePosition at = tile_position<t.bm, t.bn, kGroup>(g.m, g.n, static_cast<int>(blockIdx.x));

  if (threadIdx.x == 0) {
    for (int i = 0; i < t.stages; ++i) {
      mbarrier_init(full + i, 1);   // the producer's, and bytes
      mbarrier_init(empty + i, 1);  // one thread's, for the warpgroup
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  int stage = 0;
  unsigned phase = 0;
  const auto advance = [&] {
    if (++stage == t.stages) stage = 0, phase ^= 1;
  };

  // Load: the last warp, of which one thread works.
  if (threadIdx.x >= 128) {
    if (threadIdx.x > 128) return;
    for (std::int64_t k = 0; k < g.k; k += kBk, advance()) {
      mbarrier_wait(empty + stage, phase ^ 1);  // in the first round all are
      mbarrier_arrive_expect_tx(full + stage, bytes);
      load<t.bm, a_major>(sA + stage * t.bm * kLine, A, at.row, k, full + stage);
      load<t.bn, b_major>(sB + stage * t.bn * kLine, B, at.col, k, full + stage);
    }
    return;
  }

  // Multiply: 32 bytes of k at a time, the same place in every line, or 16 lines further on.
  float acc[t.bm / 64][t.bn / 2] = {};
#pragma unroll 1
  for (std::int64_t k = 0; k < g.k; k += kBk, advance()) {
    mbarrier_wait(full + stage, phase);
    const MatrixDescriptor a = matrix_descriptor(sA + stage * t.bm * kLine, Swizzle::b128, 8 * kLine, kBk * kLine);
    const MatrixDescriptor b = matrix_descriptor(sB + stage * t.bn * kLine, Swizzle::b128, 8 * kLine, kBk * kLine);
    wgmma_fence();
#pragma unroll
    for (int kk = 0; kk < kBk; kk += 16) {
      const int ka = a_major == Major::k ? kk * 2 : kk * kLine, kb = b_major == Major::k ? kk * 2 : kk * kLine;
#pragma unroll
      for (int i = 0; i < t.bm / 64; ++i)
        wgmma<In, t.bn, a_major, b_major>(acc[i], a.at(i * 64 * kLine + ka), b.at(kb), true);
    }
    wgmma_commit();
    // All but this step's products are done, so the stage before can be filled again.
    wgmma_wait<1>();
    if (k > 0 && threadIdx.x == 0) mbarrier_arrive(empty + (stage == 0 ? t.stages - 1 : stage - 1));
  }
  wgmma_wait<0>();

  // Store. The stages' memory is free: all that was asked for has come, and the warpgroup has multiplied it.
  bar_sync(1, 128);
  AccumulatorStrip& strip = reinterpret_cast<AccumulatorStrip*>(hopper_53_shared)[threadIdx.x / 32];
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
      return cairn::launch(grid, kThreads, t.shared(), stream, hopper_53_warp_specialized<In, i, a, b>, A, B, same);
    });
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return args.problem.in == Type::f16 ? launch_typed<__half>(args, tile, stream)
                                      : launch_typed<__nv_bfloat16>(args, tile, stream);
}

extern const Rung rung = {.id = "hopper/53_warp_specialized",
                          .title = "Warp specialized",
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

}  // namespace cairn::hopper_53
