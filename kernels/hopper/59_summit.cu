// 59 · Summit                                              docs/trail/hopper_59_summit.md · cairn bench hopper/59
//
// From    hopper/57_tma_store
// Idea    The library's kernel on Hopper, rather than a lesson: the main loop of 57, or 58's pingpong, for every
//         problem. It has tiles to choose from, batches in one launch, stream-K for the tail wave (as in tensor/39),
//         PDL, and a packing kernel for operands that TMA or wgmma cannot read as they are stored.
// Before  51 to 58 have one tile, one product and two types, and need operands aligned to 16 bytes.
// Limit   Large products reach the GPU's power limit: the clock drops before the tensor cores are fully used.
// Needs   f16, bf16 (C the same, or f32), tf32, e4m3 (C the same, or wider; accumulated in the tensor cores, or
//         promoted); row-major nn, nt, tn, tt; any m, n, k, leading dimension, alignment and batch; scratch memory
//         for packed operands and for partial sums of split tiles; sm_90a.
#include "device/barrier.hpp"
#include "device/cluster.hpp"
#include "device/launch.hpp"
#include "device/pdl.hpp"
#include "device/setmaxnreg.hpp"
#include "device/strip.hpp"
#include "device/tma.hpp"
#include "kernels/hopper/59_summit/args.hpp"
#include "kernels/hopper/59_summit/choose.hpp"
#include "kernels/hopper/59_summit/matrix.hpp"
#include "kernels/hopper/59_summit/multiply.hpp"
#include "kernels/hopper/59_summit/pack.hpp"
#include "kernels/hopper/59_summit/store.hpp"
#include "kernels/hopper/59_summit/work.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper_59 {

inline constexpr int kFixupThreadsY = 16;  // of a fix-up block, at most: they divide the partial sums of a row
inline constexpr int kOrderBarrier = 2;    // named barriers 3 and 4: the order of the warpgroups' main loops

template <class In> inline constexpr int element_size = std::is_same_v<In, Tf32> ? 4 : sizeof(In);

// Loads a tile of an operand, `rows` rows of op(A) (columns of op(B)) by a k-step. K-major: one box. MN-major: a box
// for each 64 rows of the operand, which are the 128 bytes of a row of the swizzled tile. Of a tile that all
// `blocks` of the cluster need, block `rank` loads one part and multicasts it to all.
template <int rows, Major major, int blocks>
__device__ __forceinline__ void load(unsigned char* to, const TensorMap& map, int row, int k, int batch, int rank,
                                     Mbarrier* full) {
  constexpr int part = rows / blocks;
  constexpr unsigned mask = (1u << blocks) - 1;
  const int offset = blocks == 1 ? 0 : rank * part, row0 = row + offset;
  to += offset * kRowBytes;
  if constexpr (major == Major::k) {
    if constexpr (blocks == 1) tma_load(to, map, {k, row0, batch}, full);
    if constexpr (blocks > 1) tma_load_multicast(mask, to, map, {k, row0, batch}, full);
  } else {
#pragma unroll
    for (int i = 0; i < part; i += 64) {
      if constexpr (blocks == 1) tma_load(to + i * kRowBytes, map, {row0 + i, k, batch}, full);
      if constexpr (blocks > 1) tma_load_multicast(mask, to + i * kRowBytes, map, {row0 + i, k, batch}, full);
    }
  }
}

// A tile's rows are swizzled in groups of 8; MN-major, each 64 rows of the operand are 64 rows of the tile.
__device__ __forceinline__ MatrixDescriptor descriptor(const unsigned char* tile) {
  return matrix_descriptor(tile, Swizzle::b128, 8 * kRowBytes, 64 * kRowBytes);
}

template <class In, int tile, Major a_major, Major b_major, bool promoted>
__global__ void __launch_bounds__(kThreads, kTiles[tile].blocks_per_sm())
    hopper_59_summit(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B,
                     const __grid_constant__ TensorMap C, const __grid_constant__ Args g) {
  using G = Geometry<tile>;
  constexpr int bk = kRowBytes / element_size<In>;
  extern __shared__ __align__(1024) unsigned char hopper_59_shared[];
  unsigned char* const sA = hopper_59_shared;                    // (stages, bm, bk), or (…, bm / 64, bk, 64)
  unsigned char* const sB = sA + G::stages * G::bm * kRowBytes;  // (stages, bn, bk), or (…, bn / 64, bk, 64)
  unsigned char* const sC =
      hopper_59_shared + G::stages * G::stage_bytes;  // (2, boxes, 64, 128 B), or a strip for each warp
  Mbarrier* const full = reinterpret_cast<Mbarrier*>(sC + 2 * kBoxes * kBoxBytes);
  Mbarrier* const empty = full + G::stages;

  if (threadIdx.x == 0) {
    for (int i = 0; i < G::stages; ++i) {
      mbarrier_init(full + i, 1);                                    // the producer, which also expects the bytes
      mbarrier_init(empty + i, (G::pingpong ? 1 : 2) * G::cluster);  // one thread of each warpgroup on the tile
    }
    fence_mbarrier_init();
  }
  if (threadIdx.x == 128) {
    prefetch_tensor_map(A);
    prefetch_tensor_map(B);
    if (g.tma_store) prefetch_tensor_map(C);
  }
  // Boxes may have fewer rows than the tile. The rows that no load writes are multiplied too: they must not be NaN.
  if (g.load_bytes < G::stage_bytes) {
    for (int i = static_cast<int>(threadIdx.x) * 16; i < G::stages * G::stage_bytes; i += kThreads * 16)
      *reinterpret_cast<float4*>(hopper_59_shared + i) = make_float4(0, 0, 0, 0);
    fence_proxy_async();
  }
  if constexpr (G::cluster > 1) cluster_sync();
  if constexpr (G::cluster == 1) __syncthreads();
  // PDL: nothing of the previous grid is read yet; let the next one launch.
  pdl_launch_dependents();
  const int rank = G::cluster > 1 ? static_cast<int>(cluster_rank()) : 0;
  const int block = static_cast<int>(blockIdx.x) / G::cluster, blocks = static_cast<int>(gridDim.x) / G::cluster;
  int stage = 0;
  unsigned phase = 0;
  const auto advance = [&] {
    if (++stage == G::stages) stage = 0, phase ^= 1;
  };
  Work work{};

  // Producer warpgroup: one thread issues the loads.
  if (threadIdx.x < 128) {
    setmaxnreg_dec<kProducerRegisters>();
    for (int i = 0; threadIdx.x == 0 && next_work(g.stream_k, block, blocks, i, work); ++i) {
      const BatchPosition at = position_of<tile>(g, work.tile, rank);
      const int row = static_cast<int>(at.row), col = static_cast<int>(at.col);
      if (i == 0) pdl_wait();
      for (int k_step = work.begin; k_step < work.end; ++k_step, advance()) {
        mbarrier_wait(empty + stage, phase ^ 1);  // the first pass over the ring does not wait
        mbarrier_arrive_expect_tx(full + stage, g.load_bytes);
        load<G::bm, a_major, 1>(sA + stage * G::bm * kRowBytes, A, row, k_step * bk, g.broadcast_a ? 0 : at.batch,
                                rank, full + stage);
        load<G::bn, b_major, G::cluster>(sB + stage * G::bn * kRowBytes, B, col, k_step * bk,
                                         g.broadcast_b ? 0 : at.batch, rank, full + stage);
      }
    }
    __syncwarp();
    if constexpr (G::cluster > 1) cluster_sync();  // until then other blocks may reach this one's memory
    return;
  }
  setmaxnreg_inc<G::consumer_registers>();
  // The shuffle tells the compiler that these are warp-uniform, so descriptors stay in uniform registers.
  const int barrier = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 128, 0), warpgroup = barrier - 1;
  const int row = G::warpgroups_m == 2 ? warpgroup * G::wm : 0, col = G::warpgroups_n == 2 ? warpgroup * G::wn : 0;
  unsigned char* const boxes = sC + warpgroup * kBoxes * kBoxBytes;
  const auto release = [&](int used) {
    const unsigned thread = threadIdx.x % 128;
    if constexpr (G::cluster > 1) {
      if (thread < G::cluster) mbarrier_arrive_remote(empty + used, thread);
    } else {
      if (thread == 0) mbarrier_arrive(empty + used);
    }
  };

  pdl_wait();
  Work next{};
  bool more = next_work(g.stream_k, block, blocks, 0, work);
#pragma unroll 1
  for (int iteration = 0; more; ++iteration, work = next) {
    more = next_work(g.stream_k, block, blocks, iteration + 1, next);
    if constexpr (G::pingpong) {
      // Skip the stages of the other warpgroup's tiles, and start when it has waited for all of them: an mbarrier
      // tells phases by their parity only, so a wait for a later phase could return too early.
      if (iteration % 2 != warpgroup) {
        stage += work.end - work.begin;
        phase ^= stage / G::stages % 2;
        stage %= G::stages;
        continue;
      }
      if (iteration > 0) bar_sync(kOrderBarrier + barrier, 256);
    }

    const BatchPosition at = position_of<tile>(g, work.tile, rank);  // here it overlaps the first load
    float acc[G::wgmmas][G::wn / 2];                                 // the first products overwrite it
    if (promoted || work.begin == work.end) clear(acc);
#pragma unroll 1
    for (int k_step = work.begin; k_step < work.end; ++k_step, advance()) {
      mbarrier_wait(full + stage, phase);
      const MatrixDescriptor a = descriptor(sA + (stage * G::bm + row) * kRowBytes);
      const MatrixDescriptor b = descriptor(sB + (stage * G::bn + col) * kRowBytes);
      if constexpr (promoted) {
        multiply_promoted<In, tile>(acc, a, b);
        release(stage);
      } else {
        multiply<In, tile, a_major, b_major>(acc, a, b, k_step > work.begin);
        // The products of the previous k-step are complete, so its stage can be filled again.
        wgmma_wait<1>();
        if (k_step > work.begin) release(stage == 0 ? G::stages - 1 : stage - 1);
      }
    }
    if (G::pingpong && more) bar_arrive(kOrderBarrier + 3 - barrier, 256);
    wgmma_wait<0>();
    if (!promoted && work.end > work.begin) release(stage == 0 ? G::stages - 1 : stage - 1);

    // Epilogue, while the producer fills the stages of the next tile. The blocks of a cluster share a slot.
    if (work.end - work.begin < g.stream_k.steps) {
      const std::int64_t first = (std::int64_t{work.slot} * G::cluster + rank) * G::bm + row;
#pragma unroll
      for (int i = 0; i < G::wgmmas; ++i)
        store_partials<G::wn>(g.partials + (first + i * 64) * G::bn + col, G::bn, acc[i]);
    } else {
      // After the last tile no stage is filled again, and this warpgroup alone has read its rows of A.
      unsigned char* const stages = G::warpgroups_m == 2 && !more ? sA + row * kRowBytes : nullptr;
      store<In, tile>(g, C, at, row, col, acc, {boxes, stages}, barrier);
    }
  }
  if (threadIdx.x % 128 == 0) tma_wait_read<0>();  // shared memory must outlive the stores that read it
  __syncwarp();
  if constexpr (G::cluster > 1) cluster_sync();
}

// The fix-up of split tiles: a block for each row of each.
template <class Out, int tile>
__global__ void __launch_bounds__(kTiles[tile].bn / 4 * kFixupThreadsY)
    hopper_59_fixup(const __grid_constant__ Args g) {
  using G = Geometry<tile>;
  __shared__ float layers[kFixupThreadsY][G::bn];
  static_assert(sizeof layers <= kHelperSharedBytes);
  pdl_launch_dependents();
  const int split = static_cast<int>(blockIdx.y), row = static_cast<int>(blockIdx.x);
  const BatchPosition at = position_of<tile>(g, g.stream_k.whole + split, 0);
  if (row >= at.rows) return;  // all threads of the block
  pdl_wait();
  const int threads_y = static_cast<int>(blockDim.y);
  if (!add_partials(layers, g.stream_k, g.partials, G::cluster * G::bm * G::bn, split, row, threads_y)) return;
  const int col = static_cast<int>(threadIdx.x) * 4, left = at.cols - col;
  Out* const to = static_cast<Out*>(g.C) + at.batch * g.stride_c + (at.row + row) * g.ldc + at.col + col;
  update<Out, 4>(to, &layers[0][col], left, g.alpha, g.beta, g.vector_c);
}

// The kernels of all tiles, so that the host needs no template for each.
using Kernel = void (*)(TensorMap, TensorMap, TensorMap, Args);
using Fixup = void (*)(Args);
using Tiles = std::make_integer_sequence<int, static_cast<int>(std::size(kTiles))>;
template <class In, Major a, Major b, bool promoted, int... tile>
Kernel kernel_of(int index, std::integer_sequence<int, tile...>) {
  static constexpr Kernel all[] = {hopper_59_summit<In, tile, a, b, promoted>...};
  return all[index];
}
template <class In> Kernel kernel_of(int index, Major a, Major b) {
  if (a == Major::k) {
    return b == Major::k ? kernel_of<In, Major::k, Major::k, false>(index, Tiles{})
                         : kernel_of<In, Major::k, Major::mn, false>(index, Tiles{});
  }
  return b == Major::k ? kernel_of<In, Major::mn, Major::k, false>(index, Tiles{})
                       : kernel_of<In, Major::mn, Major::mn, false>(index, Tiles{});
}
Kernel kernel_of(const Problem& p, int index, Major a, Major b) {
  switch (p.in) {
    case Type::f16: return kernel_of<__half>(index, a, b);
    case Type::bf16: return kernel_of<__nv_bfloat16>(index, a, b);
    case Type::f32: return kernel_of<Tf32, Major::k, Major::k, false>(index, Tiles{});
    default:
      return p.compute == Compute::fast ? kernel_of<E4m3, Major::k, Major::k, false>(index, Tiles{})
                                        : kernel_of<E4m3, Major::k, Major::k, true>(index, Tiles{});
  }
}
template <class Out, int... tile> Fixup fixup_of(int index, std::integer_sequence<int, tile...>) {
  static constexpr Fixup all[] = {hopper_59_fixup<Out, tile>...};
  return all[index];
}
Fixup fixup_of(Type out, int index) {
  switch (out) {
    case Type::e4m3: return fixup_of<E4m3>(index, Tiles{});
    case Type::f16: return fixup_of<__half>(index, Tiles{});
    case Type::bf16: return fixup_of<__nv_bfloat16>(index, Tiles{});
    default: return fixup_of<float>(index, Tiles{});
  }
}

struct Maps {
  TensorMap A, B, C;  // C where TMA stores it
};
static_assert(sizeof(Maps) <= sizeof(LaunchCache::bytes));
Status make_maps(Maps& maps, const Matrix& A, int rows_a, const Matrix& B, int rows_b, const Matrix* C) {
  const bool tf32 = A.type == Type::f32;
  if (Status s = map_of(maps.A, A, rows_a, tf32); !s.ok()) return s;
  if (Status s = map_of(maps.B, B, rows_b, tf32); !s.ok()) return s;
  return C == nullptr ? Status{} : map_of(maps.C, *C, 64, false);
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  if (tile < 0 || tile >= static_cast<int>(std::size(kTiles))) return no_such_tile(tile, std::size(kTiles));
  if (args.idle()) return {};
  const Problem& p = args.problem;
  const Tile& t = kTiles[tile];
  Matrix A = matrix_a(p, args.A), B = matrix_b(p, args.B);
  const Matrix C{args.C, p.out, p.m, p.n, p.ldc, p.stride_c, p.batch, Major::k};
  A.k = B.k = args.depth();
  std::span<std::byte> scratch = args.scratch;
  if (Status s = pack_operands(A, B, scratch, stream); !s.ok()) return s;

  const bool vector_c = !misaligned(args.C) && !rows_misaligned(C);
  const bool tma_store = vector_c && args.beta == 0 && p.out != Type::e4m3;
  // A K-major box that ends with the matrix is faster than one that reaches beyond it.
  const auto box_rows = [](const Matrix& m, int most) {
    return m.major == Major::k ? static_cast<int>(std::min<std::int64_t>(most, m.rows)) : most;
  };
  const int rows_a = box_rows(A, t.bm), rows_b = t.cluster > 1 ? t.bn : box_rows(B, t.bn);
  // With k = 0 there are no tensor maps to cache.
  LaunchCache fresh, &cache = args.cache != nullptr && args.depth() > 0 ? *args.cache : fresh;
  Maps& maps = *reinterpret_cast<Maps*>(cache.bytes.data());
  if (!cache.made_for(tile, A.base, B.base, tma_store ? args.C : nullptr)) {
    Status made = make_maps(maps, A, rows_a, B, rows_b / t.cluster, tma_store ? &C : nullptr);
    cache.filled = made.ok();
    if (!made.ok()) return made;
  }

  const std::int64_t tiles = ceil_div(p.m, t.bm * t.cluster) * ceil_div(p.n, t.bn);
  const StreamK stream_k = args.choice != nullptr && args.depth() > 0
                               ? args.choice->kept<StreamK>()
                               : whole_tiles(tiles * p.batch, ceil_div(args.depth() * size_of(p.in), kRowBytes));
  const Args g{.m = p.m,
               .n = p.n,
               .alpha = args.depth() > 0 ? static_cast<float>(args.alpha) : 0.0f,
               .beta = static_cast<float>(args.beta),
               .C = args.C,
               .ldc = p.ldc,
               .stride_c = p.stride_c,
               .out = p.out,
               .tma_store = tma_store,
               .tma_store_edge = p.n * size_of(p.out) % 16 == 0,
               .vector_c = vector_c,
               .broadcast_a = A.stride == 0,
               .broadcast_b = B.stride == 0,
               .tiles = static_cast<int>(tiles),
               .load_bytes = (rows_a + rows_b) * kRowBytes,
               .stream_k = stream_k,
               .partials = reinterpret_cast<float*>(scratch.data())};
  const std::int64_t most = std::max(args.sms / t.cluster, 1);
  const Grid grid{(stream_k.split > 0 ? most : std::min<std::int64_t>(stream_k.whole, most)) * t.cluster};
  if (Status s = launch_pdl_cluster(static_cast<unsigned>(t.cluster), grid, kThreads, t.shared(), stream,
                                    kernel_of(p, tile, A.major, B.major), maps.A, maps.B, maps.C, g);
      !s.ok() || stream_k.split == 0) {
    return s;
  }
  const int threads_y = std::min(kFixupThreadsY, partials_of_a_tile(stream_k));
  return launch_pdl_co_resident({t.cluster * t.bm, stream_k.split}, dim3(t.bn / 4, static_cast<unsigned>(threads_y)),
                                0, stream, fixup_of(p.out, tile), g);
}

extern const Rung rung = {.id = "hopper/59_summit",
                          .title = "Summit",
                          .kind = RungKind::gemm,
                          .types = types::f16_bf16_tf32_e4m3,
                          .layouts = layout::all,
                          .arch = 90,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch,
                          .batched = true,
                          .choose = choose,
                          .only_arch = true,
                          .pointer_alignment = 16,
                          .copies = true};

}  // namespace cairn::hopper_59
