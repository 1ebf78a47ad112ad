// 58 · Pingpong                                          docs/trail/hopper_58_pingpong.md · cairn bench hopper/58
//
// Idea    The two warpgroups make tiles of their own, in turns: the producer fills stages for one, then for the
//         other. While one stores its sums the other multiplies, and the tensor cores have no end of a tile.
// Before  In 57 both came to the end of one tile together.
// Limit   A warpgroup has room for 128 x 128 sums, or 64 x 256, and such tiles bring half as many bytes again for the
//         same product as 128 x 256 does. What is gained at the end of tiles is lost on the way, unless k is short.
//         59 has tiles to choose from.
// Needs   f16, bf16 (C the same, or f32); row-major nn, nt, tn, tt; any m, n, k; A and B and their rows begin at
//         multiples of 16 bytes, as TMA demands. Where C does not, or is f32, or is read (beta), or ends within 16
//         bytes, it is stored as in 56; sm_90a.
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

inline constexpr int kThreads = 128 + 256;   // a warpgroup copies, of which one thread works; two multiply, in turns
inline constexpr int kLine = 128, kBk = 64;  // of shared memory, in bytes; and so much of k
inline constexpr int kSlab = 64 * kLine;     // 64 rows of 64 columns of C
inline constexpr int kGroup = 8;             // rows of pairs of tiles that clusters walk down together
inline constexpr int kTurn = 2;              // barriers 3 and 4: the turns of the warpgroups
inline constexpr int kCluster = 2;           // blocks

struct Tile {
  int bm, bn;
  int stages;
  int slabs;       // of C in shared memory, for each of the two warpgroups
  int keep, take;  // registers a thread: of those who copy, of those who multiply
  constexpr int stage() const { return (bm + bn) * kLine; }
  constexpr int shared() const {
    return stages * (stage() + 2 * static_cast<int>(sizeof(Mbarrier))) + 2 * slabs * kSlab;
  }
  constexpr bool valid() const {
    return bm % 64 == 0 && bn % (kCluster * 64) == 0 && bm <= 256 &&
           bn <= 256 &&  // boxes; lines along the rows have 64 elements
           bm / 64 * (bn / 2) + 40 <= take && 128 * keep + 256 * take <= 65536 &&  // registers
           stages >= 2 && slabs * kSlab >= 4 * static_cast<int>(sizeof(AccumulatorStrip)) && shared() <= 227 * 1024;
  }
  TileName name() const { return tile_text("%dx%dx%d, %d stages, %d slabs", bm, bn, kBk, stages, slabs); }
};
inline constexpr Tile kTiles[] = {{128, 128, 6, 2, 40, 232}};

struct Args {
  std::int64_t m, n, k;
  float alpha, beta;
  void* C;
  std::int64_t ldc;
  bool wide;       // C is of f32, else of the type of A and B
  bool by_engine;  // it stores C,
  bool last_too;   // also the last columns: it writes whole pieces of 16 bytes
  int pairs;       // of tiles, one below the other
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

// 64 x n sums of a warpgroup into C, at (row, col), 64 columns at a time through slabs of shared memory that take
// turns.
template <class Out, int n, int slabs>
__device__ __forceinline__ void store_slabs(const TensorMap& C, int row, int col, const float (&sums)[n / 2],
                                            float alpha, unsigned char* memory, int barrier) {
  const int lane = static_cast<int>(threadIdx.x) % 32, line = static_cast<int>(threadIdx.x) / 32 % 4 * 16 + lane % 16;
  const bool first = threadIdx.x % 128 == 0;
#pragma unroll
  for (int c = 0; c < n / 64; ++c) {
    // The slab is free: what was stored from it has been read.
    unsigned char* const slab = memory + c % slabs * kSlab;
    if (first) tma_wait_read<slabs - 1>();
    bar_sync(barrier, 128);

    // Lanes 0-15 have the addresses of 16 rows, the others of the same rows 8 columns on. Pieces change places as in
    // every box.
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float* const x = &sums[c * 32 + j * 8];
      std::uint32_t pairs[4];
#pragma unroll
      for (int e = 0; e < 4; ++e) pairs[e] = pack<Out>(alpha * x[2 * e], alpha * x[2 * e + 1]);
      store_matrices(slab + line * kLine + ((j * 2 + lane / 16) ^ line % 8) * 16, pairs);
    }
    fence_proxy_async();
    bar_sync(barrier, 128);
    if (first) {
      tma_store(C, {col + c * 64, row}, slab);
      tma_commit();
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
    hopper_58_pingpong(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B,
                       const __grid_constant__ TensorMap C, Args g) {
  constexpr Tile t = kTiles[tile];
  constexpr int bytes = (t.bm + t.bn) * kLine, each = t.bm / 64;  // of a stage; 64 rows an instruction
  extern __shared__ __align__(1024) unsigned char hopper_58_shared[];
  unsigned char* const sA = hopper_58_shared;                     // (stages, bm, bk), or (…, bm / 64, bk, 64)
  unsigned char* const sB = sA + t.stages * t.bm * kLine;         // (stages, bn, bk), or (…, bn / 64, bk, 64)
  unsigned char* const sC = hopper_58_shared + t.stages * bytes;  // (2, slabs, 64, 64), or a strip for each warp
  Mbarrier* const full = reinterpret_cast<Mbarrier*>(sC + 2 * t.slabs * kSlab);
  Mbarrier* const empty = full + t.stages;

  if (threadIdx.x == 0) {
    for (int i = 0; i < t.stages; ++i) {
      mbarrier_init(full + i, 1);          // the producer's, and bytes
      mbarrier_init(empty + i, kCluster);  // one thread's of each block
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
  const int barrier = static_cast<int>(threadIdx.x) / 128;            // of this warpgroup, 1 or 2
  unsigned char* const slabs = sC + (barrier - 1) * t.slabs * kSlab;  // and its memory
  const auto release = [&](int done) {
    const unsigned thread = threadIdx.x % 128;
    if (thread < kCluster) mbarrier_arrive_remote(empty + done, thread);
  };

  // The other's tiles take stages too: `used` counts those of both.
  const auto steps = static_cast<unsigned>((g.k + kBk - 1) / kBk);
  unsigned used = (barrier - 1) * steps;
#pragma unroll 1
  for (int next = first + (barrier - 1) * clusters; next < g.pairs; next += 2 * clusters, used += 2 * steps) {
    // Wait for my turn, that is until the other has waited for all its stages. A barrier tells phases by their parity
    // only: who waited for one further ahead would be let through by an earlier one.
    if (next != first) bar_sync(kTurn + barrier, 256);
    stage = static_cast<int>(used % t.stages);
    phase = used / t.stages % 2;

    // Multiply: 32 bytes of k at a time, the same place in every line, or 16 lines further on.
    float acc[each][t.bn / 2] = {};
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
        for (int i = 0; i < each; ++i)
          wgmma<In, t.bn, a_major, b_major>(acc[i], a.at(i * 64 * kLine + ka), b.at(kb), true);
      }
      wgmma_commit();
      // All but this step's products are done, so the stage before can be filled again.
      wgmma_wait<1>();
      if (k > 0) release(stage == 0 ? t.stages - 1 : stage - 1);
    }
    if (next + clusters < g.pairs) bar_arrive(kTurn + 3 - barrier, 256);
    wgmma_wait<0>();
    if (g.k > 0) release(stage == 0 ? t.stages - 1 : stage - 1);

    // Store, while the next tile's stages fill.
    const TilePosition at = place_of<t.bm, t.bn>(g.m, g.n, next, rank);
#pragma unroll
    for (int i = 0; i < each; ++i) {
      const int down = i * 64;
      if (g.by_engine && (g.last_too || at.cols == t.bn)) {
        store_slabs<In, t.bn, t.slabs>(C, static_cast<int>(at.row) + down, static_cast<int>(at.col), acc[i], g.alpha,
                                       slabs, barrier);
      } else {
        if (threadIdx.x % 128 == 0) tma_wait_read<0>();  // strips lie where slabs did
        bar_sync(barrier, 128);
        store_accumulators<In, t.bn>(g.C, (at.row + down) * g.ldc + at.col, g.ldc, at.rows - down, at.cols, acc[i],
                                     g.alpha, g.beta, g.wide,
                                     reinterpret_cast<AccumulatorStrip*>(slabs)[threadIdx.x / 32 % 4]);
      }
    }
  }
  if (threadIdx.x % 128 == 0) tma_wait_read<0>();  // a block's memory lasts as long as the block
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
      const bool by_engine = !wide && rows_of_16_bytes(static_cast<const In*>(g.C), g.ldc) && g.beta == 0;
      if (Status s = by_engine ? matrix_map(C, g.C, in, g.m, g.n, g.ldc, 64) : Status{}; !s.ok()) return s;
      const std::int64_t pairs = ceil_div(g.m, kCluster * bm) * ceil_div(g.n, bn);
      const Args same{
          g.m, g.n, g.k, g.alpha, g.beta, g.C, g.ldc, wide, by_engine, g.n % 8 == 0, static_cast<int>(pairs)};
      const std::int64_t clusters = std::min<std::int64_t>(pairs, std::max(args.sms / kCluster, 1));
      return cairn::launch_cluster(kCluster, {clusters * kCluster}, kThreads, shared, stream,
                                   hopper_58_pingpong<In, i, a, b>, A, B, C, same);
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
