// The kernel of a split product: that of the summit (hopper/59), with pairs of stages of planes where that has a stage.
#pragma once

#include "device/barrier.hpp"
#include "device/elect.hpp"
#include "device/pdl.hpp"
#include "device/setmaxnreg.hpp"
#include "device/tma.hpp"
#include "kernels/hopper/parts/args.hpp"
#include "kernels/hopper/parts/load.hpp"
#include "kernels/hopper/parts/partials.hpp"
#include "kernels/hopper/parts/split_multiply.hpp"
#include "kernels/hopper/parts/split_planes.hpp"
#include "kernels/hopper/parts/split_repair.hpp"
#include "kernels/hopper/parts/store.hpp"
#include "kernels/hopper/parts/work.hpp"

namespace cairn::hopper {

// Undoes the scaling of a warpgroup's accumulators, the first of which is at (row, col) of C; `rows` and `cols` from there
// on are in it.
template <class G>
__device__ __forceinline__ void unscale(const TileRanges& ranges, std::int64_t row, std::int64_t col, int rows,
                                        int cols, float (&acc)[G::wgmmas][G::wn / 2]) {
  const int lane = static_cast<int>(threadIdx.x) % 32, r = static_cast<int>(threadIdx.x) / 32 % 4 * 16 + lane / 4;
  int of_cols[G::wn / 32];  // a lane loads every 32nd, and hands them to those that need them
#pragma unroll
  for (int i = 0; i < G::wn / 32; ++i) {
    const int at = i * 32 + lane;
    of_cols[i] = ranges.exponent({0}, at < cols ? ranges.b[col + at] : RowRange{0});
  }
#pragma unroll
  for (int i = 0; i < G::wgmmas; ++i) {
    int of_rows[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int at = i * 64 + r + half * 8;
      of_rows[half] = at < rows ? ranges.a[row + at].exponent() : 0;
    }
#pragma unroll
    for (int j = 0; j < G::wn / 8; ++j) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int of_col = __shfl_sync(0xffffffffu, of_cols[j / 4], j % 4 * 8 + lane % 4 * 2 + e);
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float& x = acc[i][4 * j + 2 * half + e];
          x = times_power(x, of_rows[half] + of_col);
        }
      }
    }
  }
}

// Stores a warpgroup's unscaled accumulators to C; where there are wild rows or columns, by threads, which leave those
// out.
template <class G>
__device__ __forceinline__ void store_split(const Args& g, const TensorMap& C, const TileRanges& ranges,
                                            const BatchPosition& at, int row, float (&acc)[G::wgmmas][G::wn / 2],
                                            const Staging& staging) {
  if (!ranges.wild) return store<Tf32, G, false, Form::plain>(g, C, at, row, 0, acc, staging);
#pragma unroll
  for (int i = 0; i < G::wgmmas; ++i) {
    if (staging.issues()) tma_wait_read<0>();
    bar_sync(staging.barrier, 128);
    const std::int64_t c_row = at.row + row + i * 64, of_batch = at.batch * g.stride_c;
    AccumulatorStrip& strip = reinterpret_cast<AccumulatorStrip*>(staging.boxes)[threadIdx.x / 32 % 4];
    for_each_accumulator<G::wn>(of_batch + c_row * g.ldc + at.col, g.ldc, at.rows - row - i * 64, at.cols, acc[i],
                                strip, [&](std::int64_t c, float sum) {
                                  const std::int64_t in_product = c - of_batch, r = in_product / g.ldc;
                                  if (!ranges.skips(r, in_product - r * g.ldc))
                                    update<float>(g.C, c, sum, g.alpha, g.beta);
                                });
  }
}

// Of a thread: 192 accumulators, those of chains included, leave the producer few.
inline constexpr int kSplitProducerRegisters = 40, kSplitConsumerRegisters = 232;

inline constexpr int kRepairBarrier = 5;  // named; those before are the warpgroups' own, and for their turns

// Stages of a unit of k, and where in a row of planes a stage begins.
__device__ __forceinline__ int stages_of_unit(bool f16) { return kUnit / (f16 ? kF16Planes.k : kBf16Planes.k); }
__device__ __forceinline__ int chunk_of(bool f16) { return f16 ? kF16Planes.chunk : kBf16Planes.chunk; }

template <Tile tile, bool may_f16>
__device__ __forceinline__ void split_gemm(const TensorMap& A, const TensorMap& B, const TensorMap& C,
                                           const SplitArgs& s, unsigned char* shared) {
  using G = Geometry<tile, Major::k, false>;
  static_assert(!G::pingpong && !G::fetched && G::t.team == Team::rows && G::wgmmas == 1 && G::stages >= 2);
  const Args& g = s.g;
  unsigned char* const sA = shared;                              // (stages, bm, 128 bytes)
  unsigned char* const sB = sA + G::stages * G::bm * kRowBytes;  // (stages, bn, 128 bytes)
  unsigned char* const sC = shared + G::stages * G::stage_bytes;
  Mbarrier* const full = reinterpret_cast<Mbarrier*>(sC + 2 * kBoxes * kBoxBytes);
  Mbarrier* const empty = full + G::stages;
  if (threadIdx.x == 0) {
    for (int i = 0; i < G::stages; ++i) {
      mbarrier_init(full + i, 1);
      mbarrier_init(empty + i, 2);
    }
    fence_mbarrier_init();
  }
  if (threadIdx.x == 128) {
    prefetch_tensor_map(A);
    prefetch_tensor_map(B);
    if (g.tma_store) prefetch_tensor_map(C);
  }
  // The rows that no load writes are multiplied too: they must not be NaN.
  if (g.rows_a < G::bm || g.rows_b < G::b_rows) {
    clear_rows<G::stages, G::bm>(sA, g.rows_a);
    clear_rows<G::stages, G::b_rows>(sB, g.rows_b);
    fence_proxy_async();
  }
  __syncthreads();
  pdl_launch_dependents();
  const auto block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
  int stage = 0;
  unsigned phase = 0;
  const auto advance = [&] {
    if (++stage == G::stages) stage = 0, phase ^= 1;
  };
  Work work{};

  // Producer warpgroup: one thread issues TMA loads.
  if (threadIdx.x < 128) {
    setmaxnreg_dec<kSplitProducerRegisters>();
    using TileA = OperandTile<1, G::bm, Major::k>;
    using TileB = OperandTile<1, G::bn, Major::k>;
    const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 32, 0);
    if (warp == 0 && elect_one()) {
      pdl_wait();
      const bool f16 = may_f16 && g.stream_k.steps > 0 && s.header->f16 != 0;
      const int stages = stages_of_unit(f16), chunk = chunk_of(f16);
      for (int i = 0; next_work(g, block, blocks, 0, i, work); ++i) {
        const BatchPosition at = position_of(g, G::bm, G::bn, work, {});
        const int row = static_cast<int>(at.row), col = static_cast<int>(at.col);
#pragma unroll 1
        for (int step = work.begin * stages; step < work.end * stages; ++step, advance()) {
          mbarrier_wait(empty + stage, phase ^ 1);
          mbarrier_arrive_expect_tx(full + stage, (g.rows_a + g.rows_b) * kRowBytes);
          load<TileA, false>(sA + stage * G::bm * kRowBytes, A, row, step * chunk, g.broadcast_a ? 0 : at.batch,
                             full + stage, {});
          load<TileB, false>(sB + stage * G::bn * kRowBytes, B, col, step * chunk, g.broadcast_b ? 0 : at.batch,
                             full + stage, {});
        }
      }
    }
    return;
  }
  setmaxnreg_inc<kSplitConsumerRegisters>();
  // The shuffle tells the compiler that these are warp-uniform, so descriptors stay in uniform registers.
  const int warp = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 32, 0), barrier = warp / 4,
            warpgroup = barrier - 1, row = warpgroup * G::wm;
  const Staging staging{sC + warpgroup * kBoxes * kBoxBytes, nullptr, barrier, warp % 4};
  const auto release = [&](int used) {
    if (threadIdx.x % 128 == 0) mbarrier_arrive(empty + used);
  };

  const Turns turns{warpgroup};
  turns.begin();
  pdl_wait();
  bool more = next_work(g, block, blocks, 0, 0, work);
  if (g.stream_k.steps == 0)
    store_zeros<Tf32, Form::plain>(g, static_cast<int>(threadIdx.x) - 128, 256), more = false;
  const bool f16 = may_f16 && more && s.header->f16 != 0;

  const int pairs = stages_of_unit(f16) / 2;
#pragma unroll 1
  for (int iteration = 0; more; ++iteration) {
    float acc[G::wgmmas][G::wn / 2];
    clear(acc);
    const auto main_loop = [&](auto&& multiply_pair) {
#pragma unroll 1
      for (int left = (work.end - work.begin) * pairs; left > 0; --left) {
        StagePair pair;
        const int second = stage + 1 == G::stages ? 0 : stage + 1;
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          const int from = i == 0 ? stage : second;
          mbarrier_wait(full + from, second == 0 && i == 1 ? phase ^ 1 : phase);
          pair.a[i] = descriptor(sA + (from * G::bm + row) * kRowBytes);
          pair.b[i] = descriptor(sB + from * G::b_rows * kRowBytes);
        }
        multiply_pair(pair);
#pragma unroll
        for (int i = 0; i < 2; ++i, advance()) release(stage);
      }
    };
    if (f16) {
      if constexpr (may_f16) main_loop([&](const StagePair& pair) { multiply_f16x3<G::wn>(acc[0], pair, turns); });
    } else {
      main_loop([&](const StagePair& pair) { multiply_bf16x6<G::wn>(acc[0], pair, turns); });
    }

    // Epilogue, while the producer fills the stages of the next tile. What it needs is computed only now: the accumulators
    // and the chain leave no registers for it.
    const BatchPosition at = position_of(g, G::bm, G::bn, work, {});
    const Work now = work;
    more = next_work(g, block, blocks, 0, iteration + 1, work);
    if (now.end - now.begin < g.stream_k.steps) {
      float* const slot = g.partials + std::int64_t{now.slot} * (G::bm * G::bn);
#pragma unroll
      for (int i = 0; i < G::wgmmas; ++i) store_partials<G::wn>(slot + (row + i * 64) * G::bn, G::bn, false, acc[i]);
    } else {
      const TileRanges ranges(s, at.batch, *s.header);
      unscale<G>(ranges, at.row + row, at.col, at.rows - row, at.cols, acc);
      // After the last tile no stage is filled again, and this warpgroup alone has read its rows of A.
      store_split<G>(g, C, ranges, at, row, acc,
                     {staging.boxes, more ? nullptr : sA + row * kRowBytes, barrier, warp % 4});
    }
  }
  turns.end();
  if (staging.issues()) tma_wait_read<0>();  // shared memory must outlive the stores that read it
  __syncwarp();
  if (g.stream_k.steps > 0 && s.header->wild > 0) {
    static_assert(sizeof(RepairShared) <= 2 * kBoxes * kBoxBytes);
    bar_sync(kRepairBarrier, kRepairThreads);  // the staging boxes are free
    repair(s, *s.header, *reinterpret_cast<RepairShared*>(sC), static_cast<int>(threadIdx.x) - 128, kRepairBarrier);
  }
}

// The fix-up of the tiles that stream-K split.
static __global__ void __launch_bounds__(kFixupThreads) hopper_split_fixup(const __grid_constant__ SplitArgs s) {
  __shared__ __align__(16) float shared[kFixupShared<float>];
  const Args& g = s.g;
  pdl_launch_dependents();
  const int split = static_cast<int>(blockIdx.y), row = fixup_row(), col = fixup_col<float>();
  const SplitTile t = split_tile(g, g.bm, g.bn, g.stream_k.whole + split);
  pdl_wait();
  float* const sums =
      add_partials(shared, t.cols, g.stream_k, g.partials, std::int64_t{t.rows} * t.cols, split, t.rows_left);
  if (sums == nullptr || col >= t.cols_left) return;
  const TileRanges ranges(s, t.batch, *s.header);
  const RowRange of_row = ranges.a[t.row + row];
  const int left = min(t.cols_left - col, 4);
  for (int e = 0; e < left; ++e)
    sums[col + e] = times_power(sums[col + e], ranges.exponent(of_row, ranges.b[t.col + col + e]));
  float* const c = static_cast<float*>(g.C) + t.first + row * g.ldc + col;
  if (!ranges.wild) return update<float, 4>(c, sums + col, left, g.alpha, g.beta, g.vector_c);
  for (int e = 0; e < left; ++e)
    if (!ranges.skips(t.row + row, t.col + col + e)) update_one(c + e, sums[col + e], g.alpha, g.beta);
}

}  // namespace cairn::hopper
