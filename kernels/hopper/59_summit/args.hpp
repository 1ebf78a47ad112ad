// The arguments of the summit's kernels, and the position of a tile within a batch.
#pragma once

#include "device/block_order.hpp"
#include "device/stream_k.hpp"
#include "kernels/hopper/59_summit/tile.hpp"

namespace cairn::hopper_59 {

struct Args {
  std::int64_t m, n;
  float alpha, beta;
  void* C;
  std::int64_t ldc, stride_c;
  Type out;
  bool tma_store;                 // TMA stores C
  bool tma_store_edge;            // also the tiles of the last columns: TMA writes full chunks of 16 bytes
  bool vector_c;                  // C allows 16-byte accesses
  bool broadcast_a, broadcast_b;  // all products of the batch have the same A, the same B
  int tiles;                      // of a product; the tiles of a cluster count as one
  int load_bytes;                 // that TMA loads into a stage
  StreamK stream_k;
  float* partials;  // partial sums of split tiles
};

struct BatchPosition : TilePosition {
  int batch;
};
template <int tile> __device__ __forceinline__ BatchPosition position_of(const Args& g, int index, int rank) {
  using G = Geometry<tile>;
  const int batch = index / g.tiles;
  BatchPosition at{tile_position<G::cluster * G::bm, G::bn, G::group_rows>(g.m, g.n, index - batch * g.tiles), batch};
  at.row += rank * G::bm;
  at.rows -= rank * G::bm;  // not positive if the cluster has fewer tiles than blocks
  return at;
}

}  // namespace cairn::hopper_59
