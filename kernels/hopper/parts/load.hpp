// How a stage is filled by TMA, and how wgmma reads it.
#pragma once

#include <cuda_runtime.h>

#include "device/tma.hpp"
#include "device/wgmma.hpp"
#include "kernels/hopper/parts/tile.hpp"

namespace cairn::hopper {

// An operand's tile, rows of op(A) (columns of op(B)) by a k-step: `parts` times `rows`. K-major: one box. MN-major:
// boxes of 64 rows of the operand, which are the 128 bytes of a row of the swizzled tile, and for each part as many as
// it needs.
template <int parts_, int rows_, Major major_> struct OperandTile {
  static constexpr int parts = parts_, rows = rows_;
  static constexpr Major major = major_;
  static constexpr int boxes = (rows + 63) / 64, all_boxes = parts * boxes;  // MN-major
};

// Several blocks of a cluster need the same tile: each loads its share and multicasts it to all of them.
struct Share {
  int row;          // the first, of a K-major tile, or of k in every box
  int first, end;   // boxes of an MN-major tile
  unsigned to_all;  // a bit for each block
};
// Of block `index` of two or four.
template <class T> __device__ __forceinline__ Share share_of(int index, int blocks, unsigned to_all) {
  const auto part = [&](int i, int all) { return i * all >> (blocks == 4 ? 2 : 1); };
  if (T::major == Major::k) return {part(index, T::parts * T::rows), 0, 1, to_all};
  if (divides_boxes(T::all_boxes, blocks))
    return {0, part(index, T::all_boxes), part(index + 1, T::all_boxes), to_all};
  return {part(index, kBoxDepth), 0, T::all_boxes, to_all};
}

template <class T, bool shared>
__device__ __forceinline__ void load(unsigned char* to, const TensorMap& map, int row, int k, int batch,
                                     Mbarrier* full, const Share& share) {
  const int skip = shared ? share.row : 0;
  const auto load_box = [&](int box, int at) {
    const int x = T::major == Major::k ? k : at, y = (T::major == Major::k ? at : k) + skip;
    unsigned char* const here = to + (box * kBoxDepth + skip) * kRowBytes;
    if constexpr (shared) tma_load_multicast(share.to_all, here, map, {x, y, batch}, full);
    if constexpr (!shared) tma_load(here, map, {x, y, batch}, full);
  };
  if constexpr (T::major == Major::k) {
    load_box(0, row);
  } else {
#pragma unroll
    for (int box = 0; box < T::all_boxes; ++box) {
      if (!shared || (box >= share.first && box < share.end))
        load_box(box, row + box / T::boxes * T::rows + box % T::boxes * 64);
    }
  }
}

// Zeroes the rows of every stage after the first `loaded`.
template <int stages, int rows> __device__ __forceinline__ void clear_rows(unsigned char* tiles, int loaded) {
  constexpr int chunks = kRowBytes / 16;
  const int left = rows - loaded;
  for (int i = static_cast<int>(threadIdx.x); i < stages * left * chunks; i += kThreads) {
    const int row = i / chunks, stage = row / left;
    *reinterpret_cast<float4*>(tiles + (stage * rows + loaded + row - stage * left) * kRowBytes + i % chunks * 16) =
        make_float4(0, 0, 0, 0);
  }
}

// A tile's rows are swizzled in groups of 8; MN-major, each 64 rows of the operand are 64 rows of the tile.
__device__ __forceinline__ MatrixDescriptor descriptor(const unsigned char* tile) {
  return matrix_descriptor(tile, Swizzle::b128, 8 * kRowBytes, 64 * kRowBytes);
}

}  // namespace cairn::hopper
