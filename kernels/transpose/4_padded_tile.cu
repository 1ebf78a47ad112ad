// 4 · Padded tile                         docs/trail/transpose_4_padded_tile.md · cairn bench transpose/4
//
// From    transpose/3_shared_tile
// Idea    Every row of the shared tile has one word of padding. The words of a column are then in 32 different banks,
//         and a warp reads a column in one wavefront.
// Before  3 needed 32 wavefronts for a column, all of it in one bank.
// Limit   Memory bandwidth, as probe/copy measures it.
// Needs   f32; any size, any lda and ldc; sm_75.
#include "device/launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::transpose_4 {

struct Tile {
  int bm, bn;  // the rows and columns of A that a block moves
  int rows;    // of the tile per iteration
  constexpr int threads() const { return rows * bn; }
  constexpr int shared_bytes() const { return bm * (bn + 1) * 4; }
  constexpr bool valid() const {
    return bm == bn && bn % 32 == 0 && bm % rows == 0 && threads() <= 1024 && shared_bytes() <= 48 * 1024;
  }
  TileName name() const { return tile_text("%dx%d by %d rows", bm, bn, rows); }
};
inline constexpr Tile kTiles[] = {{32, 32, 32}, {32, 32, 8}};  // [0] is the default

template <int tile>
__global__ void __launch_bounds__(kTiles[tile].threads()) transpose_4_padded_tile(TransposeArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  __shared__ float sA[t.bm][t.bn + 1];  // (rows of A, columns of A and one word of padding)

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
      return cairn::launch(grid, dim3(t.bn, t.rows), 0, stream, transpose_4_padded_tile<i>, g);
    });
  });
}

extern const Rung rung = {.id = "transpose/4_padded_tile",
                          .title = "Transpose, tile padded",
                          .kind = RungKind::transpose,
                          .types = types::f32,
                          .layouts = layout::tn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::transpose_4
