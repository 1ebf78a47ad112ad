// Tiles of operands of any layout and alignment that stay in shared memory as they are stored: asynchronous copies bring
// them, so that no registers hold them on their way, and what reads them knows their layout.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "device/async_copy.hpp"
#include "device/copy_unit.hpp"
#include "device/vec.hpp"

namespace cairn {

// The same number, which the compiler takes for a new one: what depends on it is computed where it is used.
__device__ __forceinline__ int anew(int x) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(x));
#endif
  return x;
}

// One operand's tiles in shared memory. They lie there as in global memory: lines along k (k-major), or along m or n.
// k-major lines are so padded that threads that read neighbouring lines find them in different banks.
template <class T, int rows, int bk, int threads, bool k_major> struct StoredTile {
  static constexpr int kChunk = 16 / sizeof(T);
  static constexpr int kLine = k_major ? bk : rows, kLines = k_major ? rows : bk;

  const T* from;  // the first element of the next k-step
  std::int64_t ld;
  int inside;  // of `rows`, how many are in the matrix
  int unit;    // elements that are copied at once: those of 16 bytes, of 8, or one

  __device__ __forceinline__ StoredTile(const T* matrix, std::int64_t ld_, std::int64_t first, std::int64_t end,
                                        int unit_)
      : from(matrix + (k_major ? first * ld_ : first)),
        ld(ld_),
        inside(static_cast<int>(min(end - first, std::int64_t{rows}))),
        unit(unit_) {}

  static constexpr __device__ int at(int line, int along) {
    return k_major ? line * bk + line / kChunk * kChunk + along : line * rows + along;
  }
  // Copies the next k-step, of which `depth` is in the matrix, by units of `some` elements; zeros outside. Addresses in
  // shared memory are constants for each `group` of lines, which begins after padding.
  template <int some> __device__ __forceinline__ void copy(T* stage, int depth, int thread) const {
    constexpr int per_line = kLine / some, parts = per_line > threads ? per_line / threads : 1;
    constexpr int step = parts > 1 ? 1 : threads / per_line;  // lines from one of a thread's units to the next
    constexpr int group = step > kChunk ? step : kChunk, ld_shared = k_major ? bk : rows;
    static_assert((threads % per_line == 0 || per_line % threads == 0) && kLines % group == 0);
    const int line = parts > 1 ? 0 : thread / per_line, along = thread % per_line * some;
    const int lines = k_major ? inside : depth, left = (k_major ? depth : inside) - along;
    const T* source = from + line * ld + along;
    T* to = stage + at(line, along);
#pragma unroll(group > step ? 1 : 2)
    for (int i = 0; i < kLines; i += group, to += at(group, 0)) {
#pragma unroll
      for (int more = 0; more < group; more += step, source += step * ld) {
#pragma unroll
        for (int part = 0; part < parts * threads * some; part += threads * some) {
          const int valid = min(max(left - part, 0), some) * static_cast<int>(sizeof(T));
          async_copy<some * sizeof(T)>(to + more * ld_shared + part, source + part,
                                       line + i + more < lines ? valid : 0);
        }
      }
    }
  }
  // The addresses of all units would take many registers between k-steps.
  __device__ __forceinline__ void fetch(T* stage, int depth, int thread) {
    if (unit == kChunk) {
      copy<kChunk>(stage, depth, anew(thread));
    } else if (kChunk > 2 && unit == 2) {
      copy<2>(stage, depth, anew(thread));
    } else {
      copy<1>(stage, depth, anew(thread));
    }
    from += k_major ? std::int64_t{bk} : bk * ld;
  }
  // Reads a chunk of rows of each of as many k: to[k][row].
  static __device__ __forceinline__ void read(T (&to)[kChunk][kChunk], const T* stage, int row, int k) {
#pragma unroll
    for (int x = 0; x < kChunk; ++x) {
      T line[kChunk];  // a row's neighbours along k, or those along m or n of one k
      load16(line, stage + (k_major ? row * bk + row / kChunk * kChunk + x * bk + k : (k + x) * rows + row));
#pragma unroll
      for (int y = 0; y < kChunk; ++y) (k_major ? to[y][x] : to[x][y]) = line[y];
    }
  }
};

// Adds to a sub-tile of the sums the products of a chunk of rows and a chunk of columns, of as many k.
template <class T, int tm, int tn, int chunk>
__device__ __forceinline__ void outer_products(T (&acc)[tm][tn], int i0, int j0, const T (&a)[chunk][chunk],
                                               const T (&b)[chunk][chunk]) {
#pragma unroll
  for (int e = 0; e < chunk; ++e) {
#pragma unroll
    for (int j = 0; j < chunk; ++j) {
#pragma unroll
      for (int i = 0; i < chunk; ++i) {
        T& sum = acc[i0 + i][j0 + j];  // fused, so that tiles at edges have the bits of others
        if constexpr (sizeof(T) == 8) sum = fma(a[e][i], b[e][j], sum);
        if constexpr (sizeof(T) == 4) sum = fmaf(a[e][i], b[e][j], sum);
      }
    }
  }
}

}  // namespace cairn
