// FMA peak                                      docs/trail/probe_fma_peak.md · cairn bench probe/fma_peak
//
// From    -
// Idea    A thread keeps tm x tn accumulators, as a register-tiled GEMM does, and issues nothing but multiply-adds to
//         them, k times: no loads, no stores, all independent. The ceiling for every f32 kernel of the ladder.
// Counts  m * n * k multiply-adds if m and n are multiples of the tile, so 2 m n k over the time is its FLOP/s as it
//         is for a GEMM. Edge blocks do the work of full ones.
// Needs   f32, row-major nn; sm_75. C is overwritten with meaningless numbers; it is never verified.
#include "device/launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::probe_fma_peak {

struct Tile {
  int bm, bn;
  int tm, tn;  // the thread tile
  bool outer;  // add an outer product, as the main loop of a GEMM does, instead of the same term everywhere
  constexpr int threads() const { return bm / tm * (bn / tn); }
  constexpr bool valid() const { return bm % tm == 0 && bn % tn == 0 && threads() % 32 == 0 && threads() <= 1024; }
  TileName name() const { return tile_text("%dx%d %dx%d%s", bm, bn, tm, tn, outer ? " outer product" : ""); }
};
inline constexpr Tile kTiles[] = {{128, 128, 8, 8, false}, {64, 64, 4, 4, false}, {128, 128, 8, 8, true}};

template <int tile> __global__ void __launch_bounds__(kTiles[tile].threads()) probe_fma_peak(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];

  // Where am I: the thread's tile begins at (row, col).
  const int tx = static_cast<int>(threadIdx.x) % (t.bn / t.tn), ty = static_cast<int>(threadIdx.x) / (t.bn / t.tn);
  const std::int64_t row = std::int64_t{blockIdx.y} * t.bm + ty * t.tm;
  const std::int64_t col = std::int64_t{blockIdx.x} * t.bn + tx * t.tn;

  // Load, once: factors that the compiler cannot know, from a column of A and a row of B.
  float rA[t.tm] = {}, rB[t.tn] = {};
  for (int i = 0; i < t.tm; ++i) rA[i] = g.k > 0 && row + i < g.m ? g.A[(row + i) * g.lda] : 0;
  for (int j = 0; j < t.tn; ++j) rB[j] = g.k > 0 && col + j < g.n ? g.B[col + j] : 0;

  // Every accumulator starts with a different value, or the compiler would keep one for all.
  float acc[t.tm][t.tn];
  for (int i = 0; i < t.tm; ++i) {
    for (int j = 0; j < t.tn; ++j) acc[i][j] = rA[i] * rB[j];
  }

  // Multiply-add, with the same factor and term everywhere: both stay in the operand cache, so that the register file
  // delivers only the accumulator and its banks never conflict. A factor of 1 or -1 keeps the accumulators finite
  // while their bits keep changing.
  const float factor = copysignf(1.0F, rA[0]), term = rB[0];
#pragma unroll 8
  for (std::int64_t k = 0; k < g.k; ++k) {
    for (int i = 0; i < t.tm; ++i) {
      for (int j = 0; j < t.tn; ++j) {
        acc[i][j] = t.outer ? fmaf(rA[i], rB[j], acc[i][j]) : fmaf(acc[i][j], factor, term);
      }
    }
  }

  // Store every accumulator: one that is not stored would not be computed.
  for (int i = 0; i < t.tm; ++i) {
    for (int j = 0; j < t.tn; ++j) {
      if (row + i < g.m && col + j < g.n) g.C[(row + i) * g.ldc + col + j] = acc[i][j];
    }
  }
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    return in_slabs(GemmArgs<float>(args), t.bm, [&](const GemmArgs<float>& g) {
      const Grid grid{ceil_div(g.n, t.bn), ceil_div(g.m, t.bm)};
      return cairn::launch(grid, t.threads(), 0, stream, probe_fma_peak<i>, g);
    });
  });
}

extern const Rung rung = {.id = "probe/fma_peak",
                          .title = "FP32 FMA peak",
                          .kind = RungKind::probe,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::probe_fma_peak
// Tried: an outer product, acc[i][j] += rA[i] * rB[j], as in a GEMM; tile 2 still does it. Whenever the row changes,
// three operands come from two register banks, and a cycle is lost: results/h200/probes.json.
