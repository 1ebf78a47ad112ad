// 33 · WMMA TF32, more stages                      docs/trail/tensor_33_wmma_tf32_stage3.md · cairn bench tensor/33
//
// Idea    A ring of 2 to 4 stages in dynamic shared memory: tiles set out two or three steps before they are needed,
//         and a step is 16 deep, so that there are half as many waits and barriers.
// Before  32 had one tile on its way, for the time of one step of 8.
// Limit   WMMA itself: TF32 fragments come from shared memory word by word, each factor is rounded by every warp that
//         reads it, and ptxas makes instructions of depth 4 of it. 35 says which instruction it wants.
// Needs   f32 storage, tf32 asked for; row-major nn; any m, n, k (edges masked); 16-byte copies where A and B allow
//         them; sm_80.
#include "device/async_copy.hpp"
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "device/wmma.hpp"
#include "kernels/rung.hpp"

namespace cairn::tensor_33 {

inline constexpr int kSide = 16, kDepth = 8;  // of a fragment: 16 x 16 sums, 8 products added to each by one mma
inline constexpr int kPadA = 4, kPadB = 8, kPadC = 8;  // words after each row, as in 32
inline constexpr int kStrip = 32;  // columns of sums that a warp turns into rows at a time: a lane for each

struct Tile {
  int bm, bn, bk;
  int wm, wn;  // the elements of one warp
  int stages;
  int blocks;  // on an SM at a time, at least
  constexpr int warps() const { return bm / wm * (bn / wn); }
  constexpr int threads() const { return warps() * 32; }
  constexpr int shared() const { return stages * (bm * (bk + kPadA) + bk * (bn + kPadB)) * 4; }  // bytes
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && wm % kSide == 0 && wn % kStrip == 0 &&  // whole warps, fragments, strips
           bk % kDepth == 0 && 128 % bk == 0 && 4 * threads() % bn == 0 &&         // a round of copies is whole rows,
           bm * bk % (4 * threads()) == 0 && bk * bn % (4 * threads()) == 0 &&     // and nobody is idle in it
           stages >= 2 && shared() <= 99 * 1024 &&                // shared memory of a block, on any GPU,
           warps() * kSide * (kStrip + kPadC) * 4 <= shared() &&  // in which the strips find room at the end,
           blocks * (shared() + 1024) <= 164 * 1024 &&            // and of an SM
           blocks * threads() <= 1536 &&                          // threads of an SM, on any GPU
           blocks * threads() * (wm * wn / 32 + wm / 4 + wn / 4) <= 65536;  // and registers
  }
  TileName name() const { return tile_text("%dx%dx%d %dx%d, %d stages by %d", bm, bn, bk, wm, wn, stages, blocks); }
};
inline constexpr Tile kTiles[] = {{128, 128, 16, 32, 64, 3, 2},  // [0] is the default
                                  {128, 128, 16, 32, 64, 2, 2},
                                  {128, 128, 16, 32, 64, 4, 2},
                                  {128, 128, 8, 32, 64, 3, 2},
                                  {128, 128, 8, 32, 64, 4, 2}};

// Four neighbours, in one copy where both sides lie on a boundary of 16 bytes.
template <bool vector> __device__ __forceinline__ void copy4(float* to, const float* from) {
  if constexpr (vector) {
    async_copy<16>(to, from);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) async_copy<4>(to + i, from + i);
  }
}

// The same at an edge: the first `left` of them, and zeros in place of the others. `left` may be negative.
template <bool vector> __device__ __forceinline__ void copy4_edge(float* to, const float* from, int left) {
  if constexpr (vector) {
    async_copy<16>(to, from, 4 * max(0, min(left, 4)));
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) async_copy<4>(to + i, from + i, i < left ? 4 : 0);
  }
}

// To the nearest TF32. The tensor core would drop the other bits, which errs twice as much and always towards zero.
template <class Fragment> __device__ __forceinline__ void round_to_tf32(Fragment& fragment) {
#pragma unroll
  for (int e = 0; e < fragment.num_elements; ++e) fragment.x[e] = wmma::__float_to_tf32(fragment.x[e]);
}

template <int tile, bool vector, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) tensor_33_wmma_tf32_stage3(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  extern __shared__ __align__(32) float tensor_33_shared[];
  auto* sA = reinterpret_cast<float(*)[t.bm][t.bk + kPadA]>(tensor_33_shared);  // (stages, bm, bk)
  auto* sB = reinterpret_cast<float(*)[t.bk][t.bn + kPadB]>(sA + t.stages);     // (stages, bk, bn)

  // Where am I: the block's tile of C, and in it the warp's.
  const int tid = static_cast<int>(threadIdx.x), warp = tid / 32, lane = tid % 32;
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  const int row = warp / (t.bn / t.wn) * t.wm, col = warp % (t.bn / t.wn) * t.wn;
  const int rows = static_cast<int>(min(g.m - row0, std::int64_t{t.bm}));  // of the block's tile that are there
  const int cols = static_cast<int>(min(g.n - col0, std::int64_t{t.bn}));

  // What do I copy: these four words of each tile, and those some rows below. Lanes go down the narrow tile of A
  // first: then the eight whose 16 bytes are put down together are in eight rows, which padding has parted. A and B
  // move along k.
  constexpr int step_a = 4 * threads / t.bk, step_b = 4 * threads / t.bn, down = 128 / t.bk;
  const int ra = warp * down + lane % down, ca = lane / down * 4;
  const int rb = 4 * tid / t.bn, cb = 4 * tid % t.bn;
  const float* A = g.A + (row0 + ra) * g.lda + ca;
  const float* B = g.B + rb * g.ldb + col0 + cb;

  // Copy a tile of A and one of B into a stage, where `left` of k begins. Where a tile hangs over an edge the copy
  // fills in zeros: past the end of k both factors are zeros, so nothing is added; past m or n the sum may be
  // anything, for nobody stores it. The block decides as one.
  const auto copy = [&](int stage, std::int64_t left) {
    const int depth = static_cast<int>(min(left, std::int64_t{t.bk}));
    if (rows == t.bm && cols == t.bn && depth == t.bk) {
#pragma unroll
      for (int i = 0; i < t.bm; i += step_a) copy4<vector>(&sA[stage][ra + i][ca], A + i * g.lda);
#pragma unroll
      for (int i = 0; i < t.bk; i += step_b) copy4<vector>(&sB[stage][rb + i][cb], B + i * g.ldb);
    } else {
#pragma unroll 1
      for (int i = 0; i < t.bm; i += step_a)
        copy4_edge<vector>(&sA[stage][ra + i][ca], A + i * g.lda, ra + i < rows ? depth - ca : 0);
#pragma unroll 1
      for (int i = 0; i < t.bk; i += step_b)
        copy4_edge<vector>(&sB[stage][rb + i][cb], B + i * g.ldb, rb + i < depth ? cols - cb : 0);
    }
    A += t.bk, B += t.bk * g.ldb;
  };

  // The first tiles set out. Each step has a group of copies, be it an empty one: then "all groups but the newest
  // stages - 2" are those up to this step's, at the end too.
  constexpr int ahead = t.stages - 1;
#pragma unroll
  for (int i = 0; i < ahead; ++i) {
    if (g.k > i * t.bk) copy(i, g.k - i * t.bk);
    async_commit();
  }

  wmma::fragment<wmma::accumulator, kSide, kSide, kDepth, float> acc[t.wm / kSide][t.wn / kSide];
#pragma unroll
  for (int i = 0; i < t.wm / kSide; ++i) {
#pragma unroll
    for (int j = 0; j < t.wn / kSide; ++j) wmma::fill_fragment(acc[i][j], 0.0F);
  }

  int now = 0;
  for (std::int64_t left = g.k; left > 0; left -= t.bk) {
    // My copies of this step are there; behind the barrier everybody's are. It also says that all are done with the
    // stage of the step before, which is filled anew.
    async_wait<ahead - 1>();
    __syncthreads();
    if (left > ahead * t.bk) copy(now == 0 ? ahead : now - 1, left - ahead * t.bk);
    async_commit();

    // Multiply: fragments of 16 x 8 by fragments of 8 x 16, the warp as one. Not unrolled: the addresses of two steps
    // are more than the registers of two blocks have room for.
#pragma unroll 1
    for (int kk = 0; kk < t.bk; kk += kDepth) {
      wmma::fragment<wmma::matrix_a, kSide, kSide, kDepth, wmma::precision::tf32, wmma::row_major> a[t.wm / kSide];
#pragma unroll
      for (int i = 0; i < t.wm / kSide; ++i) {
        wmma::load_matrix_sync(a[i], &sA[now][row + i * kSide][kk], t.bk + kPadA);
        round_to_tf32(a[i]);
      }
#pragma unroll
      for (int j = 0; j < t.wn / kSide; ++j) {
        wmma::fragment<wmma::matrix_b, kSide, kSide, kDepth, wmma::precision::tf32, wmma::row_major> b;
        wmma::load_matrix_sync(b, &sB[now][kk][col + j * kSide], t.bn + kPadB);
        round_to_tf32(b);
#pragma unroll
        for (int i = 0; i < t.wm / kSide; ++i) wmma::mma_sync(acc[i][j], a[i], b, acc[i][j]);
      }
    }
    now = now == ahead ? 0 : now + 1;
  }
  __syncthreads();  // the stages are free: what is on its way is nothing, and all have read the last one

  // Store. Which lane holds which sum only WMMA knows, so each warp lays a strip of them out in shared memory and
  // reads it row by row, a lane for each column. C is not looked at where beta is 0: it may hold anything, NaN too.
  auto* sC = reinterpret_cast<float(*)[kSide][kStrip + kPadC]>(tensor_33_shared)[warp];
#pragma unroll
  for (int i = 0; i < t.wm / kSide; ++i) {
#pragma unroll
    for (int j = 0; j < t.wn / kSide; j += kStrip / kSide) {
#pragma unroll
      for (int f = 0; f < kStrip / kSide; ++f)
        wmma::store_matrix_sync(&sC[0][f * kSide], acc[i][j + f], kStrip + kPadC, wmma::mem_row_major);
      __syncwarp();
      const int c = col + j * kSide + lane;
#pragma unroll 4
      for (int r = 0; r < kSide; ++r) {
        if (row + i * kSide + r >= rows || c >= cols) continue;
        float* to = &g.C[(row0 + row + i * kSide + r) * g.ldc + col0 + c];
        const float sum = g.alpha * sC[r][lane];
        *to = g.beta == 0 ? sum : sum + g.beta * *to;
      }
      __syncwarp();  // before the next strip is laid over this one
    }
  }
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    return in_slabs(GemmArgs<float>(args), t.bm, [&](const GemmArgs<float>& g) {
      const Grid grid{ceil_div(g.n, t.bn), ceil_div(g.m, t.bm)};
      const bool vector = rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb);
      const auto kernel = vector ? tensor_33_wmma_tf32_stage3<i, true> : tensor_33_wmma_tf32_stage3<i, false>;
      return cairn::launch(grid, t.threads(), t.shared(), stream, kernel, g);
    });
  });
}

extern const Rung rung = {.id = "tensor/33_wmma_tf32_stage3",
                          .title = "WMMA TF32, more stages",
                          .kind = RungKind::gemm,
                          .types = types::tf32,
                          .layouts = layout::nn,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::tensor_33
