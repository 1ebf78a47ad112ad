// Fix-up of split tiles (device/stream_k.hpp): adds the partial sums of each, always in the same order.
//
// A thread has 16 bytes of a row. Threads along x have all of the row, those along y are layers, which each add every so
// many-th range and whose sums are then added in their order, and those along z have the next rows. A fix-up takes a few
// microseconds of waiting for memory, so everything is asked for at once: there are as many layers as make one wave of
// threads, and as many rows in a block as make it large enough not to be limited by the number of blocks on an SM.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "device/stream_k.hpp"
#include "device/vec.hpp"

namespace cairn {

inline constexpr int kFixupThreads = 1024;  // of a block, at most
inline constexpr int kFixupLayers = 16;

// Elements of shared memory in a block: 16 bytes for each thread.
template <class T> inline constexpr int kFixupShared = kFixupThreads * 16 / sizeof(T);

// The block for tiles of `rows` rows of `bytes` bytes, on `sms` SMs. The grid has a block for each block.z rows along x
// and the split tiles along y.
inline dim3 fixup_block(const StreamK& stream_k, int rows, std::size_t bytes, int sms) {
  constexpr int kWave = 1024, kBlock = 256;  // threads: of an SM, and enough for a block
  const int across = static_cast<int>(bytes / 16);
  const std::int64_t layer = std::int64_t{across} * rows * stream_k.split, wave = std::int64_t{sms} * kWave / layer;
  const auto most = std::min({kFixupLayers, kFixupThreads / across, partials_of_a_tile(stream_k)});
  const int deep = static_cast<int>(std::clamp<std::int64_t>(wave, 1, most));
  const int down = std::clamp(kBlock / (across * deep), 1, std::min(rows, 64));
  return dim3(static_cast<unsigned>(across), static_cast<unsigned>(deep), static_cast<unsigned>(down));
}

__device__ __forceinline__ int fixup_row() { return static_cast<int>(blockIdx.x * blockDim.z + threadIdx.z); }
template <class T> __device__ __forceinline__ int fixup_col() {
  return static_cast<int>(threadIdx.x * (16 / sizeof(T)));
}

// Adds the partial sums of split tile `split`, whose slots are of `tile_size` elements in rows of `cols`. Of the tile
// `rows` rows are in the matrix. Returns the thread's row of sums in `shared` if it has 16 bytes of it to store, from
// fixup_col() on; else null. All threads of the block call it.
template <class T>
__device__ __forceinline__ T* add_partials(T* shared, int cols, const StreamK& stream_k, const T* partials,
                                           std::int64_t tile_size, int split, int rows) {
  constexpr int wide = 16 / sizeof(T), at_once = 8;  // loads in flight, also for the last few
  const int begin = split * stream_k.steps, row = fixup_row(), col = fixup_col<T>();
  const int layer = static_cast<int>(threadIdx.y), deep = static_cast<int>(blockDim.y);
  const int first = stream_k.range_of(begin), last = stream_k.range_of(begin + stream_k.steps - 1);
  const int ends_here = stream_k.first(first) < begin ? 1 : 0;  // all ranges but perhaps the first begin in this tile
  if (first == last) return nullptr;  // one range covers the tile: it was not split; uniform
  T sum[wide] = {};
  const auto add = [&](const T* more) {
#pragma unroll
    for (int e = 0; e < wide; ++e) sum[e] += more[e];
  };
#pragma unroll 1
  for (int i = first + layer; i <= last && row < rows; i += at_once * deep) {
    T more[at_once][wide] = {};
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      const int range = i + u * deep;
      const std::int64_t slot = 2 * std::int64_t{range} + (range == first ? ends_here : 0);
      if (range <= last) load16(more[u], partials + slot * tile_size + row * cols + col);
    }
#pragma unroll
    for (int u = 0; u < at_once; ++u)
      if (i + u * deep <= last) add(more[u]);
  }
  T* const sums = shared + static_cast<int>(threadIdx.z) * deep * cols;
  store16(sums + layer * cols + col, sum);
  if (deep > 1) __syncthreads();  // uniform
  if (layer > 0 || row >= rows) return nullptr;
  for (int y = 1; y <= min(last - first, deep - 1); ++y) {
    T more[wide];
    load16(more, sums + y * cols + col);
    add(more);
  }
  store16(sums + col, sum);
  return sums;
}

}  // namespace cairn
