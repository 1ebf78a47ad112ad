// simt/02 and simt/04 with a bug put in on purpose: mistakes found in published kernels. They are compiled for the
// emulator in place of the ladder, and mutants_test must see each of them fail, and the honest twins pass.
#include "device/launch.hpp"
#include "kernels/ladder.hpp"
#include "kernels/rung.hpp"

namespace cairn {
namespace mutants {

enum class Bug { none, swapped_grid, early_return };

struct Tile {
  int side;
  constexpr bool valid() const { return side == 32 || side == 16; }
  TileName name() const { return tile_text("%dx%d", side, side); }
};
inline constexpr Tile kTiles[] = {{32}, {16}};

template <int tile> __global__ void coalesced(GemmArgs<float> g) {
  constexpr int side = kTiles[tile].side;
  const std::int64_t row = std::int64_t{blockIdx.y} * side + threadIdx.y;
  const std::int64_t col = std::int64_t{blockIdx.x} * side + threadIdx.x;
  if (row >= g.m || col >= g.n) return;
  float acc = 0;
  for (std::int64_t k = 0; k < g.k; ++k) acc += g.A[row * g.lda + k] * g.B[k * g.ldb + col];
  float* c = &g.C[row * g.ldc + col];
  *c = g.beta == 0 ? g.alpha * acc : g.alpha * acc + g.beta * *c;
}

template <int tile, bool early_return> __global__ void block_tile(GemmArgs<float> g) {
  constexpr int side = kTiles[tile].side;
  __shared__ float sA[side][side];
  __shared__ float sB[side][side];
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const std::int64_t row = std::int64_t{blockIdx.y} * side + ty;
  const std::int64_t col = std::int64_t{blockIdx.x} * side + tx;
  if (early_return && (row >= g.m || col >= g.n)) return;  // bug 9: the rest of the block waits for this thread
  float acc = 0;
  for (std::int64_t k0 = 0; k0 < g.k; k0 += side) {
    sA[ty][tx] = row < g.m && k0 + tx < g.k ? g.A[row * g.lda + k0 + tx] : 0;
    sB[ty][tx] = k0 + ty < g.k && col < g.n ? g.B[(k0 + ty) * g.ldb + col] : 0;
    __syncthreads();
    for (int kk = 0; kk < side; ++kk) acc += sA[ty][kk] * sB[kk][tx];
    __syncthreads();
  }
  if (row >= g.m || col >= g.n) return;
  float* c = &g.C[row * g.ldc + col];
  *c = g.beta == 0 ? g.alpha * acc : g.alpha * acc + g.beta * *c;
}

template <bool shared, Bug bug> Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr int side = kTiles[i].side;
    return in_slabs(GemmArgs<float>(args), side, [&](const GemmArgs<float>& g) {
      Grid grid{ceil_div(g.n, side), ceil_div(g.m, side)};
      if (bug == Bug::swapped_grid) grid = {grid.y, grid.x};  // bug 5: right for square C only
      if constexpr (shared) {
        return cairn::launch(grid, dim3(side, side), 0, stream, block_tile<i, bug == Bug::early_return>, g);
      } else {
        return cairn::launch(grid, dim3(side, side), 0, stream, coalesced<i>, g);
      }
    });
  });
}

template <bool shared, Bug bug> constexpr Rung card(std::string_view id) {
  return {.id = id,
          .title = "A mutant",
          .kind = RungKind::gemm,
          .types = types::f32,
          .layouts = layout::nn,
          .arch = 75,
          .tiles = std::size(kTiles),
          .tile_name = tile_name<kTiles>,
          .launch = launch<shared, bug>};
}

constexpr Rung kCoalesced = card<false, Bug::none>("honest/coalesced");
constexpr Rung kBlockTile = card<true, Bug::none>("honest/block_tile");
constexpr Rung kSwappedGrid = card<false, Bug::swapped_grid>("mutant/swapped_grid");
constexpr Rung kSwappedGridTiled = card<true, Bug::swapped_grid>("mutant/swapped_grid_tiled");
constexpr Rung kEarlyReturn = card<true, Bug::early_return>("mutant/early_return");

}  // namespace mutants

Ladder rungs() {
  static constexpr const Rung* kRungs[] = {&mutants::kCoalesced, &mutants::kBlockTile, &mutants::kSwappedGrid,
                                           &mutants::kSwappedGridTiled, &mutants::kEarlyReturn};
  return kRungs;
}

}  // namespace cairn
