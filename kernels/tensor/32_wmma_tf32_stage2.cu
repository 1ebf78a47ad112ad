// 32 · WMMA TF32, two stages                       docs/trail/tensor_32_wmma_tf32_stage2.md · cairn bench tensor/32
//
// From    simt/21_cp_async
// Idea    f32 matrices on tensor cores: a factor keeps the first 10 bits of its mantissa (TF32), accumulators are
//         f32. Warps divide m and n, 32x64 elements each; cp.async fills one stage while the other is multiplied.
//         Factors are rounded in registers, after they are read from shared memory: the caller's matrices stay as
//         they are.
// Before  simt/21 multiplied on the CUDA cores. 31 gave each warp a range of k, so that every warp kept accumulators
//         for the whole tile and the tile stayed small.
// Limit   A k-step of 8: the k of one instruction, then a wait for all copies and a barrier. Each factor is rounded
//         by every warp that reads it. 33 has more stages and longer k-steps.
// Needs   f32 storage, tf32 asked for; row-major nn; any m, n, k (edges masked); 16-byte copies where A and B allow
//         them; sm_80.
#include "device/async_copy.hpp"
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "device/wmma.hpp"
#include "kernels/rung.hpp"

namespace cairn::tensor_32 {

inline constexpr int kFragment = 16, kFragmentK = 8;  // m and n of a fragment, and its k
// Words after each row, so that a fragment's rows begin in different banks: 8 rows of 4 words of A, 4 rows of 8 words
// of B and of accumulators.
inline constexpr int kPadA = 4, kPadB = 8;
inline constexpr int kPad = 8;
inline constexpr int kStrip = 32;  // columns of accumulators that a warp stores at a time: a lane for each

struct Tile {
  int bm, bn, bk;
  int wm, wn;  // warp tile
  int blocks;  // occupancy: blocks an SM must be able to hold
  constexpr int warps() const { return bm / wm * (bn / wn); }
  constexpr int threads() const { return warps() * 32; }
  constexpr int shared() const {
    return (2 * bm * (bk + kPadA) + 2 * bk * (bn + kPadB) + warps() * kFragment * (kStrip + kPad)) * 4;
  }
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && wm % kFragment == 0 && wn % kStrip == 0 &&  // full warps, strips
           bk % kFragmentK == 0 && 128 % bk == 0 && 4 * threads() % bn == 0 &&  // a pass of copies is full rows,
           bm * bk % (4 * threads()) == 0 && bk * bn % (4 * threads()) == 0 &&  // and all threads copy in it
           shared() <= 48 * 1024 &&
           blocks * (shared() + 1024) <= 100 * 1024 &&                      // shared memory of a block, and of an SM
           blocks * threads() <= 1536 &&                                    // threads of an SM, on any GPU
           blocks * threads() * (wm * wn / 32 + wm / 4 + wn / 4) <= 65536;  // and registers
  }
  TileName name() const { return tile_text("%dx%dx%d %dx%d by %d", bm, bn, bk, wm, wn, blocks); }
};
inline constexpr Tile kTiles[] = {{128, 128, 8, 32, 64, 2},   // [0] is the default
                                  {128, 128, 8, 64, 64, 2}};  // half the warps

// Copies four neighbours, in one instruction where source and destination are aligned to 16 bytes.
template <bool vector> __device__ __forceinline__ void copy4(float* to, const float* from) {
  if constexpr (vector) {
    async_copy<16>(to, from);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) async_copy<4>(to + i, from + i);
  }
}

// The same at an edge: copies the first `left` of them and writes zeros for the others. `left` may be negative.
template <bool vector> __device__ __forceinline__ void copy4_edge(float* to, const float* from, int left) {
  if constexpr (vector) {
    async_copy<16>(to, from, 4 * max(0, min(left, 4)));
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) async_copy<4>(to + i, from + i, i < left ? 4 : 0);
  }
}

// Rounds to the nearest TF32. The tensor core would truncate: twice the error, and always towards zero.
template <class Fragment> __device__ __forceinline__ void round_to_tf32(Fragment& fragment) {
#pragma unroll
  for (int e = 0; e < fragment.num_elements; ++e) fragment.x[e] = wmma::__float_to_tf32(fragment.x[e]);
}

template <int tile, bool vector, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) tensor_32_wmma_tf32_stage2(GemmArgs<float> g) {
  constexpr Tile t = kTiles[tile];
  alignas(32) __shared__ float sA[2][t.bm][t.bk + kPadA];
  alignas(32) __shared__ float sB[2][t.bk][t.bn + kPadB];
  alignas(32) __shared__ float strips[threads / 32][kFragment][kStrip + kPad];

  // Position: the block's tile of C, and the warp's tile in it.
  const int tid = static_cast<int>(threadIdx.x), warp = tid / 32, lane = tid % 32;
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  const int row = warp / (t.bn / t.wn) * t.wm, col = warp % (t.bn / t.wn) * t.wn;
  const int rows = static_cast<int>(min(g.m - row0, std::int64_t{t.bm}));  // of the block's tile that are in C
  const int cols = static_cast<int>(min(g.n - col0, std::int64_t{t.bn}));

  // Each thread copies these four words of each tile, and others some rows below. Lanes go down the narrow tile of A
  // first: the chunks of eight lanes, one wavefront, are then in eight rows, which begin in different banks.
  constexpr int step_a = 4 * threads / t.bk, step_b = 4 * threads / t.bn, down = 128 / t.bk;
  const int ra = warp * down + lane % down, ca = lane / down * 4;
  const int rb = 4 * tid / t.bn, cb = 4 * tid % t.bn;
  const float* A = g.A + (row0 + ra) * g.lda + ca;
  const float* B = g.B + rb * g.ldb + col0 + cb;

  // Copy a tile of A and one of B into a stage, with `left` of k still to come, and advance along k. Outside of the
  // matrices the copy writes zeros: past the end of k both factors are zeros, so nothing is added; past m or n the
  // products do not matter, since they are not stored. The branch is uniform over the block.
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
  if (g.k > 0) copy(0, g.k);
  async_commit();

  wmma::fragment<wmma::accumulator, kFragment, kFragment, kFragmentK, float> acc[t.wm / kFragment][t.wn / kFragment];
#pragma unroll
  for (int i = 0; i < t.wm / kFragment; ++i) {
#pragma unroll
    for (int j = 0; j < t.wn / kFragment; ++j) wmma::fill_fragment(acc[i][j], 0.0F);
  }

  int now = 0;
  for (std::int64_t left = g.k; left > 0; left -= t.bk) {
    // This thread's copies of the k-step have arrived; after the barrier those of all threads have. All warps are
    // also done with the other stage then, which is refilled.
    async_wait<0>();
    __syncthreads();
    if (left > t.bk) copy(1 - now, left - t.bk);
    async_commit();

    // Multiply: fragments of 16 x 8 by fragments of 8 x 16.
#pragma unroll
    for (int kk = 0; kk < t.bk; kk += kFragmentK) {
      wmma::fragment<wmma::matrix_a, kFragment, kFragment, kFragmentK, wmma::precision::tf32, wmma::row_major>
          fA[t.wm / kFragment];
#pragma unroll
      for (int i = 0; i < t.wm / kFragment; ++i) {
        wmma::load_matrix_sync(fA[i], &sA[now][row + i * kFragment][kk], t.bk + kPadA);
        round_to_tf32(fA[i]);
      }
#pragma unroll
      for (int j = 0; j < t.wn / kFragment; ++j) {
        wmma::fragment<wmma::matrix_b, kFragment, kFragment, kFragmentK, wmma::precision::tf32, wmma::row_major> fB;
        wmma::load_matrix_sync(fB, &sB[now][kk][col + j * kFragment], t.bn + kPadB);
        round_to_tf32(fB);
#pragma unroll
        for (int i = 0; i < t.wm / kFragment; ++i) wmma::mma_sync(acc[i][j], fA[i], fB, acc[i][j]);
      }
    }
    now = 1 - now;
  }

  // Epilogue. WMMA does not say which lane holds which accumulator, so each warp stores a strip of them to shared
  // memory and reads it back row by row, one column per lane. C is not read where beta is 0, since it may hold
  // anything, NaN too.
  auto* sC = strips[warp];
#pragma unroll
  for (int i = 0; i < t.wm / kFragment; ++i) {
#pragma unroll
    for (int j = 0; j < t.wn / kFragment; j += kStrip / kFragment) {
#pragma unroll
      for (int f = 0; f < kStrip / kFragment; ++f)
        wmma::store_matrix_sync(&sC[0][f * kFragment], acc[i][j + f], kStrip + kPad, wmma::mem_row_major);
      __syncwarp();
      const int c = col + j * kFragment + lane;
#pragma unroll 4
      for (int r = 0; r < kFragment; ++r) {
        if (row + i * kFragment + r >= rows || c >= cols) continue;
        const std::int64_t at = (row0 + row + i * kFragment + r) * g.ldc + col0 + c;
        const float product = g.alpha * sC[r][lane];
        g.C[at] = g.beta == 0 ? product : product + g.beta * g.C[at];
      }
      __syncwarp();  // before the next strip overwrites this one
    }
  }
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    return in_slabs(GemmArgs<float>(args), t.bm, [&](const GemmArgs<float>& g) {
      const Grid grid{ceil_div(g.n, t.bn), ceil_div(g.m, t.bm)};
      const bool vector = rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb);
      const auto kernel = vector ? tensor_32_wmma_tf32_stage2<i, true> : tensor_32_wmma_tf32_stage2<i, false>;
      return cairn::launch(grid, t.threads(), 0, stream, kernel, g);
    });
  });
}

extern const Rung rung = {.id = "tensor/32_wmma_tf32_stage2",
                          .title = "WMMA TF32, two stages",
                          .kind = RungKind::gemm,
                          .types = types::tf32,
                          .layouts = layout::nn,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::tensor_32
