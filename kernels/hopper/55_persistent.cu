// 55 · Persistent                                      docs/trail/hopper_55_persistent.md · cairn bench hopper/55
//
// Idea    As many blocks as there are SMs, and each makes one tile after another. The ring goes on from tile to tile:
//         while the sums of one are stored, the stages of the next fill. The tiles that are made together lie in a
//         rectangle, which takes the least of A and B, and L2 gives it to all of them.
// Before  54 began every tile with empty stages, and ended it with an SM that only stored.
// Limit   Every SM fetches its tiles for itself, though its neighbour fetches the same columns of B. 56 fetches them
//         once for two.
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

inline constexpr int kThreads = 128 + 256;   // a warpgroup copies, of which one thread works; two multiply
inline constexpr int kLine = 128, kBk = 64;  // of shared memory, in bytes; and so much of k
inline constexpr int kGroup = 16;            // rows of tiles that blocks walk down together

struct Tile {
  int bm, bn;
  int stages;
  int keep, take;  // registers a thread: of those who copy, of those who multiply
  constexpr int stage() const { return (bm + bn) * kLine; }
  constexpr int shared() const {
    return stages * (stage() + 2 * static_cast<int>(sizeof(Mbarrier))) +
           8 * static_cast<int>(sizeof(AccumulatorStrip));
  }
  constexpr bool valid() const {
    return bm % 128 == 0 && bn % 64 == 0 && bm <= 256 && bn <= 256 &&  // boxes; lines along the rows have 64 elements
           bm / 128 * (bn / 2) + 40 <= take && 128 * keep + 256 * take <= 65536 &&  // registers
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
  bool wide;  // C is of f32, else of the type of A and B
  int tiles;
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
__global__ void __launch_bounds__(kThreads, 1)
    hopper_55_persistent(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, Args g) {
  constexpr Tile t = kTiles[tile];
  constexpr int bytes = (t.bm + t.bn) * kLine, each = t.bm / 128;  // of a stage; 64 rows for a warpgroup
  extern __shared__ __align__(1024) unsigned char hopper_55_shared[];
  unsigned char* const sA = hopper_55_shared;              // (stages, bm, bk), or (…, bm / 64, bk, 64)
  unsigned char* const sB = sA + t.stages * t.bm * kLine;  // (stages, bn, bk), or (…, bn / 64, bk, 64)
  AccumulatorStrip* const strips =
      reinterpret_cast<AccumulatorStrip*>(hopper_55_shared + t.stages * bytes);  // a warp each
  Mbarrier* const full = reinterpret_cast<Mbarrier*>(strips + 8);
  Mbarrier* const empty = full + t.stages;

  if (threadIdx.x == 0) {
    for (int i = 0; i < t.stages; ++i) {
      mbarrier_init(full + i, 1);   // the producer's, and bytes
      mbarrier_init(empty + i, 2);  // one thread's of each warpgroup
    }
    fence_mbarrier_init();
  }
  __syncthreads();
  int stage = 0;
  unsigned phase = 0;
  const auto advance = [&] {
    if (++stage == t.stages) stage = 0, phase ^= 1;
  };

  // Load: the first warpgroup, of which one thread works.
  if (threadIdx.x < 128) {
    setmaxnreg_dec<t.keep>();
    if (threadIdx.x > 0) return;
    for (int next = static_cast<int>(blockIdx.x); next < g.tiles; next += static_cast<int>(gridDim.x)) {
      const TilePosition at = tile_position<t.bm, t.bn, kGroup>(g.m, g.n, next);
      for (std::int64_t k = 0; k < g.k; k += kBk, advance()) {
        mbarrier_wait(empty + stage, phase ^ 1);  // in the first round all are
        mbarrier_arrive_expect_tx(full + stage, bytes);
        load<t.bm, a_major>(sA + stage * t.bm * kLine, A, at.row, k, full + stage);
        load<t.bn, b_major>(sB + stage * t.bn * kLine, B, at.col, k, full + stage);
      }
    }
    return;
  }
  setmaxnreg_inc<t.take>();
  const int row = (static_cast<int>(threadIdx.x) / 128 - 1) * each * 64;  // of this warpgroup, in the tile
  const auto release = [&](int used) {
    if (threadIdx.x % 128 == 0) mbarrier_arrive(empty + used);
  };

#pragma unroll 1
  for (int next = static_cast<int>(blockIdx.x); next < g.tiles; next += static_cast<int>(gridDim.x)) {
    // Multiply: 32 bytes of k at a time, the same place in every line, or 16 lines further on.
    float acc[each][t.bn / 2] = {};
#pragma unroll 1
    for (std::int64_t k = 0; k < g.k; k += kBk, advance()) {
      mbarrier_wait(full + stage, phase);
      const MatrixDescriptor a =
          matrix_descriptor(sA + (stage * t.bm + row) * kLine, Swizzle::b128, 8 * kLine, kBk * kLine);
      const MatrixDescriptor b = matrix_descriptor(sB + stage * t.bn * kLine, Swizzle::b128, 8 * kLine, kBk * kLine);
      wgmma_fence();
#pragma unroll
      for (int kk = 0; kk < kBk; kk += 16) {
        const int ka = a_major == Major::k ? kk * 2 : kk * kLine, kb = b_major == Major::k ? kk * 2 : kk * kLine;
#pragma unroll
        for (int i = 0; i < each; ++i)
          wgmma<In, t.bn, a_major, b_major>(acc[i], a.at(i * 64 * kLine + ka), b.at(kb), true);
      }
      wgmma_commit();
      // All but this step's products are done, so the stage before can be filled again.
      wgmma_wait<1>();
      if (k > 0) release(stage == 0 ? t.stages - 1 : stage - 1);
    }
    wgmma_wait<0>();
    if (g.k > 0) release(stage == 0 ? t.stages - 1 : stage - 1);

    // Store, while the next tile's stages fill.
    const TilePosition at = tile_position<t.bm, t.bn, kGroup>(g.m, g.n, next);
#pragma unroll
    for (int i = 0; i < each; ++i) {
      const int down = row + i * 64;
      store_accumulators<In, t.bn>(g.C, (at.row + down) * g.ldc + at.col, g.ldc, at.rows - down, at.cols, acc[i],
                                   g.alpha, g.beta, g.wide, strips[threadIdx.x / 32 - 4]);
    }
  }
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
      const std::int64_t tiles = ceil_div(g.m, t.bm) * ceil_div(g.n, t.bn);
      const Args same{g.m, g.n, g.k, g.alpha, g.beta, g.C, g.ldc, wide, static_cast<int>(tiles)};
      return cairn::launch({std::min<std::int64_t>(tiles, args.sms)}, kThreads, t.shared(), stream,
                           hopper_55_persistent<In, i, a, b>, A, B, same);
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
