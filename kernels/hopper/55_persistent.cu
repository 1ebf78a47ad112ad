// 55 · Persistent                                      docs/trail/hopper_55_persistent.md · cairn bench hopper/55
//
// From    hopper/54_wide_tile
// Idea    As many blocks as SMs, each of which computes one tile after another. The ring goes on from tile to tile:
//         in the epilogue of one tile the producer fills stages for the next. The tiles that run together form a
//         nearly square rectangle, which reads the least of A and B from DRAM.
// Before  54 began every tile with empty stages and ended it with an SM that only stored.
// Limit   Every SM loads its tiles alone, though its neighbour loads the same columns of B. 56 loads them once for
//         two.
// Needs   f16, bf16 (C the same, or f32); row-major nn, nt, tn, tt; any m, n, k; A and B and their rows begin at
//         multiples of 16 bytes, as TMA demands; sm_90a.
#include "device/accumulators.hpp"
#include "device/block_order.hpp"
#include "device/launch.hpp"
#include "device/matrix_map.hpp"
#include "device/setmaxnreg.hpp"
#include "device/tma.hpp"
#include "device/wgmma.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper_55 {

inline constexpr int kThreads = 128 + 256;  // a producer warpgroup and two consumer warpgroups
inline constexpr int kRowBytes = 128;       // a row of a swizzled tile in shared memory
inline constexpr int kBk = 64;              // a k-step: as many elements as a row holds
inline constexpr int kGroup = 16;           // rows of tiles in a group of the block order

struct Tile {
  int bm, bn;
  int stages;
  int producer_registers, consumer_registers;  // of a thread, after setmaxnreg
  constexpr int stage_bytes() const { return (bm + bn) * kRowBytes; }
  constexpr int shared() const {
    return stages * (stage_bytes() + 2 * static_cast<int>(sizeof(Mbarrier))) +
           8 * static_cast<int>(sizeof(AccumulatorStrip));
  }
  constexpr bool valid() const {
    return bm % 128 == 0 && bn % 64 == 0 && bm <= 256 && bn <= 256 &&       // TMA boxes
           bm / 128 * (bn / 2) + 40 <= consumer_registers &&                // accumulators and some more
           128 * producer_registers + 256 * consumer_registers <= 65536 &&  // of an SM
           stages >= 2 && shared() <= 227 * 1024;
  }
  TileName name() const { return tile_text("%dx%dx%d, %d stages", bm, bn, kBk, stages); }
};
inline constexpr Tile kTiles[] = {{128, 256, 4, 40, 232}};

struct Args {
  std::int64_t m, n, k;
  float alpha, beta;
  void* C;
  std::int64_t ldc;
  bool wide;  // C is f32, else of the type of A and B
  int tiles;  // of C
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
__global__ void __launch_bounds__(kThreads, 1)
    hopper_55_persistent(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, Args g) {
  constexpr Tile t = kTiles[tile];
  constexpr int bytes = (t.bm + t.bn) * kRowBytes, wgmmas = t.bm / 128;  // of a stage; of 64 rows for each warpgroup
  extern __shared__ __align__(1024) unsigned char hopper_55_shared[];
  unsigned char* const sA = hopper_55_shared;                  // (stages, bm, bk), or (…, bm / 64, bk, 64)
  unsigned char* const sB = sA + t.stages * t.bm * kRowBytes;  // (stages, bn, bk), or (…, bn / 64, bk, 64)
  AccumulatorStrip* const strips =
      reinterpret_cast<AccumulatorStrip*>(hopper_55_shared + t.stages * bytes);  // one for each warp
  Mbarrier* const full = reinterpret_cast<Mbarrier*>(strips + 8);
  Mbarrier* const empty = full + t.stages;

  if (threadIdx.x == 0) {
    for (int i = 0; i < t.stages; ++i) {
      mbarrier_init(full + i, 1);   // the producer, which also expects the bytes
      mbarrier_init(empty + i, 2);  // one thread of each consumer warpgroup
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  int stage = 0;
  unsigned phase = 0;
  const auto advance = [&] {
    if (++stage == t.stages) stage = 0, phase ^= 1;
  };

  // Producer warpgroup: one thread issues the loads.
  if (threadIdx.x < 128) {
    setmaxnreg_dec<t.producer_registers>();
    if (threadIdx.x > 0) return;
    for (int next = static_cast<int>(blockIdx.x); next < g.tiles; next += static_cast<int>(gridDim.x)) {
      const TilePosition at = tile_position<t.bm, t.bn, kGroup>(g.m, g.n, next);
      for (std::int64_t k = 0; k < g.k; k += kBk, advance()) {
        mbarrier_wait(empty + stage, phase ^ 1);  // the first pass over the ring does not wait
        mbarrier_arrive_expect_tx(full + stage, bytes);
        load<t.bm, a_major>(sA + stage * t.bm * kRowBytes, A, at.row, k, full + stage);
        load<t.bn, b_major>(sB + stage * t.bn * kRowBytes, B, at.col, k, full + stage);
      }
    }
    return;
  }
  setmaxnreg_inc<t.consumer_registers>();
  const int warpgroup_row = (static_cast<int>(threadIdx.x) / 128 - 1) * wgmmas * 64;  // within the tile
  const auto release = [&](int used) {
    if (threadIdx.x % 128 == 0) mbarrier_arrive(empty + used);
  };

#pragma unroll 1
  for (int next = static_cast<int>(blockIdx.x); next < g.tiles; next += static_cast<int>(gridDim.x)) {
    // Main loop. A wgmma takes 16 of k: K-major these are 32 bytes of every row, MN-major 16 rows.
    float acc[wgmmas][t.bn / 2] = {};
#pragma unroll 1
    for (std::int64_t k = 0; k < g.k; k += kBk, advance()) {
      mbarrier_wait(full + stage, phase);
      const MatrixDescriptor a = descriptor(sA + (stage * t.bm + warpgroup_row) * kRowBytes);
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
    if (g.k > 0) release(stage == 0 ? t.stages - 1 : stage - 1);

    // Epilogue, while the producer fills the stages of the next tile.
    const TilePosition at = tile_position<t.bm, t.bn, kGroup>(g.m, g.n, next);
#pragma unroll
    for (int i = 0; i < wgmmas; ++i) {
      const int row = warpgroup_row + i * 64;
      store_accumulators<In, t.bn>(g.C, (at.row + row) * g.ldc + at.col, g.ldc, at.rows - row, at.cols, acc[i],
                                   g.alpha, g.beta, g.wide, strips[threadIdx.x / 32 - 4]);
    }
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
      const std::int64_t tiles = ceil_div(g.m, bm) * ceil_div(g.n, bn);
      const Args kernel_args{g.m, g.n, g.k, g.alpha, g.beta, g.C, g.ldc, wide, static_cast<int>(tiles)};
      const auto kernel = hopper_55_persistent<In, i, a, b>;
      return cairn::launch({std::min<std::int64_t>(tiles, args.sms)}, kThreads, shared, stream, kernel, A, B,
                           kernel_args);
    });
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return args.problem.in == Type::f16 ? launch_typed<__half>(args, tile, stream)
                                      : launch_typed<__nv_bfloat16>(args, tile, stream);
}

extern const Rung rung = {.id = "hopper/55_persistent",
                          .title = "Persistent",
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

}  // namespace cairn::hopper_55
