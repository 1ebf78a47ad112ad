// The control kernels of `cairn lab double-buffer`: one kernel with one buffer or two, compiled for one, two or three
// blocks per SM, and run with co-resident blocks or without. It varies separately what the rungs change together:
//
//   buffers   1: load, store, multiply, with two barriers per k-step (17); 2: load ahead, one barrier per k-step (19)
//   bounds    the blocks per SM for which the compiler must leave registers
//   alone     a block requests so much shared memory that no second one fits; the code and its registers are the same
//
// Tiles, layout and multiplication are those of 17 and 19, without edges: sizes are multiples of the tile, and rows
// are 16-byte aligned.
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "kernels/rung.hpp"

namespace cairn::lab_double_buffer {

inline constexpr int kPad = 4;
inline constexpr int kBm = 128, kBn = 128, kWm = 32, kWn = 64, kTm = 8, kTn = 8, kThreads = 256;
inline constexpr std::size_t kAlone = 115 * 1024;  // more than half of what an SM of sm_80 or sm_90 has

struct Tile {
  int bk, buffers, bounds;
  bool alone;
  constexpr bool valid() const {
    return bk % 8 == 0 && (buffers == 1 || buffers == 2) && bounds >= 1 &&
           buffers * bk * (kBm + kPad + kBn) * 4 <= 48 * 1024;
  }
  TileName name() const {
    return tile_text("128x128x%d, %d buffers, bounds %d%s", bk, buffers, bounds, alone ? ", alone" : "");
  }
};
inline constexpr Tile kTiles[] = {
    {8, 1, 2, false},  {8, 2, 2, false},   // two blocks per SM
    {8, 1, 2, true},   {8, 2, 2, true},    // the same code, one block per SM
    {8, 1, 1, false},  {8, 2, 1, false},   // registers not limited for a second block
    {8, 1, 1, true},   {8, 2, 1, true},    // and no second block even if it would fit
    {8, 1, 3, false},  {8, 2, 3, false},   // three blocks, even if registers spill
    {16, 1, 2, false}, {16, 2, 2, false},  // twice the bk, twice the words in flight
    {16, 1, 1, false}, {16, 2, 1, false},
};

// Transposes while storing: four consecutive words of a row of A become part of a column of sA.
template <int cols> __device__ __forceinline__ void store_column(float (*to)[cols], int col, float4 v) {
  to[0][col] = v.x;
  to[1][col] = v.y;
  to[2][col] = v.z;
  to[3][col] = v.w;
}

template <int tile>
__global__ void __launch_bounds__(kThreads, kTiles[tile].bounds) lab_double_buffer(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  alignas(16) __shared__ float sA[t.buffers][t.bk][kBm + kPad];
  alignas(16) __shared__ float sB[t.buffers][t.bk][kBn];

  const int tid = static_cast<int>(threadIdx.x), warp = tid / 32, lane = tid % 32;
  constexpr int lanes_m = kWm / kTm, lanes_n = kWn / kTn;
  const std::int64_t row0 = std::int64_t{blockIdx.y} * kBm, col0 = std::int64_t{blockIdx.x} * kBn;
  const int row = warp / (kBn / kWn) * kWm + lane / lanes_n * 4;
  const int col = warp % (kBn / kWn) * kWn + lane % lanes_n * 4;

  constexpr int step_b = 4 * kThreads / kBn;
  const int ra = tid / 2, ca = tid % 2 * 4;
  const int rb = 4 * tid / kBn, cb = 4 * tid % kBn;
  const float* A = g.A + (row0 + ra) * g.lda + ca;
  const float* B = g.B + rb * g.ldb + col0 + cb;

  float4 nextA[t.bk / 8], nextB[t.bk / step_b];
  const auto fetch = [&] {
#pragma unroll
    for (int j = 0; j < t.bk / 8; ++j) nextA[j] = load4(A + 8 * j);
#pragma unroll
    for (int i = 0; i < t.bk / step_b; ++i) nextB[i] = load4(B + i * step_b * g.ldb);
    A += t.bk, B += t.bk * g.ldb;
  };
  float(*readA)[kBm + kPad] = sA[0], (*writeA)[kBm + kPad] = sA[t.buffers - 1];
  float(*readB)[kBn] = sB[0], (*writeB)[kBn] = sB[t.buffers - 1];
  const auto put = [&] {
#pragma unroll
    for (int j = 0; j < t.bk / 8; ++j) store_column(writeA + ca + 8 * j, ra, nextA[j]);  // (bk, bm)
#pragma unroll
    for (int i = 0; i < t.bk / step_b; ++i) store4(&writeB[rb + i * step_b][cb], nextB[i]);  // (bk, bn)
  };
  const auto swap_buffers = [&] {
    __syncthreads();
    auto* const usedA = readA;
    auto* const usedB = readB;
    readA = writeA, writeA = usedA;
    readB = writeB, writeB = usedB;
  };

  float acc[kTm][kTn] = {};
  if (t.buffers == 2 && g.k > 0) {
    fetch();
    put();
    swap_buffers();
  }
  for (std::int64_t left = g.k; left > 0; left -= t.bk) {
    const bool more = left > t.bk;
    if constexpr (t.buffers == 1) {
      fetch();
      put();
      __syncthreads();
    } else if (more) {
      fetch();  // the loads stay in flight
    }

#pragma unroll
    for (int kk = 0; kk < t.bk; ++kk) {
      float rA[kTm], rB[kTn];
#pragma unroll
      for (int i = 0; i < kTm; i += 4) load4(&rA[i], &readA[kk][row + i * lanes_m]);
#pragma unroll
      for (int j = 0; j < kTn; j += 4) load4(&rB[j], &readB[kk][col + j * lanes_n]);
#pragma unroll
      for (int i = 0; i < kTm; ++i) {
#pragma unroll
        for (int j = 0; j < kTn; ++j) acc[i][j] += rA[i] * rB[j];
      }
    }

    if constexpr (t.buffers == 1) {
      __syncthreads();
    } else if (more) {
      put();
      swap_buffers();
    }
  }

#pragma unroll
  for (int i = 0; i < kTm; ++i) {
    float* c = &g.C[(row0 + row + i / 4 * 4 * lanes_m + i % 4) * g.ldc + col0 + col];
#pragma unroll
    for (int j = 0; j < kTn; j += 4, c += 4 * lanes_n) {
      const float* a = &acc[i][j];
      float4 v = make_float4(g.alpha * a[0], g.alpha * a[1], g.alpha * a[2], g.alpha * a[3]);
      if (g.beta != 0) {
        const float4 old = load4(c);
        v = make_float4(v.x + g.beta * old.x, v.y + g.beta * old.y, v.z + g.beta * old.z, v.w + g.beta * old.w);
      }
      store4(c, v);
    }
  }
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    constexpr Tile t = kTiles[i];
    const GemmArgs<float> g(args);
    if (g.idle()) return {};
    if (g.m % kBm != 0 || g.n % kBn != 0 || g.k % t.bk != 0 || !rows_of_16_bytes(g.A, g.lda) ||
        !rows_of_16_bytes(g.B, g.ldb) || !rows_of_16_bytes(g.C, g.ldc)) {
      return {Code::unsupported, "a control kernel takes full tiles and 16-byte aligned rows"};
    }
    return cairn::launch({g.n / kBn, g.m / kBm}, kThreads, t.alone ? kAlone : 0, stream, lab_double_buffer<i>, g);
  });
}

extern const Rung rung = {.id = "lab/double_buffer",
                          .title = "One buffer or two, by blocks an SM",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::lab_double_buffer
