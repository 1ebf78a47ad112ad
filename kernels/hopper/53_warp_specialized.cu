// 53 · Warp specialized                         docs/trail/hopper_53_warp_specialized.md · cairn bench hopper/53
//
// From    hopper/52_tma
// Idea    A producer warp only issues loads, and a consumer warpgroup only multiplies. Between them is a ring of
//         stages with two mbarriers each: "full", which the loads complete, and "empty", at which the consumer
//         arrives when it has read the stage. The producer runs ahead as far as there are empty stages.
// Before  In 52 the load of a tile began when the products of the previous one had ended.
// Limit   A tile of 128 x 128 needs more shared-memory bandwidth than there is: a wgmma reads 64 + 128 rows for
//         64 x 128 accumulators. 54 has a wider tile.
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

inline constexpr int kThreads = 128 + 32;  // a consumer warpgroup and a producer warp
inline constexpr int kRowBytes = 128;      // a row of a swizzled tile in shared memory
inline constexpr int kBk = 64;             // a k-step: as many elements as a row holds
inline constexpr int kGroup = 8;           // rows of tiles in a group of the block order

struct Tile {
  int bm, bn;
  int stages;
  int blocks;  // resident on an SM, at least
  constexpr int stage_bytes() const { return (bm + bn) * kRowBytes; }
  constexpr int shared() const { return stages * (stage_bytes() + 2 * static_cast<int>(sizeof(Mbarrier))); }
  constexpr bool valid() const {
    return bm % 64 == 0 && bn % 64 == 0 && bm <= 256 && bn <= 256 &&  // TMA boxes
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
  bool wide;  // C is f32, else of the type of A and B
};

// Loads a tile of an operand, `rows` rows of op(A) (columns of op(B)) by kBk of k. K-major: one box. MN-major: a box
// for each 64 rows of the operand, which are the 128 bytes of a row of the swizzled tile.
template <int rows, Major major>
__device__ __forceinline__ void load(unsigned char* to, const TensorMap& map, std::int64_t row, std::int64_t k,
                                     Mbarrier* full) {
  const int row0 = static_cast<int>(row), k0 = static_cast<int>(k);
  if constexpr (major == Major::k) {
    tma_load(to, map, {k0, row0}, full);
  } else {
#pragma unroll
    for (int i = 0; i < rows; i += 64) tma_load(to + i * kRowBytes, map, {row0 + i, k0}, full);
  }
}

// A tile's rows are swizzled in groups of 8; MN-major, each 64 rows of the operand are kBk rows of the tile.
__device__ __forceinline__ MatrixDescriptor descriptor(const unsigned char* tile) {
  return matrix_descriptor(tile, Swizzle::b128, 8 * kRowBytes, kBk * kRowBytes);
}

template <class In, int tile, Major a_major, Major b_major>
__global__ void __launch_bounds__(kThreads, kTiles[tile].blocks)
    hopper_53_warp_specialized(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, Args g) {
  constexpr Tile t = kTiles[tile];
  constexpr int bytes = (t.bm + t.bn) * kRowBytes, wgmmas = t.bm / 64;  // of a stage; of 64 rows for the warpgroup
  extern __shared__ __align__(1024) unsigned char hopper_53_shared[];
  unsigned char* const sA = hopper_53_shared;                  // (stages, bm, bk), or (…, bm / 64, bk, 64)
  unsigned char* const sB = sA + t.stages * t.bm * kRowBytes;  // (stages, bn, bk), or (…, bn / 64, bk, 64)
  AccumulatorStrip* const strips =
      reinterpret_cast<AccumulatorStrip*>(hopper_53_shared);  // for the epilogue, one for each warp
  Mbarrier* const full = reinterpret_cast<Mbarrier*>(hopper_53_shared + t.stages * bytes);
  Mbarrier* const empty = full + t.stages;

  const TilePosition at = tile_position<t.bm, t.bn, kGroup>(g.m, g.n, static_cast<int>(blockIdx.x));

  if (threadIdx.x == 0) {
    for (int i = 0; i < t.stages; ++i) {
      mbarrier_init(full + i, 1);   // the producer, which also expects the bytes
      mbarrier_init(empty + i, 1);  // one thread of the consumer warpgroup
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  int stage = 0;
  unsigned phase = 0;
  const auto advance = [&] {
    if (++stage == t.stages) stage = 0, phase ^= 1;
  };

  // Producer warp: one thread issues the loads.
  if (threadIdx.x >= 128) {
    if (threadIdx.x > 128) return;
    for (std::int64_t k = 0; k < g.k; k += kBk, advance()) {
      mbarrier_wait(empty + stage, phase ^ 1);  // the first pass over the ring does not wait
      mbarrier_arrive_expect_tx(full + stage, bytes);
      load<t.bm, a_major>(sA + stage * t.bm * kRowBytes, A, at.row, k, full + stage);
      load<t.bn, b_major>(sB + stage * t.bn * kRowBytes, B, at.col, k, full + stage);
    }
    return;
  }
  const auto release = [&](int used) {
    if (threadIdx.x == 0) mbarrier_arrive(empty + used);
  };

  // Main loop. A wgmma takes 16 of k: K-major these are 32 bytes of every row, MN-major 16 rows.
  float acc[wgmmas][t.bn / 2] = {};
#pragma unroll 1
  for (std::int64_t k = 0; k < g.k; k += kBk, advance()) {
    mbarrier_wait(full + stage, phase);
    const MatrixDescriptor a = descriptor(sA + stage * t.bm * kRowBytes);
    const MatrixDescriptor b = descriptor(sB + stage * t.bn * kRowBytes);
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
    // The products of the previous k-step are complete, so its stage can be filled again.
    wgmma_wait<1>();
    if (k > 0) release(stage == 0 ? t.stages - 1 : stage - 1);
  }
  wgmma_wait<0>();

  // Epilogue. The strips use the memory of the stages: the whole warpgroup must have finished its products.
  bar_sync(1, 128);
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
      TensorMap A{}, B{};
      const Type in = args.problem.in;
      if (Status s = operand_map(A, g.A, in, a, g.m, g.k, g.lda, bm); !s.ok()) return s;
      if (Status s = operand_map(B, g.B, in, b, g.n, g.k, g.ldb, bn); !s.ok()) return s;
      const bool wide = args.problem.out == Type::f32;
      const Args kernel_args{g.m, g.n, g.k, g.alpha, g.beta, g.C, g.ldc, wide};
      const Grid grid{ceil_div(g.m, bm) * ceil_div(g.n, bn)};
      const auto kernel = hopper_53_warp_specialized<In, i, a, b>;
      return cairn::launch(grid, kThreads, shared, stream, kernel, A, B, kernel_args);
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
