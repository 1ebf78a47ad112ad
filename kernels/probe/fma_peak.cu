// FMA peak                                      docs/trail/probe_fma_peak.md · cairn bench probe/fma_peak
//
// Idea    A thread keeps tm x tn sums, as a register-tiled product does, and does nothing but multiply-add to them, k
//         times: no loads, no stores, all independent. The ceiling for every f32 kernel of the ladder.
// Counts  m * n * k multiply-adds where m and n are multiples of the tile, so 2 m n k over the time is its FLOP/s
//         as it is for a product. Edge blocks do the work of whole ones.
// Needs   f32, row-major nn; sm_75. C is overwritten with numbers that mean nothing; it is never verified.
#include "device/launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::probe_fma_peak {

struct Tile {
  int bm, bn;
  int tm, tn;  // the sums of one thread
  bool outer;  // add an outer product, as a real main loop does, instead of one number everywhere
  constexpr int threads() const { return bm / tm * (bn / tn); }
  constexpr bool valid() const { return bm % tm == 0 && bn % tn == 0 && threads() % 32 == 0 && threads() <= 1024; }
  TileName name() const { return tile_text("%dx%d %dx%d%s", bm, bn, tm, tn, outer ? " outer product" : ""); }
};
inline constexpr Tile kTiles[] = {{128, 128, 8, 8, false}, {64, 64, 4, 4, false}, {128, 128, 8, 8, true}};

template <int tile> __global__ void __launch_bounds__(kTiles[tile].threads()) probe_fma_peak(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];

  // Where am I: the upper left element of the thread's sums.
  const int tx = static_cast<int>(threadIdx.x) % (t.bn / t.tn), ty = static_cast<int>(threadIdx.x) / (t.bn / t.tn);
  const std::int64_t row = std::int64_t{blockIdx.y} * t.bm + ty * t.tm;
  const std::int64_t col = std::int64_t{blockIdx.x} * t.bn + tx * t.tn;

  // Load, once: factors the compiler cannot know. A column of A and a row of B, whatever the caller put there.
  float rA[t.tm] = {}, rB[t.tn] = {};
  for (int i = 0; i < t.tm; ++i) rA[i] = g.k > 0 && row + i < g.m ? g.A[(row + i) * g.lda] : 0;
  for (int j = 0; j < t.tn; ++j) rB[j] = g.k > 0 && col + j < g.n ? g.B[col + j] : 0;

  // Every sum starts as something else, or the compiler would keep one for all.
  float acc[t.tm][t.tn];
  for (int i = 0; i < t.tm; ++i) {
    for (int j = 0; j < t.tn; ++j) acc[i][j] = rA[i] * rB[j];
  }

  // Multiply-add, with the same two factors everywhere: the register file delivers two operands a cycle without
  // conflict, and with these in the operand cache a sum is all it is asked for. A factor of one, by the sign of some
  // number, keeps the sums finite and their bits moving.
  const float factor = copysignf(1.0F, rA[0]), term = rB[0];
#pragma unroll 8
  for (std::int64_t k = 0; k < g.k; ++k) {
    for (int i = 0; i < t.tm; ++i) {
      for (int j = 0; j < t.tn; ++j) {
        acc[i][j] = t.outer ? fmaf(rA[i], rB[j], acc[i][j]) : fmaf(acc[i][j], factor, term);
      }
    }
  }

  // Store every sum: one that nobody reads would not be computed.
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
// Tried: an outer product, acc[i][j] += rA[i] * rB[j], as products do it; tile 2 still does. Whenever the row
// changes, three operands come from two banks, and a cycle is lost: results/h200/probes.json.
