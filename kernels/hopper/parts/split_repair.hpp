// What C has of wild rows and columns (split_planes.hpp), by f64 multiply-adds of the operands as they are stored. Where
// there are none, which the header tells, the kernel ends at once.
#pragma once

#include "device/launch.hpp"
#include "device/pdl.hpp"
#include "device/strip.hpp"
#include "kernels/hopper/parts/split_kernel.hpp"

namespace cairn::hopper {

// An operand by elements: line `i` (a row of op(A), a column of op(B)) at k.
struct Lines {
  const float* base;
  std::int64_t line, k, stride, lines;
  __device__ __forceinline__ const float* of(std::int64_t i, int batch) const { return base + batch * stride + i * line; }
};

struct RepairArgs {
  SplitArgs s;
  Lines a, b;
  std::int64_t k;
  int batch;
};

inline constexpr int kRepairThreads = 256, kRepairLanes = 64, kRepairParts = 4;  // parts of k, added in order
inline constexpr int kRepairLines = 4;                                         // wild lines at a time

static __global__ void __launch_bounds__(kRepairThreads) hopper_split_repair(const __grid_constant__ RepairArgs r) {
  __shared__ double parts[kRepairParts][kRepairLines][kRepairLanes];
  __shared__ int wild[kRepairThreads], count;
  pdl_launch_dependents();
  pdl_wait();
  const SplitHeader header = *r.s.header;
  if (header.wild == 0) return;
  const Args& g = r.s.g;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kRepairLanes, part = thread / kRepairLanes;
  const std::int64_t each = (r.k + kRepairParts - 1) / kRepairParts, begin = min(part * each, r.k),
                     end = min(begin + each, r.k);
  // Wild rows first, by chunks of columns; then wild columns by chunks of rows, without the elements that are done.
  const std::int64_t chunks_b = (r.b.lines + kRepairLanes - 1) / kRepairLanes,
                     chunks_a = (r.a.lines + kRepairLanes - 1) / kRepairLanes, all = chunks_a + chunks_b;
  for (std::int64_t item = blockIdx.x; item < all * r.batch; item += gridDim.x) {
    const auto batch = static_cast<int>(item / all);
    const bool by_rows = item % all < chunks_b;
    const std::int64_t chunk = item % all - (by_rows ? 0 : chunks_b), other = chunk * kRepairLanes + lane;
    const TileRanges ranges(r.s, batch, header);
    const Lines &lines = by_rows ? r.a : r.b, &others = by_rows ? r.b : r.a;
    const RowRange* const of_lines = by_rows ? ranges.a : ranges.b;
    const bool mine = other < others.lines && (by_rows || !ranges.a[other].wild(ranges.f16));
    const float* const y = others.of(other, batch);
    for (std::int64_t first = 0; first < lines.lines; first += kRepairThreads) {
      // The wild ones of the next lines, in order.
      const bool is_wild = first + thread < lines.lines && of_lines[first + thread].wild(ranges.f16);
      const unsigned ballot = __ballot_sync(0xffffffffu, is_wild);
      __syncthreads();
      if (thread == 0) count = 0;
      wild[thread] = is_wild ? 1 : 0;
      __syncthreads();
      if (ballot != 0 && thread % 32 == 0) atomicAdd(&count, __popc(ballot));
      __syncthreads();
      if (count == 0) continue;
      int seen = 0;
      for (int from = 0; seen < count; ) {
        int line[kRepairLines], some = 0;
        for (; from < kRepairThreads && some < kRepairLines; ++from)
          if (wild[from] != 0) line[some++] = from;
        seen += some;
        double sum[kRepairLines] = {};
        if (mine) {
          for (int l = 0; l < some; ++l) {
            const float* const x = lines.of(first + line[l], batch);
            double total = 0;
#pragma unroll 8
            for (std::int64_t k = begin; k < end; ++k) total = fma(static_cast<double>(x[k * lines.k]), static_cast<double>(y[k * others.k]), total);
            sum[l] = total;
          }
        }
        for (int l = 0; l < some; ++l) parts[part][l][lane] = sum[l];
        __syncthreads();
        for (int l = part; l < some && mine; l += kRepairParts) {
          double total = parts[0][l][lane];
          for (int p = 1; p < kRepairParts; ++p) total += parts[p][l][lane];
          const std::int64_t row = by_rows ? first + line[l] : other, col = by_rows ? other : first + line[l];
          update<float>(g.C, batch * g.stride_c + row * g.ldc + col, static_cast<float>(total), g.alpha, g.beta);
        }
        __syncthreads();
      }
    }
  }
}

}  // namespace cairn::hopper
