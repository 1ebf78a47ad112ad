// 56 · Multicast                                        docs/trail/hopper_56_multicast.md · cairn bench hopper/56
//
// Idea    Blocks come in pairs (a cluster of two), on neighbouring SMs, and make tiles one below the other. Both need
//         the same columns of B: each fetches half of them, and the engine delivers it to both. So L2 is asked for a
//         third less. A stage is empty when the warpgroups of both blocks have read it.
// Before  In 55 every block fetched all of its own tiles.
// Limit   Sums still pass through shared memory and threads' stores, strip by strip, and no stage is read meanwhile.
//         57 hands them to the engine.
// Needs   f16, bf16 (C the same, or f32); row-major nn, nt, tn, tt; any m, n, k; A and B and their rows begin at
//         multiples of 16 bytes, as TMA demands; sm_90a.
#include "device/accumulators.hpp"
#include "device/block_order.hpp"
#include "device/cluster.hpp"
#include "device/launch.hpp"
#include "device/matrix_map.hpp"
#include "device/setmaxnreg.hpp"
#include "device/tma.hpp"
#include "device/wgmma.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper_56 {

inline constexpr int kThreads = 128 + 256;   // a warpgroup copies, of which one thread works; two multiply
inline constexpr int kLine = 128, kBk = 64;  // of shared memory, in bytes; and so much of k
inline constexpr int kGroup = 8;             // rows of pairs of tiles that clusters walk down together
inline constexpr int kCluster = 2;           // blocks

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
    return bm % 128 == 0 && bn % (kCluster * 64) == 0 && bm <= 256 &&
           bn <= 256 &&  // boxes; lines along the rows have 64 elements
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
  int pairs;  // of tiles, one below the other
};

// Asks for a tile of an operand, `rows` rows of op(A) (columns of op(B)) by kBk of k. Neighbours along k: a line is a
// row, and the tile is one box. Neighbours along the rows: a line is 64 of them, and so is a box wide. With `parts`
// the blocks of the cluster each fetch one and all get it.
template <int rows, Major major, int parts>
__device__ __forceinline__ void load(unsigned char* to, const TensorMap& map, std::int64_t row, std::int64_t k,
                                     int part, Mbarrier* arrived) {
  constexpr int width = rows / parts;
  constexpr unsigned all = (1u << parts) - 1;
  const int first = parts == 1 ? 0 : part * width, r = static_cast<int>(row) + first, l = static_cast<int>(k);
  to += first * kLine;
  if constexpr (major == Major::k) {
    if constexpr (parts == 1) tma_load(to, map, {l, r}, arrived);
    if constexpr (parts > 1) tma_load_multicast(all, to, map, {l, r}, arrived);
  } else {
#pragma unroll
    for (int i = 0; i < width; i += 64) {
      if constexpr (parts == 1) tma_load(to + i * kLine, map, {r + i, l}, arrived);
      if constexpr (parts > 1) tma_load_multicast(all, to + i * kLine, map, {r + i, l}, arrived);
    }
  }
}

// A block's tile of a pair.
template <int bm, int bn>
__device__ __forceinline__ TilePosition place_of(std::int64_t m, std::int64_t n, int pair, int rank) {
  TilePosition at = tile_position<kCluster * bm, bn, kGroup>(m, n, pair);
  at.row += rank * bm;
  at.rows -= rank * bm;  // none, perhaps
  return at;
}

template <class In, int tile, Major a_major, Major b_major>
__global__ void __launch_bounds__(kThreads, 1)
    hopper_56_multicast(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, Args g) {
  constexpr Tile t = kTiles[tile];
  constexpr int bytes = (t.bm + t.bn) * kLine, each = t.bm / 128;  // of a stage; 64 rows for a warpgroup
  extern __shared__ __align__(1024) unsigned char hopper_56_shared[];
  unsigned char* const sA = hopper_56_shared;              // (stages, bm, bk), or (…, bm / 64, bk, 64)
  unsigned char* const sB = sA + t.stages * t.bm * kLine;  // (stages, bn, bk), or (…, bn / 64, bk, 64)
  AccumulatorStrip* const strips =
      reinterpret_cast<AccumulatorStrip*>(hopper_56_shared + t.stages * bytes);  // a warp each
  Mbarrier* const full = reinterpret_cast<Mbarrier*>(strips + 8);
  Mbarrier* const empty = full + t.stages;

  if (threadIdx.x == 0) {
    for (int i = 0; i < t.stages; ++i) {
      mbarrier_init(full + i, 1);              // the producer's, and bytes
      mbarrier_init(empty + i, 2 * kCluster);  // one thread's of each warpgroup of the cluster
    }
    fence_mbarrier_init();
  }
  cluster_sync();
  const int rank = static_cast<int>(cluster_rank()), first = static_cast<int>(blockIdx.x) / kCluster;
  const int clusters = static_cast<int>(gridDim.x) / kCluster;
  int stage = 0;
  unsigned phase = 0;
  const auto advance = [&] {
    if (++stage == t.stages) stage = 0, phase ^= 1;
  };

  // Load: the first warpgroup, of which one thread works.
  if (threadIdx.x < 128) {
    setmaxnreg_dec<t.keep>();
    for (int next = first; threadIdx.x == 0 && next < g.pairs; next += clusters) {
      const TilePosition at = place_of<t.bm, t.bn>(g.m, g.n, next, rank);
      for (std::int64_t k = 0; k < g.k; k += kBk, advance()) {
        mbarrier_wait(empty + stage, phase ^ 1);  // in the first round all are
        mbarrier_arrive_expect_tx(full + stage, bytes);
        load<t.bm, a_major, 1>(sA + stage * t.bm * kLine, A, at.row, k, rank, full + stage);
        load<t.bn, b_major, kCluster>(sB + stage * t.bn * kLine, B, at.col, k, rank, full + stage);
      }
    }
    __syncwarp();
    cluster_sync();  // nobody leaves while others send to it
    return;
  }
  setmaxnreg_inc<t.take>();
  const int row = (static_cast<int>(threadIdx.x) / 128 - 1) * each * 64;  // of this warpgroup, in the tile
  const auto release = [&](int used) {
    const unsigned thread = threadIdx.x % 128;
    if (thread < kCluster) mbarrier_arrive_remote(empty + used, thread);
  };

#pragma unroll 1
  for (int next = first; next < g.pairs; next += clusters) {
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
    const TilePosition at = place_of<t.bm, t.bn>(g.m, g.n, next, rank);
#pragma unroll
    for (int i = 0; i < each; ++i) {
      const int down = row + i * 64;
      store_accumulators<In, t.bn>(g.C, (at.row + down) * g.ldc + at.col, g.ldc, at.rows - down, at.cols, acc[i],
                                   g.alpha, g.beta, g.wide, strips[threadIdx.x / 32 - 4]);
    }
  }
  cluster_sync();
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
      if (Status s = operand_map(B, g.B, in, b, g.n, g.k, g.ldb, bn / kCluster); !s.ok()) return s;
      const bool wide = args.problem.out == Type::f32;
      const std::int64_t pairs = ceil_div(g.m, kCluster * bm) * ceil_div(g.n, bn);
      const Args same{g.m, g.n, g.k, g.alpha, g.beta, g.C, g.ldc, wide, static_cast<int>(pairs)};
      const std::int64_t clusters = std::min<std::int64_t>(pairs, std::max(args.sms / kCluster, 1));
      return cairn::launch_cluster(kCluster, {clusters * kCluster}, kThreads, shared, stream,
                                   hopper_56_multicast<In, i, a, b>, A, B, same);
    });
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return args.problem.in == Type::f16 ? launch_typed<__half>(args, tile, stream)
                                      : launch_typed<__nv_bfloat16>(args, tile, stream);
}

extern const Rung rung = {.id = "hopper/56_multicast",
                          .title = "Multicast",
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

}  // namespace cairn::hopper_56
