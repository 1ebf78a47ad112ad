// The kernels of `cairn lab tiny-code`: one kernel in 32 spellings. Every spelling computes the same products in the
// same order from the same tiles. They differ in how a loop and the thread index are written, in the launch bounds,
// and in two choices that published kernels changed along with them:
//
//   loop     0: for (i = off; i < bm; i += stride) s[i]       1: for (i = 0; i < bm; i += stride) s[i + off]
//   tid      0: threadIdx.x                                   1: threadIdx.x + threadIdx.y * blockDim.x
//   bounds   0: none                                          1: __launch_bounds__(256)
//   grid     0: blockIdx.x along n                            1: blockIdx.x along m
//   bk       0: 8                                             1: 32
//
// A register tile like rung 09's, without edges: sizes are multiples of 128. A block is one-dimensional, 256 threads,
// for either spelling of tid.
#include "device/launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::lab_tiny_code {

inline constexpr int kBm = 128, kBn = 128, kTm = 8, kTn = 8, kThreads = 256;

struct Tile {
  int loop, tid, bounds, grid;  // 0 or 1, as above
  int bk;
  constexpr bool valid() const { return kThreads % bk == 0 && bk * (kBm + kBn) * 4 <= 48 * 1024; }
  TileName name() const {
    return tile_text("loop %d, tid %d, bounds %d, grid %d, bk %d", loop, tid, bounds, grid, bk);
  }
};
// The number of a tile is its spelling: the bits, from the lowest, are loop, tid, bounds, grid and bk.
inline constexpr Tile kTiles[] = {
    {0, 0, 0, 0, 8},  {1, 0, 0, 0, 8},  {0, 1, 0, 0, 8},  {1, 1, 0, 0, 8},  {0, 0, 1, 0, 8},  {1, 0, 1, 0, 8},
    {0, 1, 1, 0, 8},  {1, 1, 1, 0, 8},  {0, 0, 0, 1, 8},  {1, 0, 0, 1, 8},  {0, 1, 0, 1, 8},  {1, 1, 0, 1, 8},
    {0, 0, 1, 1, 8},  {1, 0, 1, 1, 8},  {0, 1, 1, 1, 8},  {1, 1, 1, 1, 8},  {0, 0, 0, 0, 32}, {1, 0, 0, 0, 32},
    {0, 1, 0, 0, 32}, {1, 1, 0, 0, 32}, {0, 0, 1, 0, 32}, {1, 0, 1, 0, 32}, {0, 1, 1, 0, 32}, {1, 1, 1, 0, 32},
    {0, 0, 0, 1, 32}, {1, 0, 0, 1, 32}, {0, 1, 0, 1, 32}, {1, 1, 0, 1, 32}, {0, 0, 1, 1, 32}, {1, 0, 1, 1, 32},
    {0, 1, 1, 1, 32}, {1, 1, 1, 1, 32},
};

template <int tile> __device__ __forceinline__ void multiply(const GemmArgs<float>& g) {
  constexpr Tile t = kTiles[tile];
  constexpr int bk = t.bk;
  __shared__ float sA[kBm][bk];
  __shared__ float sB[bk][kBn];

  const int tid = static_cast<int>(t.tid == 1 ? threadIdx.x + threadIdx.y * blockDim.x : threadIdx.x);
  const std::int64_t row0 = std::int64_t{t.grid == 1 ? blockIdx.x : blockIdx.y} * kBm;
  const std::int64_t col0 = std::int64_t{t.grid == 1 ? blockIdx.y : blockIdx.x} * kBn;
  const int row = tid / (kBn / kTn) * kTm, col = tid % (kBn / kTn) * kTn;

  const int ra = tid / bk, ca = tid % bk;
  const int rb = tid / kBn, cb = tid % kBn;
  constexpr int stride_a = kThreads / bk, stride_b = kThreads / kBn;
  const float* A = g.A + row0 * g.lda;
  const float* B = g.B + col0;

  float acc[kTm][kTn] = {};
  for (std::int64_t k0 = 0; k0 < g.k; k0 += bk, A += bk, B += bk * g.ldb) {
    // Both spellings copy the same words to the same addresses in the same order.
    if constexpr (t.loop == 1) {
      for (int i = 0; i < kBm; i += stride_a) sA[i + ra][ca] = A[(i + ra) * g.lda + ca];
      for (int i = 0; i < bk; i += stride_b) sB[i + rb][cb] = B[(i + rb) * g.ldb + cb];
    } else {
      for (int i = ra; i < kBm; i += stride_a) sA[i][ca] = A[i * g.lda + ca];
      for (int i = rb; i < bk; i += stride_b) sB[i][cb] = B[i * g.ldb + cb];
    }
    __syncthreads();

    for (int kk = 0; kk < bk; ++kk) {
      float rA[kTm], rB[kTn];
      for (int i = 0; i < kTm; ++i) rA[i] = sA[row + i][kk];
      for (int j = 0; j < kTn; ++j) rB[j] = sB[kk][col + j];
      for (int i = 0; i < kTm; ++i) {
        for (int j = 0; j < kTn; ++j) acc[i][j] += rA[i] * rB[j];
      }
    }
    __syncthreads();
  }

  for (int i = 0; i < kTm; ++i) {
    for (int j = 0; j < kTn; ++j) {
      float* c = &g.C[(row0 + row + i) * g.ldc + col0 + col + j];
      *c = g.beta == 0 ? g.alpha * acc[i][j] : g.alpha * acc[i][j] + g.beta * *c;
    }
  }
}

template <int tile> __global__ void lab_tiny_code(GemmArgs<float> g) { multiply<tile>(g); }
template <int tile> __global__ void __launch_bounds__(kThreads) lab_tiny_code_bounds(GemmArgs<float> g) {
  multiply<tile>(g);
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    constexpr Tile t = kTiles[i];
    const GemmArgs<float> g(args);
    if (g.idle()) return {};
    if (g.m % kBm != 0 || g.n % kBn != 0 || g.k % t.bk != 0) {
      return {Code::unsupported, "a spelling of the kernel takes full tiles"};
    }
    const std::int64_t m = g.m / kBm, n = g.n / kBn;
    const Grid grid = t.grid == 1 ? Grid{m, n} : Grid{n, m};
    if constexpr (t.bounds == 1)
      return cairn::launch(grid, kThreads, 0, stream, lab_tiny_code_bounds<i>, g);
    else
      return cairn::launch(grid, kThreads, 0, stream, lab_tiny_code<i>, g);
  });
}

extern const Rung rung = {.id = "lab/tiny_code",
                          .title = "One kernel in 32 spellings",
                          .kind = RungKind::gemm,
                          .types = types::f32,
                          .layouts = layout::nn,
                          .arch = 75,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::lab_tiny_code
