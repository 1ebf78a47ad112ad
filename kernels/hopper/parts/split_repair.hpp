// What C has of wild rows and columns (split_planes.hpp), by f64 multiply-adds of the operands as they are stored. Nothing
// else writes these elements, so the blocks of the product compute them when they are done with their tiles.
#pragma once

#include <algorithm>

#include "device/barrier.hpp"
#include "device/strip.hpp"
#include "kernels/hopper/parts/args.hpp"
#include "kernels/hopper/parts/matrix.hpp"
#include "kernels/hopper/parts/split_planes.hpp"

namespace cairn::hopper {

// An operand by elements: line `i` (a row of op(A), a column of op(B)) at k.
struct Lines {
  const float* base;
  std::int64_t line, k, stride, count;
  __device__ __forceinline__ const float* of(std::int64_t i, int batch) const {
    return base + batch * stride + i * line;
  }
};
inline Lines lines_of(const Matrix& m) {
  return {static_cast<const float*>(m.base), m.major == Major::k ? m.ld : 1, m.major == Major::k ? 1 : m.ld, m.stride,
          m.rows};
}

struct SplitArgs {
  Args g;  // k-steps are units of k
  const SplitHeader* header;
  const RowRange *ranges_a, *ranges_b;  // of all products; those of one, where all have it in common
  Lines a, b;
  std::int64_t k;
  int batch;
};

// The ranges of the rows and columns of a product of the batch.
struct TileRanges {
  const RowRange *a, *b;
  bool f16, wild;
  __device__ __forceinline__ TileRanges(const SplitArgs& s, int batch, SplitHeader header)
      : a(s.ranges_a + (s.g.broadcast_a ? 0 : batch * s.g.m)),
        b(s.ranges_b + (s.g.broadcast_b ? 0 : batch * s.g.n)),
        f16(header.f16 != 0),
        wild(header.wild > 0) {}
  // Of what C is multiplied by.
  __device__ __forceinline__ int exponent(RowRange row, RowRange col) const {
    return row.exponent() + col.exponent() - 2 * (f16 ? kF16Planes.exponent : kBf16Planes.exponent);
  }
  __device__ __forceinline__ bool skips(std::int64_t row, std::int64_t col) const {
    return wild && (a[row].wild(f16) || b[col].wild(f16));
  }
};

inline constexpr int kRepairThreads = 256, kRepairLanes = 64, kRepairParts = 4;  // parts of k, added in order
inline constexpr int kRepairLines = 4;                                           // wild lines at a time
struct RepairShared {
  double parts[kRepairParts][kRepairLines][kRepairLanes];
  int wild[kRepairThreads];  // of the lines that are looked at
};

// By 256 threads of each block, thread `thread`, with a named barrier for them.
__device__ __forceinline__ void repair(const SplitArgs& s, SplitHeader header, RepairShared& shared, int thread,
                                       int barrier) {
  const Args& g = s.g;
  const auto sync = [&] { bar_sync(barrier, kRepairThreads); };
  const int lane = thread % kRepairLanes, part = thread / kRepairLanes;
  const std::int64_t each = (s.k + kRepairParts - 1) / kRepairParts, begin = min(part * each, s.k),
                     end = min(begin + each, s.k);
  // Wild rows first, by chunks of columns; then wild columns by chunks of rows, without the elements that are done.
  const std::int64_t chunks_b = (s.b.count + kRepairLanes - 1) / kRepairLanes,
                     chunks_a = (s.a.count + kRepairLanes - 1) / kRepairLanes, all = chunks_a + chunks_b;
  for (std::int64_t item = blockIdx.x; item < all * s.batch; item += gridDim.x) {
    const auto batch = static_cast<int>(item / all);
    const bool by_rows = item % all < chunks_b;
    const std::int64_t chunk = item % all - (by_rows ? 0 : chunks_b), other = chunk * kRepairLanes + lane;
    const TileRanges ranges(s, batch, header);
    const Lines &lines = by_rows ? s.a : s.b, &others = by_rows ? s.b : s.a;
    const RowRange* const of_lines = by_rows ? ranges.a : ranges.b;
    const bool mine = other < others.count && (by_rows || !ranges.a[other].wild(ranges.f16));
    const float* const y = others.of(other, batch);
    for (std::int64_t first = 0; first < lines.count; first += kRepairThreads) {
      sync();  // all are done with the lines before
      shared.wild[thread] = first + thread < lines.count && of_lines[first + thread].wild(ranges.f16) ? 1 : 0;
      sync();
      for (int from = 0; from < kRepairThreads;) {
        int line[kRepairLines], count = 0;
        for (; from < kRepairThreads && count < kRepairLines; ++from)
          if (shared.wild[from] != 0) line[count++] = from;
        if (count == 0) break;
        for (int l = 0; l < count; ++l) {
          double sum = 0;
          if (mine) {
            const float* const x = lines.of(first + line[l], batch);
#pragma unroll 8
            for (std::int64_t k = begin; k < end; ++k)
              sum = fma(static_cast<double>(x[k * lines.k]), static_cast<double>(y[k * others.k]), sum);
          }
          shared.parts[part][l][lane] = sum;
        }
        sync();
        for (int l = part; l < count && mine; l += kRepairParts) {
          double sum = shared.parts[0][l][lane];
          for (int p = 1; p < kRepairParts; ++p) sum += shared.parts[p][l][lane];
          const std::int64_t row = by_rows ? first + line[l] : other, col = by_rows ? other : first + line[l];
          update_one(static_cast<float*>(g.C) + batch * g.stride_c + row * g.ldc + col, static_cast<float>(sum),
                     g.alpha, g.beta);
        }
        sync();
      }
    }
  }
}

}  // namespace cairn::hopper
