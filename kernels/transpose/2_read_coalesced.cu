// 2 · Read coalesced                   docs/trail/transpose_2_read_coalesced.md · cairn bench transpose/2
//
// From    transpose/1_write_coalesced
// Idea    threadIdx.x runs along a row of A instead of down a column: a warp reads 128 contiguous bytes.
// Before  1 read with 32 sectors per request and wrote with 4.
// Limit   Now the writes are scattered, at a stride of ldc words. As long as one thread moves an element straight
//         from A to C, either the read or the write is strided. 3 transposes a tile in shared memory in between.
// Needs   f32; any size, any lda and ldc; sm_75.
#include "device/launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::transpose_2 {

struct Tile {
  int bm, bn;  // the rows and columns of A that a block moves
  constexpr int threads() const { return bm * bn; }
  constexpr bool valid() const { return bn % 32 == 0 && bm > 0 && threads() <= 1024; }  // a warp within a row
  TileName name() const { return tile_text("%dx%d", bm, bn); }
};
inline constexpr Tile kTiles[] = {{32, 32}, {8, 32}};  // [0] is the default

template <int tile>
__global__ void __launch_bounds__(kTiles[tile].threads()) transpose_2_read_coalesced(TransposeArgs<float> g) {
  constexpr Tile t = kTiles[tile];

  // Where am I: the lanes of a warp (threadIdx.x) run along a row of A.
  const std::int64_t row = std::int64_t{blockIdx.y} * t.bm + threadIdx.y;
  const std::int64_t col = std::int64_t{blockIdx.x} * t.bn + threadIdx.x;

  if (row < g.height && col < g.width) g.C[col * g.ldc + row] = g.A[row * g.lda + col];
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  if (Status s = same_size(args.problem); !s.ok()) return s;
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    return in_slabs(TransposeArgs<float>(args), t.bm, [&](const TransposeArgs<float>& g) {
      const Grid grid{ceil_div(g.width, t.bn), ceil_div(g.height, t.bm)};
      return cairn::launch(grid, dim3(t.bn, t.bm), 0, stream, transpose_2_read_coalesced<i>, g);
    });
  });
}

extern const Rung rung = {.id = "transpose/2_read_coalesced",
                          .title = "Transpose, reads coalesced",
                          .kind = RungKind::transpose,
                          .types = types::f32,
                          .layouts = layout::tn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::transpose_2
