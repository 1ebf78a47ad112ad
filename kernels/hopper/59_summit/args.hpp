// What the summit's kernels are told, and where a tile of some product is.
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
  bool by_engine;     // it stores C,
  bool last_too;      // also the last columns: it writes whole pieces of 16 bytes
  bool vector_c;      // 16-byte accesses of C are possible
  bool one_a, one_b;  // all products have the same A, the same B
  int tiles;          // of a product; of a cluster, one below the other
  int bytes;          // that the copies of a stage bring
  StreamK stream_k;
  float* sums;  // of shares
};

struct At : TilePosition {
  int batch;
};
template <int tile> __device__ __forceinline__ At place_of(const Args& g, int index, int rank) {
  using G = Geometry<tile>;
  const int batch = index / g.tiles;
  At at{tile_position<G::cluster * G::bm, G::bn, G::group>(g.m, g.n, index - batch * g.tiles), batch};
  at.row += rank * G::bm;
  at.rows -= rank * G::bm;  // none, perhaps
  return at;
}

}  // namespace cairn::hopper_59
