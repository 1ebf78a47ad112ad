// 3 · Shared tile                         docs/trail/transpose_3_shared_tile.md · cairn bench transpose/3
//
// From    transpose/2_read_coalesced
// Idea    A block writes a square tile of A into shared memory by rows and reads it by columns: both the reads of A
//         and the writes of C are 128 contiguous bytes per warp.
// Before  2 wrote with 32 sectors per request; 1 read with as many.
// Limit   All words of a column of the tile are in one bank: a warp reads a column in 32 wavefronts instead of one. 4
//         pads the rows.
// Needs   f32; any size, any lda and ldc; sm_75.
#include "device/launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::transpose_3 {

struct Tile {
  int bm, bn;  // the rows and columns of A that a block moves
  int rows;    // of the tile per iteration
  constexpr int threads() const { return rows * bn; }
  constexpr int shared_bytes() const { return bm * bn * 4; }
  constexpr bool valid() const {
    return bm == bn && bn % 32 == 0 && bm % rows == 0 && threads() <= 1024 && shared_bytes() <= 48 * 1024;
  }
  TileName name() const { return tile_text("%dx%d by %d rows", bm, bn, rows); }
};
inline constexpr Tile kTiles[] = {{32, 32, 32}, {32, 32, 8}};  // [0] is the default

template <int tile>
__global__ void __launch_bounds__(kTiles[tile].threads()) transpose_3_shared_tile(TransposeArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  __shared__ float sA[t.bm][t.bn];  // (rows of A, columns of A)

  // Where am I: the block's tile of A begins at (row0, col0).
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm;
  const std::int64_t col0 = std::int64_t{blockIdx.x} * t.bn;

  // Load: the lanes of a warp run along a row of A.
  for (int i = ty; i < t.bm; i += t.rows) {
    const std::int64_t row = row0 + i, col = col0 + tx;
    if (row < g.height && col < g.width) sA[i][tx] = g.A[row * g.lda + col];
  }
  __syncthreads();

  // Store: the lanes run along a row of C, which is a column of the tile.
  for (int i = ty; i < t.bn; i += t.rows) {
    const std::int64_t row = row0 + tx, col = col0 + i;
    if (row < g.height && col < g.width) g.C[col * g.ldc + row] = sA[tx][i];
  }
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  if (Status s = same_size(args.problem); !s.ok()) return s;
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    return in_slabs(TransposeArgs<float>(args), t.bm, [&](const TransposeArgs<float>& g) {
      const Grid grid{ceil_div(g.width, t.bn), ceil_div(g.height, t.bm)};
      return cairn::launch(grid, dim3(t.bn, t.rows), 0, stream, transpose_3_shared_tile<i>, g);
    });
  });
}

extern const Rung rung = {.id = "transpose/3_shared_tile",
                          .title = "Transpose through shared memory",
                          .kind = RungKind::transpose,
                          .types = types::f32,
                          .layouts = layout::tn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::transpose_3
