// 21 · cp.async                                    docs/trail/simt_21_cp_async.md · cairn bench simt/21
//
// From    simt/19_double_buffer
// Idea    cp.async copies from global to shared memory without registers. A thread issues copies, multiplies, and
//         waits when it needs their data. They fill a ring of stages, so that several k-steps can be in flight.
// Before  19 and 20 held the next tile or slice in registers and stored it themselves, one ahead.
// Limit   A copy keeps the order of its bytes, so transposing A takes one copy of 4 bytes for each word. And the
//         compiler decides which register banks the multiply-adds read. 22 orders them.
// Needs   f32, row-major nn; any m, n, k (edges masked); 16-byte accesses where B and C allow them; sm_80.
#include "device/async_copy.hpp"
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "kernels/rung.hpp"

namespace cairn::simt_21 {

inline constexpr int kPad = 4;  // words of padding after each row of sA, as in 14

struct Tile {
  int bm, bn, bk;
  int wm, wn;  // the warp tile
  int tm, tn;  // the thread tile
  int stages;
  int blocks;  // the least number of co-resident blocks
  constexpr int threads() const { return bm / wm * (bn / wn) * 32; }
  constexpr int shared() const { return stages * bk * (bm + kPad + bn) * 4; }
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && threads() <= 1024 &&          // full warps
           wm % tm == 0 && wn % tn == 0 && wm / tm * (wn / tn) == 32 &&  // of 32 thread tiles
           tm % 4 == 0 && tn % 4 == 0 &&                                 // of 4 x 4 sub-tiles
           bk % 8 == 0 && bm % (threads() / 8) == 0 &&                   // a copy iteration covers full rows:
           4 * threads() % bn == 0 && bk * bn % (4 * threads()) == 0 &&  // 8 words of A, bn words of B
           stages >= 2 && shared() <= 99 * 1024 &&                       // shared memory of a block, on any GPU
           blocks * (shared() + 1024) <= 164 * 1024 &&                   // and of an SM
           blocks * threads() * (tm * tn + tm + tn) <= 65536;            // registers of an SM
  }
  TileName name() const {
    return tile_text("%dx%dx%d %dx%d %dx%d, %d stages by %d", bm, bn, bk, wm, wn, tm, tn, stages, blocks);
  }
};
inline constexpr Tile kTiles[] = {{128, 128, 16, 32, 64, 8, 8, 3, 2},  // [0] is the default
                                  {128, 128, 16, 32, 64, 8, 8, 2, 2},
                                  {128, 128, 16, 32, 64, 8, 8, 4, 2},
                                  {128, 128, 8, 32, 64, 8, 8, 4, 2},
                                  {128, 128, 16, 64, 64, 8, 16, 3, 2}};

// Copies four consecutive words. `vector`: in one copy, and both addresses are 16-byte aligned.
template <bool vector> __device__ __forceinline__ void copy4(float* to, const float* from) {
  if constexpr (vector) {
    async_copy<16>(to, from);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) async_copy<4>(to + i, from + i);
  }
}

// The same at an edge: the first `left` words, and zeros instead of the others. `left` may be negative.
template <bool vector> __device__ __forceinline__ void copy4_edge(float* to, const float* from, int left) {
  if constexpr (vector) {
    async_copy<16>(to, from, 4 * max(0, min(left, 4)));
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) async_copy<4>(to + i, from + i, i < left ? 4 : 0);
  }
}

template <int tile, bool vector, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) simt_21_cp_async(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  extern __shared__ float4 simt_21_shared[];
  auto* sA = reinterpret_cast<float(*)[t.bk][t.bm + kPad]>(simt_21_shared);  // (stages, bk, bm)
  auto* sB = reinterpret_cast<float(*)[t.bk][t.bn]>(sA + t.stages);          // (stages, bk, bn)

  // Where am I: the block's tile of C, in it the warp's, and in that the first 4 x 4 sub-tile of the thread. Its
  // other sub-tiles are 4 * lanes_m rows further down, 4 * lanes_n columns further right.
  const int tid = static_cast<int>(threadIdx.x), warp = tid / 32, lane = tid % 32;
  constexpr int lanes_m = t.wm / t.tm, lanes_n = t.wn / t.tn;
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  const int row = warp / (t.bn / t.wn) * t.wm + lane / lanes_n * 4;
  const int col = warp % (t.bn / t.wn) * t.wn + lane % lanes_n * 4;
  const int rows = static_cast<int>(min(g.m - row0, std::int64_t{t.bm}));  // of the block's tile, inside C
  const int cols = static_cast<int>(min(g.n - col0, std::int64_t{t.bn}));

  // What do I copy: one word of A and four of B, and those a fixed number of rows below. Eight lanes copy 8 words of
  // a row of A, a sector: a request has four rows, which the padding spreads over 32 banks. A and B advance along k.
  constexpr int step_a = threads / 8, step_b = 4 * threads / t.bn;
  const int ra = tid / 8, ca = tid % 8;
  const int rb = 4 * tid / t.bn, cb = 4 * tid % t.bn;
  const float* A = g.A + (row0 + ra) * g.lda + ca;
  const float* B = g.B + rb * g.ldb + col0 + cb;

  // Copies the next tiles of A and B into a stage, where `left` of k remains. Outside A and B the tiles are filled
  // with zeros: past the end of k both factors are 0 and add nothing; past m or n the accumulators are never stored.
  // The condition is the same for all threads of the block.
  const auto copy = [&](int stage, std::int64_t left) {
    const int depth = static_cast<int>(min(left, std::int64_t{t.bk}));
    if (rows == t.bm && cols == t.bn && depth == t.bk) {
#pragma unroll
      for (int i = 0; i < t.bm / step_a; ++i) {
#pragma unroll
        for (int j = 0; j < t.bk / 8; ++j)
          async_copy<4>(&sA[stage][ca + 8 * j][ra + i * step_a], A + i * step_a * g.lda + 8 * j);
      }
#pragma unroll
      for (int i = 0; i < t.bk / step_b; ++i) copy4<vector>(&sB[stage][rb + i * step_b][cb], B + i * step_b * g.ldb);
    } else {
      // Not unrolled: only edge blocks run this, and the unrolled addresses would take registers in all blocks.
#pragma unroll 1
      for (int i = 0; i < t.bm / step_a; ++i) {
        const int inside = ra + i * step_a < rows ? depth - ca : 0;
#pragma unroll 1
        for (int j = 0; j < t.bk / 8; ++j)
          async_copy<4>(&sA[stage][ca + 8 * j][ra + i * step_a], A + i * step_a * g.lda + 8 * j,
                        8 * j < inside ? 4 : 0);
      }
#pragma unroll 1
      for (int i = 0; i < t.bk / step_b; ++i)
        copy4_edge<vector>(&sB[stage][rb + i * step_b][cb], B + i * step_b * g.ldb,
                           rb + i * step_b < depth ? cols - cb : 0);
    }
    A += t.bk, B += t.bk * g.ldb;
  };

  // Prologue. Every k-step commits one group of copies, empty ones at the end, so that waiting for all groups but the
  // newest stages - 2 always means those up to this k-step's.
  constexpr int ahead = t.stages - 1;
#pragma unroll
  for (int i = 0; i < ahead; ++i) {
    if (g.k > i * t.bk) copy(i, g.k - i * t.bk);
    async_commit();
  }

  float acc[t.tm][t.tn] = {};
  int now = 0;
  for (std::int64_t left = g.k; left > 0; left -= t.bk) {
    // The wait is for this thread's copies of this k-step, and the barrier makes those of all threads visible. It
    // also separates the reads of the previous k-step's stage from the copies that refill it.
    async_wait<ahead - 1>();
    __syncthreads();
    if (left > ahead * t.bk) copy(now == 0 ? ahead : now - 1, left - ahead * t.bk);
    async_commit();

    // Multiply: an outer product of tm words of a row of sA and tn words of a row of sB, from registers.
#pragma unroll
    for (int kk = 0; kk < t.bk; ++kk) {
      float rA[t.tm], rB[t.tn];
#pragma unroll
      for (int i = 0; i < t.tm; i += 4) load4(&rA[i], &sA[now][kk][row + i * lanes_m]);
#pragma unroll
      for (int j = 0; j < t.tn; j += 4) load4(&rB[j], &sB[now][kk][col + j * lanes_n]);
#pragma unroll
      for (int i = 0; i < t.tm; ++i) {
#pragma unroll
        for (int j = 0; j < t.tn; ++j) acc[i][j] += rA[i] * rB[j];
      }
    }
    now = now == ahead ? 0 : now + 1;
  }

  // Store. With beta == 0, C is not read: it may hold anything, NaN included.
#pragma unroll
  for (int i = 0; i < t.tm; ++i) {
    const int r = row + i / 4 * 4 * lanes_m + i % 4;
    if (r >= rows) continue;
    float* c = &g.C[(row0 + r) * g.ldc + col0 + col];
#pragma unroll
    for (int j = 0; j < t.tn; j += 4, c += 4 * lanes_n) {
      const int left = cols - col - j * lanes_n;
      const float* a = &acc[i][j];
      float4 v = make_float4(g.alpha * a[0], g.alpha * a[1], g.alpha * a[2], g.alpha * a[3]);
      if (g.beta != 0) {
        const float4 old = load4_edge<vector>(c, left);
        v = make_float4(v.x + g.beta * old.x, v.y + g.beta * old.y, v.z + g.beta * old.z, v.w + g.beta * old.w);
      }
      store4_edge<vector>(c, v, left);
    }
  }
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    return in_slabs(GemmArgs<float>(args), t.bm, [&](const GemmArgs<float>& g) {
      const Grid grid{ceil_div(g.n, t.bn), ceil_div(g.m, t.bm)};
      const bool vector = rows_of_16_bytes(g.B, g.ldb) && rows_of_16_bytes(g.C, g.ldc);  // A is copied word by word
      const auto kernel = vector ? simt_21_cp_async<i, true> : simt_21_cp_async<i, false>;
      return cairn::launch(grid, t.threads(), t.shared(), stream, kernel, g);
    });
  });
}

extern const Rung rung = {.id = "simt/21_cp_async",
                          .title = "cp.async",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::simt_21
