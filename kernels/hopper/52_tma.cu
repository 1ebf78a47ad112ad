// 52 · TMA                                                       docs/trail/hopper_52_tma.md · cairn bench hopper/52
//
// From    hopper/51_wgmma
// Idea    One thread issues a TMA load for a whole tile. Addresses, swizzle and zeros beyond the edges come from a
//         tensor map, a description of the matrix that the host makes once. An mbarrier counts the bytes and
//         completes its phase when the tile has arrived.
// Before  In 51 128 threads spent an instruction and an address on every 16 bytes, and registers on both.
// Limit   There is one stage: the load of a k-step waits for the products of the previous one, and they for it. 53
//         has a producer warp that runs ahead.
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

inline constexpr int kThreads = 128;   // one warpgroup
inline constexpr int kRowBytes = 128;  // a row of a swizzled tile in shared memory
inline constexpr int kBk = 64;         // a k-step: as many elements as a row holds
inline constexpr int kGroup = 8;       // rows of tiles in a group of the block order

struct Tile {
  int bm, bn;
  int blocks;  // resident on an SM, at least
  constexpr int stage_bytes() const { return (bm + bn) * kRowBytes; }
  constexpr int shared() const { return stage_bytes() + static_cast<int>(sizeof(Mbarrier)); }
  constexpr bool valid() const {
    return bm % 64 == 0 && bn % 64 == 0 && bm <= 256 && bn <= 256 &&  // TMA boxes
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
    hopper_52_tma(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, Args g) {
  constexpr Tile t = kTiles[tile];
  constexpr int bytes = (t.bm + t.bn) * kRowBytes, wgmmas = t.bm / 64;  // of a stage; of 64 rows for the warpgroup
  extern __shared__ __align__(1024) unsigned char hopper_52_shared[];
  unsigned char* const sA = hopper_52_shared;       // (bm, bk), or (bm / 64, bk, 64)
  unsigned char* const sB = sA + t.bm * kRowBytes;  // (bn, bk), or (bn / 64, bk, 64)
  AccumulatorStrip* const strips =
      reinterpret_cast<AccumulatorStrip*>(hopper_52_shared);  // for the epilogue, one for each warp
  Mbarrier* const full = reinterpret_cast<Mbarrier*>(hopper_52_shared + bytes);

  const TilePosition at = tile_position<t.bm, t.bn, kGroup>(g.m, g.n, static_cast<int>(blockIdx.x));

  if (threadIdx.x == 0) {
    mbarrier_init(full, 1);
    fence_mbarrier_init();
  }
  __syncthreads();

  unsigned phase = 0;
  float acc[wgmmas][t.bn / 2] = {};
#pragma unroll 1
  for (std::int64_t k = 0; k < g.k; k += kBk, phase ^= 1) {
    // One thread issues the loads, all wait for the bytes.
    if (threadIdx.x == 0) {
      mbarrier_arrive_expect_tx(full, bytes);
      load<t.bm, a_major>(sA, A, at.row, k, full);
      load<t.bn, b_major>(sB, B, at.col, k, full);
    }
    mbarrier_wait(full, phase);

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
      TensorMap A{}, B{};
      const Type in = args.problem.in;
      if (Status s = operand_map(A, g.A, in, a, g.m, g.k, g.lda, bm); !s.ok()) return s;
      if (Status s = operand_map(B, g.B, in, b, g.n, g.k, g.ldb, bn); !s.ok()) return s;
      const bool wide = args.problem.out == Type::f32;
      const Args kernel_args{g.m, g.n, g.k, g.alpha, g.beta, g.C, g.ldc, wide};
      const Grid grid{ceil_div(g.m, bm) * ceil_div(g.n, bn)};
      const auto kernel = hopper_52_tma<In, i, a, b>;
      return cairn::launch(grid, kThreads, shared, stream, kernel, A, B, kernel_args);
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
