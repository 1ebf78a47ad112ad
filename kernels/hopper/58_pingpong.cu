// 58 · Pingpong                                          docs/trail/hopper_58_pingpong.md · cairn bench hopper/58
//
// From    hopper/57_tma_store
// Idea    Each consumer warpgroup computes tiles of its own, alternately: the producer fills stages for a tile of
//         one, then for a tile of the other. One is in its main loop while the other is in its epilogue.
// Before  In 57 both came to the end of one tile together.
// Limit   A warpgroup has registers for 128 x 128 accumulators, or 64 x 256, and such tiles load half as many bytes
//         again for the same product as 128 x 256 does: what the hidden epilogues gain the main loop loses, unless k
//         is short. 59 has tiles to choose from.
// Needs   f16, bf16 (C the same, or f32); row-major nn, nt, tn, tt; any m, n, k; A and B and their rows begin at
//         multiples of 16 bytes, as TMA demands. A C that does not, that is f32 or read (beta), or a tile whose rows
//         end within a 16-byte chunk, is stored by threads as in 56; sm_90a.
#include "device/accumulators.hpp"
#include "device/barrier.hpp"
#include "device/block_order.hpp"
#include "device/cluster.hpp"
#include "device/launch.hpp"
#include "device/matrix_map.hpp"
#include "device/pack.hpp"
#include "device/setmaxnreg.hpp"
#include "device/stmatrix.hpp"
#include "device/tma.hpp"
#include "device/vec.hpp"
#include "device/wgmma.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper_58 {

inline constexpr int kThreads = 128 + 256;        // a producer warpgroup and two consumer warpgroups
inline constexpr int kRowBytes = 128;             // a row of a swizzled tile in shared memory
inline constexpr int kBk = 64;                    // a k-step: as many elements as a row holds
inline constexpr int kBoxBytes = 64 * kRowBytes;  // a staging box of C: 64 rows of 64 columns
inline constexpr int kGroup = 8;                  // rows of pairs of tiles in a group of the block order
inline constexpr int kOrderBarrier = 2;           // named barriers 3 and 4: the order of the warpgroups' main loops
inline constexpr int kCluster = 2;                // blocks

struct Tile {
  int bm, bn;
  int stages;
  int boxes;                                   // staging boxes of C for each consumer warpgroup
  int producer_registers, consumer_registers;  // of a thread, after setmaxnreg
  constexpr int stage_bytes() const { return (bm + bn) * kRowBytes; }
  constexpr int shared() const {
    return stages * (stage_bytes() + 2 * static_cast<int>(sizeof(Mbarrier))) + 2 * boxes * kBoxBytes;
  }
  constexpr bool valid() const {
    return bm % 64 == 0 && bn % (kCluster * 64) == 0 && bm <= 256 && bn <= 256 &&  // TMA boxes
           bm / 64 * (bn / 2) + 40 <= consumer_registers &&                        // accumulators and some more
           128 * producer_registers + 256 * consumer_registers <= 65536 &&         // of an SM
           stages >= 2 && boxes * kBoxBytes >= 4 * static_cast<int>(sizeof(AccumulatorStrip)) &&
           shared() <= 227 * 1024;
  }
  TileName name() const { return tile_text("%dx%dx%d, %d stages, %d staging boxes", bm, bn, kBk, stages, boxes); }
};
inline constexpr Tile kTiles[] = {{128, 128, 6, 2, 40, 232}};

struct Args {
  std::int64_t m, n, k;
  float alpha, beta;
  void* C;
  std::int64_t ldc;
  bool wide;            // C is f32, else of the type of A and B
  bool tma_store;       // TMA stores C
  bool tma_store_edge;  // also the tiles of the last columns: TMA writes full chunks of 16 bytes
  int pairs;            // of tiles of C, one below the other
};

// Loads a tile of an operand, `rows` rows of op(A) (columns of op(B)) by kBk of k. K-major: one box. MN-major: a box
// for each 64 rows of the operand, which are the 128 bytes of a row of the swizzled tile. Of a tile that all
// `blocks` of the cluster need, block `rank` loads one part and multicasts it to all.
template <int rows, Major major, int blocks>
__device__ __forceinline__ void load(unsigned char* to, const TensorMap& map, std::int64_t row, std::int64_t k,
                                     int rank, Mbarrier* full) {
  constexpr int part = rows / blocks;
  constexpr unsigned mask = (1u << blocks) - 1;
  const int offset = blocks == 1 ? 0 : rank * part, row0 = static_cast<int>(row) + offset, k0 = static_cast<int>(k);
  to += offset * kRowBytes;
  if constexpr (major == Major::k) {
    if constexpr (blocks == 1) tma_load(to, map, {k0, row0}, full);
    if constexpr (blocks > 1) tma_load_multicast(mask, to, map, {k0, row0}, full);
  } else {
#pragma unroll
    for (int i = 0; i < part; i += 64) {
      if constexpr (blocks == 1) tma_load(to + i * kRowBytes, map, {row0 + i, k0}, full);
      if constexpr (blocks > 1) tma_load_multicast(mask, to + i * kRowBytes, map, {row0 + i, k0}, full);
    }
  }
}

// Stores 64 x n accumulators of a warpgroup to C at (row, col). Every 64 columns are rounded into a staging box of
// shared memory, which TMA stores; the `boxes` are used one after the other.
template <class Out, int n, int boxes>
__device__ __forceinline__ void store_boxes(const TensorMap& C, int row, int col, const float (&acc)[n / 2],
                                            float alpha, unsigned char* staging, int barrier) {
  const int lane = static_cast<int>(threadIdx.x) % 32,
            box_row = static_cast<int>(threadIdx.x) / 32 % 4 * 16 + lane % 16;
  const bool issuer = threadIdx.x % 128 == 0;
#pragma unroll
  for (int c = 0; c < n / 64; ++c) {
    // The box is free when its previous store has read it.
    unsigned char* const box = staging + c % boxes * kBoxBytes;
    if (issuer) tma_wait_read<boxes - 1>();
    bar_sync(barrier, 128);

    // Lanes 0-15 address 16 rows, lanes 16-31 the same rows 8 columns further on. Chunks are swizzled for TMA.
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float* const x = &acc[c * 32 + j * 8];
      std::uint32_t pairs[4];
#pragma unroll
      for (int e = 0; e < 4; ++e) pairs[e] = pack<Out>(alpha * x[2 * e], alpha * x[2 * e + 1]);
      store_matrices(box + box_row * kRowBytes + ((j * 2 + lane / 16) ^ box_row % 8) * 16, pairs);
    }
    fence_proxy_async();
    bar_sync(barrier, 128);
    if (issuer) {
      tma_store(C, {col + c * 64, row}, box);
      tma_commit();
    }
  }
}

// The tile of block `rank` of the cluster.
template <int bm, int bn>
__device__ __forceinline__ TilePosition position_in_pair(std::int64_t m, std::int64_t n, int pair, int rank) {
  TilePosition at = tile_position<kCluster * bm, bn, kGroup>(m, n, pair);
  at.row += rank * bm;
  at.rows -= rank * bm;  // not positive if the pair has only one tile
  return at;
}

// A tile's rows are swizzled in groups of 8; MN-major, each 64 rows of the operand are kBk rows of the tile.
__device__ __forceinline__ MatrixDescriptor descriptor(const unsigned char* tile) {
  return matrix_descriptor(tile, Swizzle::b128, 8 * kRowBytes, kBk * kRowBytes);
}

template <class In, int tile, Major a_major, Major b_major>
__global__ void __launch_bounds__(kThreads, 1)
    hopper_58_pingpong(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B,
                       const __grid_constant__ TensorMap C, Args g) {
  constexpr Tile t = kTiles[tile];
  constexpr int bytes = (t.bm + t.bn) * kRowBytes, wgmmas = t.bm / 64;  // of a stage; of 64 rows for each warpgroup
  extern __shared__ __align__(1024) unsigned char hopper_58_shared[];
  unsigned char* const sA = hopper_58_shared;                     // (stages, bm, bk), or (…, bm / 64, bk, 64)
  unsigned char* const sB = sA + t.stages * t.bm * kRowBytes;     // (stages, bn, bk), or (…, bn / 64, bk, 64)
  unsigned char* const sC = hopper_58_shared + t.stages * bytes;  // (2, boxes, 64, 64), or a strip for each warp
  Mbarrier* const full = reinterpret_cast<Mbarrier*>(sC + 2 * t.boxes * kBoxBytes);
  Mbarrier* const empty = full + t.stages;

  if (threadIdx.x == 0) {
    for (int i = 0; i < t.stages; ++i) {
      mbarrier_init(full + i, 1);          // the producer, which also expects the bytes
      mbarrier_init(empty + i, kCluster);  // one thread of one consumer warpgroup of each block
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

  // Producer warpgroup: one thread issues the loads.
  if (threadIdx.x < 128) {
    setmaxnreg_dec<t.producer_registers>();
    for (int next = first; threadIdx.x == 0 && next < g.pairs; next += clusters) {
      const TilePosition at = position_in_pair<t.bm, t.bn>(g.m, g.n, next, rank);
      for (std::int64_t k = 0; k < g.k; k += kBk, advance()) {
        mbarrier_wait(empty + stage, phase ^ 1);  // the first pass over the ring does not wait
        mbarrier_arrive_expect_tx(full + stage, bytes);
        load<t.bm, a_major, 1>(sA + stage * t.bm * kRowBytes, A, at.row, k, rank, full + stage);
        load<t.bn, b_major, kCluster>(sB + stage * t.bn * kRowBytes, B, at.col, k, rank, full + stage);
      }
    }
    __syncwarp();
    cluster_sync();  // until then the other block may multicast into this one and arrive at its barriers
    return;
  }
  setmaxnreg_inc<t.consumer_registers>();
  const int barrier = static_cast<int>(threadIdx.x) / 128;  // the named barrier of this warpgroup, 1 or 2
  unsigned char* const staging = sC + (barrier - 1) * t.boxes * kBoxBytes;
  const auto release = [&](int used) {
    const unsigned thread = threadIdx.x % 128;
    if (thread < kCluster) mbarrier_arrive_remote(empty + used, thread);
  };

  // The tiles of the other warpgroup take stages too: `passed` counts the k-steps of both before this tile.
  const auto k_steps = static_cast<unsigned>((g.k + kBk - 1) / kBk);
  unsigned passed = (barrier - 1) * k_steps;
#pragma unroll 1
  for (int next = first + (barrier - 1) * clusters; next < g.pairs; next += 2 * clusters, passed += 2 * k_steps) {
    // Start when the other warpgroup has waited for all its stages. An mbarrier tells phases by their parity only: a
    // wait for a later phase would return as soon as an earlier one of the same parity is complete.
    if (next != first) bar_sync(kOrderBarrier + barrier, 256);
    stage = static_cast<int>(passed % t.stages);
    phase = passed / t.stages % 2;

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
    if (next + clusters < g.pairs) bar_arrive(kOrderBarrier + 3 - barrier, 256);
    wgmma_wait<0>();
    if (g.k > 0) release(stage == 0 ? t.stages - 1 : stage - 1);

    // Epilogue, while the producer fills the stages of the next tile.
    const TilePosition at = position_in_pair<t.bm, t.bn>(g.m, g.n, next, rank);
#pragma unroll
    for (int i = 0; i < wgmmas; ++i) {
      const int row = i * 64;
      if (g.tma_store && (g.tma_store_edge || at.cols == t.bn)) {
        store_boxes<In, t.bn, t.boxes>(C, static_cast<int>(at.row) + row, static_cast<int>(at.col), acc[i], g.alpha,
                                       staging, barrier);
      } else {
        if (threadIdx.x % 128 == 0) tma_wait_read<0>();  // the strips use the memory of the staging boxes
        bar_sync(barrier, 128);
        store_accumulators<In, t.bn>(g.C, (at.row + row) * g.ldc + at.col, g.ldc, at.rows - row, at.cols, acc[i],
                                     g.alpha, g.beta, g.wide,
                                     reinterpret_cast<AccumulatorStrip*>(staging)[threadIdx.x / 32 % 4]);
      }
    }
  }
  if (threadIdx.x % 128 == 0) tma_wait_read<0>();  // shared memory must outlive the stores that read it
  __syncwarp();
  cluster_sync();
}

template <class In> Status launch_typed(const RungArgs& args, int tile, Stream stream) {
  const GemmArgs<In, void, float> g(args);
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    constexpr int bm = kTiles[i].bm, bn = kTiles[i].bn, shared = kTiles[i].shared();
    if (g.idle()) return {};
    return with_majors(g.op_a, g.op_b, [&]<Major a, Major b>() -> Status {
      TensorMap A{}, B{}, C{};
      const Type in = args.problem.in;
      if (Status s = operand_map(A, g.A, in, a, g.m, g.k, g.lda, bm); !s.ok()) return s;
      if (Status s = operand_map(B, g.B, in, b, g.n, g.k, g.ldb, bn / kCluster); !s.ok()) return s;
      const bool wide = args.problem.out == Type::f32;
      const bool tma_store = !wide && rows_of_16_bytes(static_cast<const In*>(g.C), g.ldc) && g.beta == 0;
      if (Status s = tma_store ? matrix_map(C, g.C, in, g.m, g.n, g.ldc, 64) : Status{}; !s.ok()) return s;
      const std::int64_t pairs = ceil_div(g.m, kCluster * bm) * ceil_div(g.n, bn);
      const Args kernel_args{
          g.m, g.n, g.k, g.alpha, g.beta, g.C, g.ldc, wide, tma_store, g.n % 8 == 0, static_cast<int>(pairs)};
      const std::int64_t clusters = std::min<std::int64_t>(pairs, std::max(args.sms / kCluster, 1));
      const auto kernel = hopper_58_pingpong<In, i, a, b>;
      return cairn::launch_cluster(kCluster, {clusters * kCluster}, kThreads, shared, stream, kernel, A, B, C,
                                   kernel_args);
    });
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return args.problem.in == Type::f16 ? launch_typed<__half>(args, tile, stream)
                                      : launch_typed<__nv_bfloat16>(args, tile, stream);
}

extern const Rung rung = {.id = "hopper/58_pingpong",
                          .title = "Pingpong",
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

}  // namespace cairn::hopper_58
