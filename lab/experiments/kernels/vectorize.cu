// The control kernels of `cairn lab vectorize`: the copy of rungs 04 to 07 with its two choices apart. How many words
// a thread takes at a time is one, how many of the threads copy is the other; 05 and 07 changed both at once.
//
// Everything else is as in the rungs, without their edges: sizes are multiples of the tile, rows begin on 16 bytes.
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "kernels/rung.hpp"

namespace cairn::lab_vectorize {

struct Tile {
  int bm, bn, bk;
  int tm;      // the elements of one thread, in a column
  int words;   // copied at a time
  int idlers;  // for every thread that copies, with itself: 1 all copy, 4 a quarter does
  constexpr int threads() const { return bm / tm * bn; }
  constexpr int copiers() const { return threads() / idlers; }
  constexpr bool valid() const {
    return bm == bn && bm % tm == 0 && threads() % 128 == 0 && threads() <= 1024 && (words == 1 || words == 4) &&
           bk % words == 0 && bm * bk % (copiers() * words) == 0 &&  // rounds of copies in which no copier is idle
           bk * (bm + bn) * 4 <= 48 * 1024;
  }
  TileName name() const {
    return tile_text("%dx%dx%d %dx1, %d words, 1 of %d copies", bm, bn, bk, tm, words, idlers);
  }
};
inline constexpr Tile kTiles[] = {
    {32, 32, 32, 1, 1, 1},   // as 04
    {32, 32, 32, 1, 4, 4},   // as 05
    {32, 32, 32, 1, 1, 4},   // 04 with the idle threads of 05
    {32, 32, 128, 1, 1, 1},  // deep enough for a float4 of each thread, and not used
    {32, 32, 128, 1, 4, 1},  // and used
    {32, 32, 128, 1, 4, 4},  // and idle threads again
    {64, 64, 8, 8, 1, 1},    // the same for 06
    {64, 64, 8, 8, 4, 4},    // and 07
    {64, 64, 8, 8, 1, 4},   {64, 64, 32, 8, 1, 1}, {64, 64, 32, 8, 4, 1}, {64, 64, 32, 8, 4, 4},
};

// `words` neighbours from global memory to shared.
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

  // What do I copy, if I do: so many words, and those that the next rounds of all copiers come to.
  constexpr int round = copiers * t.words;
  const int ra = t.words * tid / t.bk, ca = t.words * tid % t.bk;
  const int rb = t.words * tid / t.bn, cb = t.words * tid % t.bn;
  const float* A = g.A + (row0 + ra) * g.lda + ca;
  const float* B = g.B + rb * g.ldb + col0 + cb;

  float acc[t.tm] = {};
  for (std::int64_t k0 = 0; k0 < g.k; k0 += t.bk, A += t.bk, B += t.bk * g.ldb) {
    if (t.idlers == 1 || tid < copiers) {
#pragma unroll
      for (int i = 0; i < t.bm; i += round / t.bk) copy<t.words>(&sA[ra + i][ca], A + i * g.lda);  // (bm, bk)
#pragma unroll
      for (int i = 0; i < t.bk; i += round / t.bn) copy<t.words>(&sB[rb + i][cb], B + i * g.ldb);  // (bk, bn)
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
      return {Code::unsupported, "a control kernel takes whole tiles and rows of whole 16 bytes"};
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
