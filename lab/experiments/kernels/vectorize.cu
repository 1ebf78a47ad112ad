// The control kernels of `cairn lab vectorize`: the copy of rungs 04 to 07 with its two choices varied separately:
// how many words a thread copies at a time, and how many of the threads copy. 05 and 07 changed both at once.
//
// Everything else is as in the rungs, without edges: sizes are multiples of the tile, and rows are 16-byte aligned.
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "kernels/rung.hpp"

namespace cairn::lab_vectorize {

struct Tile {
  int bm, bn, bk;
  int tm;      // the thread tile: tm elements of a column
  int words;   // copied at a time
  int idlers;  // one thread of so many copies: 1 all of them, 4 a quarter
  constexpr int threads() const { return bm / tm * bn; }
  constexpr int copiers() const { return threads() / idlers; }
  constexpr bool valid() const {
    return bm == bn && bm % tm == 0 && threads() % 128 == 0 && threads() <= 1024 && (words == 1 || words == 4) &&
           bk % words == 0 && bm * bk % (copiers() * words) == 0 &&  // no copying thread is idle in an iteration
           bk * (bm + bn) * 4 <= 48 * 1024;
  }
  TileName name() const {
    return tile_text("%dx%dx%d %dx1, %d words, 1 of %d copies", bm, bn, bk, tm, words, idlers);
  }
};
inline constexpr Tile kTiles[] = {
    {32, 32, 32, 1, 1, 1},   // as 04
    {32, 32, 32, 1, 4, 4},   // as 05
    {32, 32, 32, 1, 1, 4},   // 04 with a quarter of the threads copying, as in 05
    {32, 32, 128, 1, 1, 1},  // large enough for a float4 per thread, but copied by words
    {32, 32, 128, 1, 4, 1},  // the same, copied by float4
    {32, 32, 128, 1, 4, 4},  // the same by float4 and a quarter of the threads
    {64, 64, 8, 8, 1, 1},    // as 06
    {64, 64, 8, 8, 4, 4},    // as 07
    {64, 64, 8, 8, 1, 4},   {64, 64, 32, 8, 1, 1}, {64, 64, 32, 8, 4, 1}, {64, 64, 32, 8, 4, 4},
};

// Copies `words` consecutive words from global to shared memory.
template <int words> __device__ __forceinline__ void copy(float* to, const float* from) {
  if constexpr (words == 4)
    store4(to, load4(from));
  else
    *to = *from;
}

template <int tile, int copiers = kTiles[tile].copiers()>
__global__ void __launch_bounds__(kTiles[tile].threads()) lab_vectorize(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  alignas(16) __shared__ float sA[t.bm][t.bk];
  alignas(16) __shared__ float sB[t.bk][t.bn];

  const int tid = static_cast<int>(threadIdx.x);
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  const int row = tid / t.bn * t.tm, col = tid % t.bn;

  // What do I copy, if this thread copies: t.words words per iteration, in which the block copies `words`.
  constexpr int words = copiers * t.words;
  const int ra = t.words * tid / t.bk, ca = t.words * tid % t.bk;
  const int rb = t.words * tid / t.bn, cb = t.words * tid % t.bn;
  const float* A = g.A + (row0 + ra) * g.lda + ca;
  const float* B = g.B + rb * g.ldb + col0 + cb;

  float acc[t.tm] = {};
  for (std::int64_t k0 = 0; k0 < g.k; k0 += t.bk, A += t.bk, B += t.bk * g.ldb) {
    if (t.idlers == 1 || tid < copiers) {
#pragma unroll
      for (int i = 0; i < t.bm; i += words / t.bk) copy<t.words>(&sA[ra + i][ca], A + i * g.lda);  // (bm, bk)
#pragma unroll
      for (int i = 0; i < t.bk; i += words / t.bn) copy<t.words>(&sB[rb + i][cb], B + i * g.ldb);  // (bk, bn)
    }
    __syncthreads();

#pragma unroll 4
    for (int kk = 0; kk < t.bk; ++kk) {
      const float rB = sB[kk][col];
#pragma unroll
      for (int i = 0; i < t.tm; ++i) acc[i] += sA[row + i][kk] * rB;
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < t.tm; ++i) {
    float* c = &g.C[(row0 + row + i) * g.ldc + col0 + col];
    *c = g.beta == 0 ? g.alpha * acc[i] : g.alpha * acc[i] + g.beta * *c;
  }
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    constexpr Tile t = kTiles[i];
    const GemmArgs<float> g(args);
    if (g.idle()) return {};
    if (g.m % t.bm != 0 || g.n % t.bn != 0 || g.k % t.bk != 0 || !rows_of_16_bytes(g.A, g.lda) ||
        !rows_of_16_bytes(g.B, g.ldb)) {
      return {Code::unsupported, "a control kernel takes full tiles and 16-byte aligned rows"};
    }
    return cairn::launch({g.n / t.bn, g.m / t.bm}, t.threads(), 0, stream, lab_vectorize<i>, g);
  });
}

extern const Rung rung = {.id = "lab/vectorize",
                          .title = "Copies by width and by copiers",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::lab_vectorize
