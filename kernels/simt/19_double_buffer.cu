// 19 · Double buffer                               docs/trail/simt_19_double_buffer.md · cairn bench simt/19
//
// Idea    Two buffers for each tile. While the block multiplies from one, the next tiles are on their way from global
//         memory into registers; then they are put down in the other buffer. One barrier a step instead of two.
// Before  17 fetched, waited, multiplied and waited again: loads and multiply-adds took turns.
// Limit   What is on its way needs registers and passes through them. 21 copies without.
// Needs   f32, row-major nn; any m, n, k (edges masked); 16-byte accesses where A, B and C allow them; sm_75.
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_19 {

inline constexpr int kPad = 4;  // words between the rows of sA, as in 14

struct Tile {
  int bm, bn, bk;
  int wm, wn;  // the elements of one warp
  int tm, tn;  // the elements of one thread
  int blocks;  // on an SM at a time, at least
  constexpr int threads() const { return bm / wm * (bn / wn) * 32; }
  constexpr int fetched() const { return bk * (bm + bn) / threads(); }  // words of one thread
  constexpr int shared() const { return 2 * bk * (bm + kPad + bn) * 4; }
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && threads() <= 1024 &&                  // whole warps
           wm % tm == 0 && wn % tn == 0 && wm / tm * (wn / tn) == 32 &&          // and whole lanes in a warp
           tm % 4 == 0 && tn % 4 == 0 &&                                         // a thread has pieces of 4 x 4
           bk % 8 == 0 && bm % (threads() / 2) == 0 &&                           // a round of copies is whole columns
           4 * threads() % bn == 0 && bk * bn % (4 * threads()) == 0 &&          // of 8 words of A, whole rows of B
           shared() <= 48 * 1024 && blocks * (shared() + 1024) <= 100 * 1024 &&  // shared memory of a block, of an SM
           blocks * threads() * (tm * tn + tm + tn + fetched()) <= 65536;        // registers of an SM
  }
  TileName name() const { return tile_text("%dx%dx%d %dx%d %dx%d by %d", bm, bn, bk, wm, wn, tm, tn, blocks); }
};
inline constexpr Tile kTiles[] = {{128, 128, 8, 32, 64, 8, 8, 2},  // [0] is the default
                                  {128, 128, 8, 64, 64, 8, 16, 2}};

// Four neighbours of a row of A, one below the other.
template <int cols> __device__ __forceinline__ void store_column(float (*to)[cols], int col, float4 v) {
  to[0][col] = v.x;
  to[1][col] = v.y;
  to[2][col] = v.z;
  to[3][col] = v.w;
}

template <int tile, bool vector, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) simt_19_double_buffer(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  alignas(16) __shared__ float sA[2][t.bk][t.bm + kPad];
  alignas(16) __shared__ float sB[2][t.bk][t.bn];

  // Where am I: the block's tile of C, in it the warp's, and in that the first of the thread's pieces of 4 x 4; the
  // others follow as many lanes further down or to the right.
  const int tid = static_cast<int>(threadIdx.x), warp = tid / 32, lane = tid % 32;
  constexpr int lanes_m = t.wm / t.tm, lanes_n = t.wn / t.tn;
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  const int row = warp / (t.bn / t.wn) * t.wm + lane / lanes_n * 4;
  const int col = warp % (t.bn / t.wn) * t.wn + lane % lanes_n * 4;
  const int rows = static_cast<int>(min(g.m - row0, std::int64_t{t.bm}));  // of the block's tile that are there
  const int cols = static_cast<int>(min(g.n - col0, std::int64_t{t.bn}));

  // What do I copy: as in 17, these four words of each tile and those some rows below. A and B move along k.
  constexpr int step_a = threads / 2, step_b = 4 * threads / t.bn;
  const int ra = tid / 2, ca = tid % 2 * 4;
  const int rb = 4 * tid / t.bn, cb = 4 * tid % t.bn;
  const float* A = g.A + (row0 + ra) * g.lda + ca;
  const float* B = g.B + rb * g.ldb + col0 + cb;

  // Fetch a tile of A and one of B into registers, where `left` of k begins. Where a tile hangs over an edge a zero
  // stands in: past the end of k both factors are zeros, so nothing is added; past m or n the sum may be anything,
  // for nobody stores it. The block decides as one.
  float4 nextA[t.bm / step_a][t.bk / 8], nextB[t.bk / step_b];
  const auto fetch = [&](std::int64_t left) {
    const int depth = static_cast<int>(min(left, std::int64_t{t.bk}));
    if (rows == t.bm && cols == t.bn && depth == t.bk) {
#pragma unroll
      for (int i = 0; i < t.bm / step_a; ++i) {
#pragma unroll
        for (int j = 0; j < t.bk / 8; ++j) nextA[i][j] = load4<vector>(A + i * step_a * g.lda + 8 * j);
      }
#pragma unroll
      for (int i = 0; i < t.bk / step_b; ++i) nextB[i] = load4<vector>(B + i * step_b * g.ldb);
    } else {
#pragma unroll
      for (int i = 0; i < t.bm / step_a; ++i) {
        const int there = ra + i * step_a < rows ? depth - ca : 0;
#pragma unroll
        for (int j = 0; j < t.bk / 8; ++j)
          nextA[i][j] = load4_edge<vector>(A + i * step_a * g.lda + 8 * j, there - 8 * j);
      }
#pragma unroll
      for (int i = 0; i < t.bk / step_b; ++i)
        nextB[i] = load4_edge<vector>(B + i * step_b * g.ldb, rb + i * step_b < depth ? cols - cb : 0);
    }
    A += t.bk, B += t.bk * g.ldb;
  };

  // Put down what was fetched, into the buffers that nobody reads.
  float(*nowA)[t.bm + kPad] = sA[0], (*otherA)[t.bm + kPad] = sA[1];
  float(*nowB)[t.bn] = sB[0], (*otherB)[t.bn] = sB[1];
  const auto put = [&] {
#pragma unroll
    for (int i = 0; i < t.bm / step_a; ++i) {
#pragma unroll
      for (int j = 0; j < t.bk / 8; ++j) store_column(otherA + ca + 8 * j, ra + i * step_a, nextA[i][j]);  // (bk, bm)
    }
#pragma unroll
    for (int i = 0; i < t.bk / step_b; ++i) store4(&otherB[rb + i * step_b][cb], nextB[i]);  // (bk, bn)
  };
  // Then it is there for all, and at the same time everybody is done with what was read so far: one barrier for both.
  const auto turn = [&] {
    __syncthreads();
    auto* const usedA = nowA;
    auto* const usedB = nowB;
    nowA = otherA, otherA = usedA;
    nowB = otherB, otherB = usedB;
  };

  float acc[t.tm][t.tn] = {};
  if (g.k > 0) {
    fetch(g.k);
    put();
    turn();
  }
  for (std::int64_t left = g.k; left > 0; left -= t.bk) {
    const bool more = left > t.bk;
    if (more) fetch(left - t.bk);  // and do not wait for it

      // Multiply: tm words of a row of sA by tn words of a row of sB, all from registers.
#pragma unroll
    for (int kk = 0; kk < t.bk; ++kk) {
      float rA[t.tm], rB[t.tn];
#pragma unroll
      for (int i = 0; i < t.tm; i += 4) load4(&rA[i], &nowA[kk][row + i * lanes_m]);
#pragma unroll
      for (int j = 0; j < t.tn; j += 4) load4(&rB[j], &nowB[kk][col + j * lanes_n]);
#pragma unroll
      for (int i = 0; i < t.tm; ++i) {
#pragma unroll
        for (int j = 0; j < t.tn; ++j) acc[i][j] += rA[i] * rB[j];
      }
    }

    if (more) {
      put();
      turn();
    }
  }

  // Store. C is not looked at where beta is 0: it may hold anything, NaN too.
#pragma unroll
  for (int i = 0; i < t.tm; ++i) {
    const int r = row + i / 4 * 4 * lanes_m + i % 4;
    if (r >= rows) continue;
    float* c = &g.C[(row0 + r) * g.ldc + col0 + col];
#pragma unroll
    for (int j = 0; j < t.tn; j += 4, c += 4 * lanes_n) {
      const int there = cols - col - j * lanes_n;
      const float* sum = &acc[i][j];
      float4 v = make_float4(g.alpha * sum[0], g.alpha * sum[1], g.alpha * sum[2], g.alpha * sum[3]);
      if (g.beta != 0) {
        const float4 old = load4_edge<vector>(c, there);
        v = make_float4(v.x + g.beta * old.x, v.y + g.beta * old.y, v.z + g.beta * old.z, v.w + g.beta * old.w);
      }
      store4_edge<vector>(c, v, there);
    }
  }
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    return in_slabs(GemmArgs<float>(args), t.bm, [&](const GemmArgs<float>& g) {
      const Grid grid{ceil_div(g.n, t.bn), ceil_div(g.m, t.bm)};
      const bool vector =
          rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb) && rows_of_16_bytes(g.C, g.ldc);
      const auto kernel = vector ? simt_19_double_buffer<i, true> : simt_19_double_buffer<i, false>;
      return cairn::launch(grid, t.threads(), 0, stream, kernel, g);
    });
  });
}

extern const Rung rung = {.id = "simt/19_double_buffer",
                          .title = "Double buffer",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::simt_19
