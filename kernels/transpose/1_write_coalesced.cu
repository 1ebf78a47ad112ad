// 1 · Write coalesced                 docs/trail/transpose_1_write_coalesced.md · cairn bench transpose/1
//
// From    -
// Idea    C = Aᵀ with one thread per element. Consecutive lanes read consecutive rows of A, which are consecutive
//         elements of a row of C: a warp writes 128 contiguous bytes.
// Before  Nothing: the first of the trail, and the first look at coalescing.
// Limit   The same lanes read A at a stride of lda words: 32 sectors of 32 bytes for 32 words.
// Needs   f32; any size, any lda and ldc; sm_75.
#include "device/launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::transpose_1 {

struct Tile {
  int bm, bn;  // the rows and columns of A that a block moves
  constexpr int threads() const { return bm * bn; }
  constexpr bool valid() const { return bm % 32 == 0 && bn > 0 && threads() <= 1024; }  // a warp within a column
  TileName name() const { return tile_text("%dx%d", bm, bn); }
};
inline constexpr Tile kTiles[] = {{32, 32}, {32, 8}};  // [0] is the default

template <int tile>
__global__ void __launch_bounds__(kTiles[tile].threads()) transpose_1_write_coalesced(TransposeArgs<float> g) {
  constexpr Tile t = kTiles[tile];

  // Where am I: the lanes of a warp (threadIdx.x) run down a column of A.
  const std::int64_t row = std::int64_t{blockIdx.y} * t.bm + threadIdx.x;
  const std::int64_t col = std::int64_t{blockIdx.x} * t.bn + threadIdx.y;

  if (row < g.height && col < g.width) g.C[col * g.ldc + row] = g.A[row * g.lda + col];
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  if (Status s = same_size(args.problem); !s.ok()) return s;
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    return in_slabs(TransposeArgs<float>(args), t.bm, [&](const TransposeArgs<float>& g) {
      const Grid grid{ceil_div(g.width, t.bn), ceil_div(g.height, t.bm)};
      return cairn::launch(grid, dim3(t.bm, t.bn), 0, stream, transpose_1_write_coalesced<i>, g);
    });
  });
}

extern const Rung rung = {.id = "transpose/1_write_coalesced",
                          .title = "Transpose, writes coalesced",
                          .kind = RungKind::transpose,
                          .types = types::f32,
                          .layouts = layout::tn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::transpose_1
