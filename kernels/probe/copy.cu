// Copy                                               docs/trail/probe_copy.md · cairn bench probe/copy
//
// From    -
// Idea    C = A, streamed, 16 bytes at a time, with one load per thread (or several) in flight before its store.
//         Nothing but traffic: the ceiling for any kernel that moves each word once, such as a transpose.
// Counts  2 m n words, read once and written once. k must be n, for A (m x k) to be as large as C.
// Needs   f32, row-major nn; sm_75. Never verified: only its time matters.
#include "device/launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::probe_copy {

struct Tile {
  int block;  // threads
  int loads;  // in flight per thread
  constexpr int threads() const { return block; }
  constexpr bool valid() const { return block % 32 == 0 && block <= 1024 && loads > 0 && loads <= 16; }
  TileName name() const { return tile_text("%d threads, %d loads", block, loads); }
};
inline constexpr Tile kTiles[] = {{256, 1}, {256, 4}, {512, 2}};  // [0] is the default

// Rows of `width` units, each unit a float or a float4, lda and ldc apart.
template <class Unit> struct CopyArgs {
  std::int64_t height, width;
  const Unit* A;
  std::int64_t lda;
  Unit* C;
  std::int64_t ldc;

  std::int64_t rows() const { return height; }
  bool idle() const { return height == 0 || width == 0; }
  CopyArgs slab(std::int64_t first, std::int64_t count) const {
    return {count, width, A + first * lda, lda, C + first * ldc, ldc};
  }
};

template <int tile, class Unit>
__global__ void __launch_bounds__(kTiles[tile].threads()) probe_copy(CopyArgs<Unit> g) {
  constexpr Tile t = kTiles[tile];

  // Where am I: a row, and in it units at a stride of a block, so that those of a warp are consecutive.
  const Unit* gA = g.A + std::int64_t{blockIdx.y} * g.lda;
  Unit* gC = g.C + std::int64_t{blockIdx.y} * g.ldc;
  const std::int64_t first = std::int64_t{blockIdx.x} * (t.block * t.loads) + threadIdx.x;

  // Load all, then store all, so that the latencies of the loads overlap.
  Unit rA[t.loads];
  for (int i = 0; i < t.loads; ++i) {
    if (first + i * t.block < g.width) rA[i] = gA[first + i * t.block];
  }
  for (int i = 0; i < t.loads; ++i) {
    if (first + i * t.block < g.width) gC[first + i * t.block] = rA[i];
  }
}

template <int i, class Unit> Status launch_units(const CopyArgs<Unit>& all, Stream stream) {
  return in_slabs(all, 1, [&](const CopyArgs<Unit>& g) {
    const Grid grid{ceil_div(g.width, kTiles[i].block * kTiles[i].loads), g.height};
    return cairn::launch(grid, kTiles[i].threads(), 0, stream, probe_copy<i, Unit>, g);
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  if (Status s = same_size(args.problem); !s.ok()) return s;
  const Problem& p = args.problem;
  CopyArgs<float> g{p.m, p.n, static_cast<const float*>(args.A), p.lda, static_cast<float*>(args.C), p.ldc};
  if (g.lda == g.width && g.ldc == g.width) g = {1, g.height * g.width, g.A, 0, g.C, 0};  // packed: one long row

  // 16 bytes at a time if every row of both matrices begins and ends at a multiple of 16 bytes; else 4.
  const auto chunks = [](std::int64_t words) { return words % 4 == 0; };
  const auto aligned = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0; };
  const bool wide = chunks(g.width) && chunks(g.lda) && chunks(g.ldc) && aligned(g.A) && aligned(g.C);
  return with_tile<kTiles>(tile, [&]<int i>() {
    if (!wide) return launch_units<i>(g, stream);
    return launch_units<i>(CopyArgs<float4>{g.height, g.width / 4, reinterpret_cast<const float4*>(g.A), g.lda / 4,
                                            reinterpret_cast<float4*>(g.C), g.ldc / 4},
                           stream);
  });
}

extern const Rung rung = {.id = "probe/copy",
                          .title = "Copy bandwidth",
                          .kind = RungKind::copy,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::probe_copy
// Tried: more loads per thread. An SM full of threads with one load each reaches a higher bandwidth than fewer
// threads with more: results/h200/probes.json.
