// The kernel of the summit, and the table of its instances. Each type of operands is compiled in a file of its own
// (f16.cu, …), so that they compile in parallel.
#pragma once

#include "device/barrier.hpp"
#include "device/cluster.hpp"
#include "device/elect.hpp"
#include "device/pdl.hpp"
#include "device/setmaxnreg.hpp"
#include "device/tma.hpp"
#include "kernels/hopper/59_summit/menu.hpp"
#include "kernels/hopper/parts/args.hpp"
#include "kernels/hopper/parts/block_scales.hpp"
#include "kernels/hopper/parts/fetch.hpp"
#include "kernels/hopper/parts/load.hpp"
#include "kernels/hopper/parts/multiply.hpp"
#include "kernels/hopper/parts/partials.hpp"
#include "kernels/hopper/parts/store.hpp"
#include "kernels/hopper/parts/work.hpp"

namespace cairn::hopper_59 {

inline constexpr int kOrderBarrier = 2;  // named barriers 3 and 4: the order of the warpgroups' main loops

template <class In> inline constexpr int element_size = std::is_same_v<In, Tf32> ? 4 : sizeof(In);
template <int size>
using Bits = std::conditional_t<size == 4, std::uint32_t, std::conditional_t<size == 2, std::uint16_t, std::uint8_t>>;

template <class In, int tile, Major a_major, Major b_major, bool promoted, Form form>
__global__ void __launch_bounds__(kThreads, kTiles[tile].blocks_per_sm())
    hopper_59_summit(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B,
                     const __grid_constant__ TensorMap C, const __grid_constant__ Args g) {
  constexpr bool finishing = form != Form::plain, grouped = form == Form::grouped;
  using G = Geometry<kTiles[tile], b_major, promoted && finishing>;
  constexpr int bk = kRowBytes / element_size<In>;
  extern __shared__ __align__(1024) unsigned char hopper_59_shared[];
  unsigned char* const sA = hopper_59_shared;                    // (stages, bm, bk), or (…, bm / 64, bk, 64)
  unsigned char* const sB = sA + G::stages * G::bm * kRowBytes;  // (stages, bn, bk), or (…, b_rows / 64, bk, 64)
  unsigned char* const sC =
      hopper_59_shared + G::stages * G::stage_bytes;  // (2, boxes, 64, 128 B), or a strip for each warp
  Mbarrier* const full = reinterpret_cast<Mbarrier*>(sC + 2 * kBoxes * kBoxBytes);
  Mbarrier* const empty = full + G::stages;
  float* const sScales = reinterpret_cast<float*>(empty + G::stages);  // (stages, stage_scales), if it takes any
  const bool in_blocks = G::scales_blocks && g.epilogue.steps_a.data != nullptr;

  // Blocks that load into a stage of this one, or receive what it loads: its column of the cluster, and its row.
  const int fillers = g.down + g.across - 1;
  if (threadIdx.x == 0) {
    // A thread of the producer, which also expects the bytes of TMA; and a thread of each warpgroup. With scales of
    // blocks, the warp that copies them, and each warp that reads them.
    for (int i = 0; i < G::stages; ++i) {
      mbarrier_init(full + i, in_blocks ? 2 : 1);
      mbarrier_init(empty + i, static_cast<unsigned>((G::pingpong ? 1 : 2) * (fillers + (in_blocks ? 4 : 0))));
    }
    fence_mbarrier_init();
  }
  if (threadIdx.x == 128) {
    if constexpr (!G::fetched) {
      prefetch_tensor_map(A);
      prefetch_tensor_map(B);
    }
    if (g.tma_store) prefetch_tensor_map(C);
  }
  // Boxes may have fewer rows than the tile. The rows that no load writes are multiplied too: they must not be NaN.
  if (g.rows_a < G::bm || g.rows_b < G::b_rows) {
    clear_rows<G::stages, G::bm>(sA, g.rows_a);
    clear_rows<G::stages, G::b_rows>(sB, g.rows_b);
    fence_proxy_async();
  }
  const int together = g.down * g.across * g.k_blocks;                              // blocks of a cluster
  auto block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);  // or clusters
  int rank = 0;
  if (together > 1) {
    cluster_sync();
    rank = static_cast<int>(cluster_rank());
    block /= together, blocks /= together;
  } else {
    __syncthreads();
  }
  // PDL: nothing of the previous grid is read yet; let the next one launch.
  pdl_launch_dependents();
  const ClusterPlace place = place_of(g, rank);
  int stage = 0;
  unsigned phase = 0;
  const auto advance = [&] {
    if (++stage == G::stages) stage = 0, phase ^= 1;
  };
  using Item = std::conditional_t<grouped, GroupedWork, Work>;
  Item work{};

  // Producer warpgroup: one thread issues TMA loads; or each warp fetches every fourth k-step, so that four are on
  // their way at the same time.
  if (threadIdx.x < 128) {
    if constexpr (G::fetched) {
      setmaxnreg_inc<G::producer_registers>();
      using Element = Bits<element_size<In>>;
      constexpr bool tf32 = std::is_same_v<In, Tf32>;
      const int warp = static_cast<int>(threadIdx.x) / 32;
      int turn = 0;
      pdl_wait();
      for (int i = 0; next_work(g, block, blocks, rank, i, work); ++i) {
        const BatchPosition at = position_of(g, G::bm, G::bn, work, place);
        for (int k_step = work.begin; k_step < work.end; ++k_step, advance(), turn = (turn + 1) % 4) {
          if (turn != warp) continue;
          mbarrier_wait(empty + stage, phase ^ 1);
          fetch<Element, tf32>(sA + stage * G::bm * kRowBytes, g.a, at.row, g.rows_a, k_step, at.batch);
          fetch<Element, tf32>(sB + stage * G::b_rows * kRowBytes, g.b, at.col, g.rows_b, k_step, at.batch);
          fence_proxy_async();
          __syncwarp();
          if (threadIdx.x % 32 == 0) mbarrier_arrive(full + stage);
        }
      }
    } else {
      setmaxnreg_dec<G::producer_registers>();
      // For blocks that share nothing, columns of B, and rows of A too: what is known at compile time is not computed
      // for every k-step.
      using TileA = OperandTile<1, G::bm, a_major>;
      using TileB = OperandTile<G::parts_n, G::wn, b_major>;
      const auto produce = [&]<bool share_a, bool share_b>() {
        const Share of_a = share_of<TileA>(place.beside, g.across, (1u | 1u << g.down) << place.below),
                    of_b = share_of<TileB>(place.below, g.down, ((1u << g.down) - 1) << place.beside * g.down);
        for (int i = 0; next_work(g, block, blocks, rank, i, work); ++i) {
          const BatchPosition at = position_of(g, G::bm, G::bn, work, place);
          const int row = static_cast<int>(at.row), col = static_cast<int>(at.col);
          if (i == 0) pdl_wait();
#pragma unroll 1
          for (int k_step = work.begin; k_step < work.end; ++k_step, advance()) {
            mbarrier_wait(empty + stage, phase ^ 1);  // the first pass over the ring does not wait
            mbarrier_arrive_expect_tx(full + stage, (g.rows_a + g.rows_b) * kRowBytes);
            load<TileA, share_a>(sA + stage * G::bm * kRowBytes, A, row, k_step * bk, g.broadcast_a ? 0 : at.batch,
                                 full + stage, of_a);
            load<TileB, share_b>(sB + stage * G::b_rows * kRowBytes, B, col, k_step * bk,
                                 g.broadcast_b ? 0 : at.batch, full + stage, of_b);
          }
        }
      };
      const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 32, 0);
      if constexpr (G::scales_blocks) {
        if (in_blocks && warp == 1) copy_scales<G, Item>(g, sScales, full, empty, block, blocks, rank, place);
      }
      if (warp == 0 && elect_one()) {
        if (g.down == 1) {
          produce.template operator()<false, false>();
        } else if (g.across == 1) {
          produce.template operator()<false, true>();
        } else {
          produce.template operator()<true, true>();
        }
      }
    }
    __syncwarp();
    if (together > 1)
      cluster_sync();  // until then other blocks may reach this one's memory, or wait for partial sums
    return;
  }
  if constexpr (G::fetched) setmaxnreg_dec<G::consumer_registers>();
  if constexpr (!G::fetched) setmaxnreg_inc<G::consumer_registers>();
  // The shuffle tells the compiler that these are warp-uniform, so descriptors stay in uniform registers.
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 32, 0), barrier = warp / 4,
            warpgroup = barrier - 1;
  const int row = G::t.team == Team::rows ? warpgroup * G::wm : 0, col = G::parts_n == 2 ? warpgroup * G::wn : 0,
            b_row = G::parts_n == 2 ? warpgroup * G::b_part : 0;
  const Staging staging{sC + warpgroup * kBoxes * kBoxBytes, nullptr, barrier, warp % 4};
  // A stage is released by a thread for each block that fills it: those of this one's column, and the other of its row.
  const int thread = static_cast<int>(threadIdx.x) % 128;
  const bool releases = thread == 0 && g.down == 1, releases_remote = thread < fillers && g.down > 1;
  const auto filler = static_cast<unsigned>(thread < g.down ? place.beside * g.down + thread
                                                            : (1 - place.beside) * g.down + place.below);
  const auto release = [&](int used) {
    if (releases) mbarrier_arrive(empty + used);
    if (releases_remote) mbarrier_arrive_remote(empty + used, filler);
    if (in_blocks) {
      __syncwarp();
      if (elect_one()) mbarrier_arrive(empty + used);
    }
  };

  pdl_wait();
  Item next{};
  bool more = next_work(g, block, blocks, rank, 0, work);
  if (g.stream_k.steps == 0) store_zeros<In, form>(g, static_cast<int>(threadIdx.x) - 128, 256), more = false;
#pragma unroll 1
  for (int iteration = 0; more; ++iteration, work = next) {
    more = next_work(g, block, blocks, rank, iteration + 1, next);
    if constexpr (G::pingpong) {
      // Skip the stages of the other warpgroup's tiles, and start when it has waited for all of them: an mbarrier
      // tells phases by their parity only, so a wait for a later phase could return too early.
      if (iteration % 2 != warpgroup) {
        stage += work.end - work.begin;
        phase ^= stage / G::stages % 2;
        stage %= G::stages;
        continue;
      }
    }

    // Here it overlaps the first load, or the main loop of the other warpgroup.
    const BatchPosition at = position_of(g, G::bm, G::bn, work, place);
    if constexpr (finishing && !grouped) prefetch_vectors(g, at, thread);
    float acc[G::wgmmas][G::wn / 2];  // the first products overwrite it
    if constexpr (promoted) clear(acc);
    // The lower warpgroup may have no rows of a group's last tile.
    const bool idle = grouped && !promoted && !g.turned && row >= at.rows;
    if (G::pingpong && iteration > 0) bar_sync(kOrderBarrier + barrier, 256);
#pragma unroll 1
    for (int k_step = work.begin; k_step < work.end; ++k_step, advance()) {
      mbarrier_wait(full + stage, phase);
      if (idle) {
        bar_sync(barrier, 128);  // wgmma would keep the warps together; a late one would miss a phase
        release(stage);
        continue;
      }
      const MatrixDescriptor a = descriptor(sA + (stage * G::bm + row) * kRowBytes);
      const MatrixDescriptor b = descriptor(sB + (stage * G::b_rows + b_row) * kRowBytes);
      if constexpr (promoted) {
        constexpr int n = G::promoted_n;
        if (in_blocks) {
          const BlockScales<G, form> scales(g, at, row, col);
          const float* const slot = sScales + stage * G::stage_scales;
          multiply_promoted<In, G>(
              a, b, [&](int i, int from) { return scales.factors(slot, i * 64, from); },
              [&](int i, int from, const auto& sums, const auto& by) {
                scales.template add<n>(acc[i] + from / 2, sums, by, slot, i * 64, from);
              });
        } else {
          multiply_promoted<In, G>(
              a, b, [](int, int) { return 0; },
              [&](int i, int from, const auto& sums, int) {
#pragma unroll
                for (int e = 0; e < n / 2; ++e) acc[i][from / 2 + e] += sums[e];
              });
        }
        release(stage);
      } else {
        multiply<In, G, a_major, b_major>(acc, a, b, k_step > work.begin);
        // The products of the previous k-step are complete, so its stage can be filled again.
        wgmma_wait<1>();
        if (k_step > work.begin) release(stage == 0 ? G::stages - 1 : stage - 1);
      }
    }
    if (G::pingpong && more) bar_arrive(kOrderBarrier + 3 - barrier, 256);
    wgmma_wait<0>();
    if (!promoted && !idle) release(stage == 0 ? G::stages - 1 : stage - 1);

    // Epilogue, while the producer fills the stages of the next tile. The blocks of a cluster share a slot.
    if (!grouped && work.end - work.begin < g.stream_k.steps) {
      const int stride = g.turned ? g.down * G::bm : g.across * G::bn;
      const int slot_col = place.beside * G::bn + col;
      float* const slot = g.partials + std::int64_t{work.slot} * g.down * g.across * (G::bm * G::bn);
#pragma unroll
      for (int i = 0; i < G::wgmmas; ++i) {
        const int slot_row = place.below * G::bm + row + i * 64;
        store_partials<G::wn>(slot + (g.turned ? slot_col * stride + slot_row : slot_row * stride + slot_col), stride,
                              g.turned, acc[i]);
      }
    } else {
      // After the last tile no stage is filled again, and this warpgroup alone has read its rows of A.
      Staging here = staging;
      if (G::t.team == Team::rows && !more) here.stages = sA + row * kRowBytes;
      store<In, G, promoted, form>(g, C, at, row, col, acc, here);
    }
  }
  if (staging.issues()) tma_wait_read<0>();  // shared memory must outlive the stores that read it
  __syncwarp();
  if (together > 1) cluster_sync();
  if (!grouped && g.k_blocks > 1)
    add_in_cluster<In, G::bm, G::bn, finishing>(g, block, rank, static_cast<int>(threadIdx.x) - 128, 256);
}

// The kernels of one type of operands and one form: each compiled in a file of its own.
using Kernel = void (*)(TensorMap, TensorMap, TensorMap, Args);
using Tiles = std::make_integer_sequence<int, static_cast<int>(std::size(kTiles))>;
using LoadedTiles = std::make_integer_sequence<int, kLoadedTiles>;
template <bool promoted> using EpilogueTiles = FinishingTiles<promoted>;
template <bool promoted> using TilesOfGroups = GroupedTiles<promoted>;
template <class In, Major a, Major b, bool promoted, Form form, int... tile>
Kernel kernel_in(int index, std::integer_sequence<int, tile...>) {
  Kernel kernel = nullptr;
  ((tile == index ? void(kernel = hopper_59_summit<In, tile, a, b, promoted, form>) : void()), ...);
  return kernel;
}
template <class In, bool promoted, Form form> Kernel kernel_of(int tile, Major a, Major b) {
  using Some = std::conditional_t<form == Form::grouped, TilesOfGroups<promoted>, EpilogueTiles<promoted>>;
  using Loaded = std::conditional_t<form == Form::plain, LoadedTiles, Some>;
  using All = std::conditional_t<form == Form::plain, Tiles, Some>;
  if constexpr (sizeof(In) == 2) {          // wgmma reads 16-bit operands of either layout; fetched tiles are K-major
    if constexpr (form != Form::grouped) {  // where the operand whose rows are in groups is K-major
      if (a == Major::mn && b == Major::mn)
        return kernel_in<In, Major::mn, Major::mn, promoted, form>(tile, Loaded{});
    }
    if (a == Major::mn) return kernel_in<In, Major::mn, Major::k, promoted, form>(tile, Loaded{});
    if (b == Major::mn) return kernel_in<In, Major::k, Major::mn, promoted, form>(tile, Loaded{});
  }
  return kernel_in<In, Major::k, Major::k, promoted, form>(tile, All{});
}

}  // namespace cairn::hopper_59
