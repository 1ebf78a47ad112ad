// Tiles of f32 in shared memory that are MN-major, (bk, mn), copied from rows of any alignment: 4, 2 or 1 neighbours at
// a time, as many as all rows of the matrix are aligned to. Of an operand that is k-major in global memory the tile is
// transposed. What is outside the matrix becomes 0.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "device/async_copy.hpp"
#include "device/copy_unit.hpp"

namespace cairn {

// Whether the threads divide the tiles of both layouts evenly, whatever is copied at a time.
constexpr bool mn_major_loads(int mn, int bk, int threads) {
  for (const bool transpose : {false, true}) {
    const int rows = transpose ? mn : bk, cols = transpose ? bk : mn;
    for (int unit = 1; unit <= 4; unit *= 2) {
      const int lanes = cols / unit < 32 ? cols / unit : 32;
      if (threads % lanes != 0 || rows % (threads / lanes) != 0 || cols % (lanes * unit) != 0) return false;
    }
  }
  return true;
}

namespace detail {
template <int n> __device__ __forceinline__ void load_neighbours(float* registers, const float* from) {
  struct alignas(n * sizeof(float)) Words {
    float at[n];
  };
  const Words words = *reinterpret_cast<const Words*>(from);
#pragma unroll
  for (int e = 0; e < n; ++e) registers[e] = words.at[e];
}
}  // namespace detail

// Copies tiles of one operand into shared memory, where a tile is MN-major, (bk, rows): `rows` rows of op(A), or as
// many columns of op(B). In global memory the operand is MN-major too, or k-major; then the tile is transposed.
// `aligned`: copy_unit() is 4, and a thread keeps the address of its first chunk, which is less to compute.
template <int rows, int bk, int threads, bool transpose, bool aligned> struct MnMajorLoader {
  static constexpr int kLd = rows + (transpose ? 4 : 0);  // padded: a transposing store has 2-way conflicts only
  static constexpr int kStage = bk * kLd;
  static constexpr int kRows = transpose ? rows : bk, kCols = transpose ? bk : rows;  // as it is in global memory

  // How the block walks over the tile: lanes go along a row, `unit` neighbours each, the other threads down the rows.
  template <int unit> struct Walk {
    static constexpr int kLanes = kCols / unit < 32 ? kCols / unit : 32;
    static constexpr int kDown = threads / kLanes, kAcross = kLanes * unit;
    static __device__ __forceinline__ int row() { return static_cast<int>(threadIdx.x) / kLanes; }
    static __device__ __forceinline__ int col() { return static_cast<int>(threadIdx.x) % kLanes * unit; }
  };

  const float* tile;  // the first element of the next tile to copy, or this thread's first one of them
  std::int64_t ld;
  int inside;  // of `rows`, how many are inside the matrix
  int unit;
  float* shared;                                         // stage 0
  float held[transpose ? rows * bk / threads : 1] = {};  // a tile to transpose is held in registers until put()

  __device__ __forceinline__ MnMajorLoader(const float* matrix, std::int64_t ld_, std::int64_t first, int inside_,
                                           int unit_, float* shared_)
      : tile(matrix + (transpose ? first * ld_ : first)), ld(ld_), inside(inside_), unit(unit_), shared(shared_) {
    if constexpr (aligned) tile += own();
  }
  __device__ __forceinline__ std::int64_t own() const { return Walk<4>::row() * ld + Walk<4>::col(); }

  // Calls f.operator()<unit>(). The condition is the same for all threads of the block.
  template <class F> __device__ __forceinline__ void by_unit(F&& f) const {
    if (aligned || unit == 4) return f.template operator()<4>();
    if (unit == 2) return f.template operator()<2>();
    f.template operator()<1>();
  }

  // A full tile; or, where `edge`, any tile with `depth` of k inside the matrix: zeros stand in for what is outside.
  template <int unit, bool edge> __device__ __forceinline__ void fetch(int stage, int depth) {
    using W = Walk<unit>;
    const float* from = aligned ? tile : tile + W::row() * ld + W::col();
    float* to = shared + stage * kStage + W::row() * kLd + W::col();
#pragma unroll
    for (int i = 0; i < kRows / W::kDown; ++i) {
      const int row = W::row() + i * W::kDown;
      if constexpr (transpose) {
        float* const some = &held[i * unit];
        if (!edge || (row < inside && W::col() + unit <= depth)) {
          detail::load_neighbours<unit>(some, from);
        } else {
#pragma unroll
          for (int e = 0; e < unit; ++e) some[e] = row < inside && W::col() + e < depth ? from[e] : 0;
        }
      } else {
#pragma unroll
        for (int j = 0; j < kCols; j += W::kAcross) {
          const int left = row < depth ? min(inside - W::col() - j, unit) : 0;
          if constexpr (edge) async_copy<unit * 4>(to + i * W::kDown * kLd + j, from + j, 4 * max(left, 0));
          if constexpr (!edge) async_copy<unit * 4>(to + i * W::kDown * kLd + j, from + j);
        }
      }
      from += W::kDown * ld;
    }
  }
  __device__ __forceinline__ void fetch(int stage, int depth) {
    by_unit([&]<int n>() {
      if (depth < bk || inside < rows) return fetch<n, true>(stage, depth);
      fetch<n, false>(stage, depth);
    });
  }
  // Before the main loop several tiles are copied at once, so those to transpose, too, go there without registers.
  __device__ __forceinline__ void start(int stage, int depth) {
    if constexpr (transpose) {
      using W = Walk<1>;
      const float* from = tile - (aligned ? own() : 0) + W::row() * ld + W::col();
      float* to = shared + stage * kStage + W::col() * kLd + W::row();
#pragma unroll 4
      for (int row = W::row(); row < rows; row += W::kDown, from += W::kDown * ld, to += W::kDown)
        async_copy<4>(to, from, row < inside && W::col() < depth ? 4 : 0);
    } else {
      fetch(stage, depth);
    }
  }
  __device__ __forceinline__ void put(int stage) const {
    if constexpr (transpose) {
      by_unit([&]<int n>() {
        using W = Walk<n>;
        float* const to = shared + stage * kStage + W::col() * kLd + W::row();
#pragma unroll
        for (int i = 0; i < rows * bk / threads; ++i) to[i % n * kLd + i / n * W::kDown] = held[i];
      });
    }
  }
  __device__ __forceinline__ void advance(std::int64_t tiles) { tile += tiles * (transpose ? bk : bk * ld); }
};

}  // namespace cairn
