// MMA peak                                      docs/trail/probe_mma_peak.md · cairn bench probe/mma_peak --type bf16
//
// From    -
// Idea    A warp keeps tiles of accumulators, as a GEMM with mma.sync does, and issues nothing but mma.sync from
//         registers: no loads, independent chains, and one store per lane at the end. The ceiling for every kernel
//         that multiplies with mma.sync.
// Counts  m * n * k multiply-adds if m and n are multiples of the tile and k of one instruction's depth (16, or 8 for
//         tf32), so 2 m n k over the time is its FLOP/s as it is for a GEMM. Edge blocks do the work of full ones.
// Needs   f16, bf16, tf32, f64; row-major nn; sm_80. A few elements of C are overwritten with meaningless numbers; it is
//         never verified.
#include <type_traits>

#include "device/launch.hpp"
#include "device/mma.hpp"
#include "device/mma_f64.hpp"
#include "kernels/rung.hpp"

namespace cairn::probe_mma_peak {

inline constexpr int kRows = 16, kCols = 8;  // of the accumulators of one instruction

struct Tile {
  int bm, bn;
  int wm, wn;  // the warp tile
  constexpr int threads() const { return bm / wm * (bn / wn) * 32; }
  constexpr int chains() const { return wm / kRows * (wn / kCols); }  // independent chains of a warp
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && wm % kRows == 0 && wn % kCols == 0 && threads() <= 1024;
  }
  TileName name() const { return tile_text("%dx%d %dx%d, %d chains", bm, bn, wm, wn, chains()); }
};
inline constexpr Tile kTiles[] = {{128, 256, 64, 64}, {128, 128, 64, 32}, {64, 64, 32, 16}};  // [0] is the default

inline constexpr Types kTypes[] = {{Type::f16, Type::f16},
                                   {Type::f16, Type::f32},
                                   {Type::bf16, Type::bf16},
                                   {Type::bf16, Type::f32},
                                   {Type::f32, Type::f32, Compute::tf32},
                                   {Type::f64, Type::f64}};

// The kernel's arguments. A and B are typed as bits, which the kernel passes on as they are.
template <class Word> struct Args {
  std::int64_t m, n, k;
  const Word* A;
  std::int64_t lda;
  const Word* B;
  std::int64_t ldb;
  void* C;
  std::int64_t ldc;
  bool wide;  // elements of C have 4 bytes, else 2
};

// A register of an operand: the element (row, col) of a matrix, and if elements have 2 bytes also the one below it
// (`down`) or to its right. Outside the matrix zeros.
template <class Word>
__device__ __forceinline__ std::uint32_t operand(const Word* X, std::int64_t ld, std::int64_t rows, std::int64_t cols,
                                                 std::int64_t row, std::int64_t col, bool down) {
  const auto word = [&](std::int64_t r, std::int64_t c) -> std::uint32_t {
    return r < rows && c < cols ? X[r * ld + c] : Word{0};
  };
  if constexpr (sizeof(Word) == 4) return word(row, col);
  return word(row, col) | word(down ? row + 1 : row, down ? col : col + 1) << 16;
}

template <class In, class Word, int tile>
__global__ void __launch_bounds__(kTiles[tile].threads()) probe_mma_peak(Args<Word> g) {
  constexpr Tile t = kTiles[tile];
  constexpr int pair = 4 / sizeof(Word), depth = 8 * pair;  // elements of a register, of k per mma.sync

  // Where am I: the warp's tile begins at (row0, col0); (row, col) is the lane's position in a fragment.
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm + warp / (t.bn / t.wn) * t.wm;
  const std::int64_t col0 = std::int64_t{blockIdx.x} * t.bn + warp % (t.bn / t.wn) * t.wn;
  const int row = lane / 4, col = lane % 4;

  // Load, once: fragments of the caller's A and B. Their values matter: the power of a multiplication, and with it
  // the clock, depends on the bits.
  std::uint32_t rA[t.wm / kRows][4], rB[t.wn / kCols][2];
#pragma unroll
  for (int i = 0; i < t.wm / kRows; ++i) {
#pragma unroll
    for (int e = 0; e < 4; ++e)
      rA[i][e] = operand(g.A, g.lda, g.m, g.k, row0 + i * kRows + row + e % 2 * 8, (col + e / 2 * 4) * pair, false);
  }
#pragma unroll
  for (int j = 0; j < t.wn / kCols; ++j) {
#pragma unroll
    for (int e = 0; e < 2; ++e)
      rB[j][e] = operand(g.B, g.ldb, g.k, g.n, (col + e * 4) * pair, col0 + j * kCols + row, true);
  }

  // Multiply and add, k / depth times, in the order of a GEMM: operands change from one instruction to the next.
  float acc[t.wm / kRows][t.wn / kCols][4] = {};
#pragma unroll 1
  for (std::int64_t k = 0; k < g.k; k += depth) {
#pragma unroll
    for (int i = 0; i < t.wm / kRows; ++i) {
#pragma unroll
      for (int j = 0; j < t.wn / kCols; ++j) mma<In>(acc[i][j], rA[i], rB[j]);
    }
  }

  // Store one number per lane, the sum of all its accumulators so that all are computed: 4 bytes, or the upper 2.
  float all = 0;
#pragma unroll
  for (int i = 0; i < t.wm / kRows; ++i) {
#pragma unroll
    for (int j = 0; j < t.wn / kCols; ++j) all += acc[i][j][0] + acc[i][j][1] + acc[i][j][2] + acc[i][j][3];
  }
  const std::int64_t r = row0 + row, c = col0 + col * 2;
  if (r >= g.m || c >= g.n) return;
  if (g.wide) {
    static_cast<float*>(g.C)[r * g.ldc + c] = all;
  } else {
    static_cast<std::uint16_t*>(g.C)[r * g.ldc + c] = static_cast<std::uint16_t>(__float_as_uint(all) >> 16);
  }
}

// The same for f64, in tiles of half as many columns: an accumulator takes two registers.
template <int tile> inline constexpr int kColsF64 = kTiles[tile].wn / 2;
template <int tile> __global__ void __launch_bounds__(kTiles[tile].threads()) probe_mma_peak_f64(GemmArgs<double> g) {
  constexpr Tile t = kTiles[tile];
  constexpr int across = kColsF64<tile> / kCols, down = t.wm / kRows, depth = 16;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm + warp / (t.bn / t.wn) * t.wm;
  const std::int64_t col0 = std::int64_t{blockIdx.x} * t.bn / 2 + warp % (t.bn / t.wn) * kColsF64<tile>;
  const int row = lane / 4, col = lane % 4;
  const auto at = [](const double* X, std::int64_t ld, std::int64_t rows, std::int64_t cols, std::int64_t r,
                     std::int64_t c) { return r < rows && c < cols ? X[r * ld + c] : 0; };

  double acc[down][across][4] = {}, rA[2][depth / 2], rB[across][depth / 4];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
#pragma unroll
    for (int e = 0; e < depth / 2; ++e)
      rA[i][e] = at(g.A, g.lda, g.m, g.k, row0 + i * kRows + row + e % 2 * 8, col + e / 2 * 4);
  }
#pragma unroll
  for (int j = 0; j < across; ++j) {
#pragma unroll
    for (int e = 0; e < depth / 4; ++e) rB[j][e] = at(g.B, g.ldb, g.k, g.n, col + e * 4, col0 + j * kCols + row);
  }
#pragma unroll 1
  for (std::int64_t k = 0; k < g.k; k += depth) {
#pragma unroll
    for (int i = 0; i < down; ++i) {
#pragma unroll
      for (int j = 0; j < across; ++j) mma(acc[i][j], rA[i % 2], rB[j]);
    }
  }
  double all = 0;
#pragma unroll
  for (int i = 0; i < down; ++i) {
#pragma unroll
    for (int j = 0; j < across; ++j) all += acc[i][j][0] + acc[i][j][1] + acc[i][j][2] + acc[i][j][3];
  }
  if (row0 + row < g.m && col0 + col * 2 < g.n) g.C[(row0 + row) * g.ldc + col0 + col * 2] = all;
}
Status launch_f64(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    return in_slabs(GemmArgs<double>(args), t.bm, [&](const GemmArgs<double>& g) {
      return cairn::launch({ceil_div(g.n, t.bn / 2), ceil_div(g.m, t.bm)}, t.threads(), 0, stream,
                           probe_mma_peak_f64<i>, g);
    });
  });
}

template <class In, class Word, class Out> Status launch_typed(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    return in_slabs(GemmArgs<Word, Out, float>(args), t.bm, [&](const GemmArgs<Word, Out, float>& g) {
      const Grid grid{ceil_div(g.n, t.bn), ceil_div(g.m, t.bm)};
      const Args<Word> same{g.m, g.n, g.k, g.A, g.lda, g.B, g.ldb, g.C, g.ldc, std::is_same_v<Out, float>};
      return cairn::launch(grid, t.threads(), 0, stream, probe_mma_peak<In, Word, i>, same);
    });
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  using Half = std::uint16_t;
  const Problem& p = args.problem;
  if (p.in == Type::f64) return launch_f64(args, tile, stream);
  if (p.in == Type::f32) return launch_typed<Tf32, std::uint32_t, float>(args, tile, stream);
  if (p.in == Type::bf16) {
    return p.out == Type::f32 ? launch_typed<__nv_bfloat16, Half, float>(args, tile, stream)
                              : launch_typed<__nv_bfloat16, Half, Half>(args, tile, stream);
  }
  return p.out == Type::f32 ? launch_typed<__half, Half, float>(args, tile, stream)
                            : launch_typed<__half, Half, Half>(args, tile, stream);
}

extern const Rung rung = {.id = "probe/mma_peak",
                          .title = "mma.sync peak",
                          .kind = RungKind::probe,
                          .types = kTypes,
                          .layouts = layout::nn,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::probe_mma_peak
