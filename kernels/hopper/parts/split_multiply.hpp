// The products of a pair of stages of planes (split_planes.hpp), added to f32 accumulators.
//
// Tensor cores truncate what they add, always towards zero, so products are summed there over a few instructions only,
// in a chain of accumulators that begins at zero. The chain is then added to the f32 accumulators by ordinary additions
// (promotion), during which a warpgroup has no wgmma to run. So the two warpgroups take turns: one promotes while the
// other's chain is computed, and hands over when its own is nearly complete.
#pragma once

#include "device/barrier.hpp"
#include "device/wgmma.hpp"
#include "kernels/hopper/parts/multiply.hpp"
#include "kernels/hopper/parts/split_planes.hpp"

namespace cairn::hopper {

// A stage of A and one of B, as this warpgroup reads them.
struct StagePair {
  MatrixDescriptor a[2], b[2];
};

// Whose turn it is, by two named barriers, one for each warpgroup: it waits at its own, where the other arrives. The
// first turn is warpgroup 0's.
struct Turns {
  static constexpr int kBarrier = 3;
  int warpgroup;
  __device__ __forceinline__ void begin() const {
    if (warpgroup == 1) bar_arrive(kBarrier, 256);
  }
  __device__ __forceinline__ void wait() const { bar_sync(kBarrier + warpgroup, 256); }
  __device__ __forceinline__ void hand_over() const { bar_arrive(kBarrier + 1 - warpgroup, 256); }
  // The last turn was warpgroup 1's, which has handed over once more than warpgroup 0 has waited.
  __device__ __forceinline__ void end() const {
    if (warpgroup == 0) wait();
  }
};

// Sums `count` products in a chain, and adds it, times `by`, to the accumulators from acc on. product(chain, i, add)
// issues wgmma i, which adds to the chain, or begins it.
template <int n, int count, class Product>
__device__ __forceinline__ void promote(float (&acc)[n / 2], float by, const Turns& turns, Product&& product) {
  constexpr int left = 2;  // while so many run, the other warpgroup can issue its own
  float chain[n / 2];
  turns.wait();
  wgmma_fence();
#pragma unroll
  for (int i = 0; i < count - left; ++i) product(chain, i, i > 0);
  wgmma_commit();
#pragma unroll
  for (int i = count - left; i < count; ++i) product(chain, i, i > 0);
  wgmma_commit();
  wgmma_wait<1>();
  turns.hand_over();
  wgmma_wait<0>();
  wgmma_fence_operand(chain);
#pragma unroll
  for (int e = 0; e < n / 2; ++e) acc[e] = fmaf(chain[e], by, acc[e]);
}

// 64 of k by f16 planes: hi lo + lo hi, in a chain of its own since lo is scaled; and hi hi in two, so that only two
// instructions truncate at full magnitude. A row of a stage has 32 of k of hi, and the same of lo. The warpgroups begin
// with different chains: two long ones after each other would be followed by four short ones, none of which is long
// enough for a promotion.
template <int n>
__device__ __forceinline__ void multiply_f16x3(float (&acc)[n / 2], const StagePair& pair, const Turns& turns) {
  constexpr int lo = kF16Planes.k * 2;
  const auto small = [&] {
    promote<n, 8>(acc, 1.0f / (1 << kLowExponent), turns, [&](float(&chain)[n / 2], int p, bool add) {
      const int s = p / 4, k = p / 2 % 2 * 32, a = p % 2 * lo, b = lo - a;
      wgmma<__half, n>(chain, pair.a[s].at(a + k), pair.b[s].at(b + k), add);
    });
  };
  const auto large = [&] {
#pragma unroll
    for (int s = 0; s < 2; ++s) {
      promote<n, 2>(acc, 1, turns, [&](float(&chain)[n / 2], int p, bool add) {
        wgmma<__half, n>(chain, pair.a[s].at(p * 32), pair.b[s].at(p * 32), add);
      });
    }
  };
  if (turns.warpgroup == 0) {
    small();
    large();
  } else {
    large();
    small();
  }
}

// 32 of k by bf16 planes, the smallest of the six products first: with p0 p0 last, two instructions truncate at full
// magnitude here too. A row of a stage has 16 of k of each plane.
template <int n>
__device__ __forceinline__ void multiply_bf16x6(float (&acc)[n / 2], const StagePair& pair, const Turns& turns) {
  constexpr int plane = kBf16Planes.k * 2;
  promote<n, 12>(acc, 1, turns, [&](float(&chain)[n / 2], int p, bool add) {
    constexpr int planes_a[] = {2, 0, 1, 1, 0, 0}, planes_b[] = {0, 2, 1, 0, 1, 0};
    const int s = p % 2, a = planes_a[p / 2] * plane, b = planes_b[p / 2] * plane;
    wgmma<__nv_bfloat16, n>(chain, pair.a[s].at(a), pair.b[s].at(b), add);
  });
}

}  // namespace cairn::hopper
