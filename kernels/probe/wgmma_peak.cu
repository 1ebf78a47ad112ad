// wgmma peak                                docs/trail/probe_wgmma_peak.md · cairn bench probe/wgmma_peak --type bf16
//
// From    -
// Idea    Operands are stored to shared memory once, and then warpgroups issue nothing but wgmma: no copies, no waits
//         for copies, and one store per thread at the end. The ceiling of Hopper's tensor cores.
// Counts  m * n * k multiply-adds if m and n are multiples of the tile and k of a swizzled row's 128 bytes (64
//         elements, 32 for tf32, 128 for e4m3), so 2 m n k over the time is its FLOP/s as it is for a GEMM. Blocks
//         are persistent and the k-steps are divided evenly among them: there is no tail wave.
// Needs   f16, bf16, tf32, e4m3 without promotion; row-major nn; sm_90a. A few elements of C are overwritten with
//         meaningless numbers; it is never verified.
#include "device/launch.hpp"
#include "device/tma.hpp"
#include "device/wgmma.hpp"
#include "kernels/rung.hpp"

namespace cairn::probe_wgmma_peak {

inline constexpr int kRow = 128;  // bytes of a swizzled row: a k-step, four instructions

struct Tile {
  int bm, bn;
  int rows;  // of one warpgroup; the warpgroups divide bm
  constexpr int threads() const { return bm / rows * 128; }
  constexpr int shared() const { return (bm + bn) * kRow; }
  constexpr bool valid() const {
    return bm % rows == 0 && rows % 64 == 0 && bn % 8 == 0 && bn <= 256 && threads() <= 1024 &&
           rows / 64 * (bn / 2) + 32 <= std::min(65536 / threads(), 255) &&  // registers
           shared() <= 227 * 1024;
  }
  TileName name() const { return tile_text("%dx%d %dx%d, %d chains", bm, bn, rows, bn, rows / 64); }
};
inline constexpr Tile kTiles[] = {{128, 256, 64}, {256, 128, 128}, {64, 256, 64}};  // [0] is the default

inline constexpr Types kTypes[] = {{Type::f16, Type::f16},
                                   {Type::f16, Type::f32},
                                   {Type::bf16, Type::bf16},
                                   {Type::bf16, Type::f32},
                                   {Type::f32, Type::f32, Compute::tf32},
                                   {Type::e4m3, Type::e4m3},
                                   {Type::e4m3, Type::f16},
                                   {Type::e4m3, Type::bf16},
                                   {Type::e4m3, Type::f32},
                                   {Type::e4m3, Type::e4m3, Compute::fast},
                                   {Type::e4m3, Type::f16, Compute::fast},
                                   {Type::e4m3, Type::bf16, Compute::fast},
                                   {Type::e4m3, Type::f32, Compute::fast}};

// The kernel's arguments. A and B are typed as bits, which the kernel passes on as they are.
template <class Word> struct Args {
  std::int64_t m, n, k;
  const Word* A;
  std::int64_t lda;
  const Word* B;
  std::int64_t ldb;
  unsigned char* C;
  std::int64_t ldc;
  int size;            // of an element of C
  std::int64_t tiles;  // of C
};

// Stores `rows` rows of A (columns of B) by 128 bytes of k to shared memory in wgmma's 128-byte swizzle: the eight
// chunks of a row are exchanged by an XOR with the row's number. Consecutive threads read consecutive elements of the
// matrix, which is k-major or MN-major. Outside the matrix zeros.
template <int rows, Major major, int threads, class Word>
__device__ __forceinline__ void store_swizzled(Word* to, const Word* from, std::int64_t ld, std::int64_t rows_left,
                                               std::int64_t k) {
  constexpr int chunk = 16 / sizeof(Word), depth = kRow / sizeof(Word);
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < rows * depth; i += threads) {
    const int row = major == Major::k ? i / depth : i % rows, e = major == Major::k ? i % depth : i / rows;
    to[row * depth + (e / chunk ^ row % 8) * chunk + e % chunk] =
        row < rows_left && e < k ? from[major == Major::k ? row * ld + e : e * ld + row] : Word{0};
  }
}

template <class In, class Word, int tile>
__global__ void __launch_bounds__(kTiles[tile].threads(), 1) probe_wgmma_peak(Args<Word> g) {
  constexpr Tile t = kTiles[tile];
  constexpr int threads = t.bm / t.rows * 128, chains = t.rows / 64;  // independent chains
  constexpr int depth = kRow / sizeof(Word);                          // elements of a k-step
  extern __shared__ __align__(1024) unsigned char probe_wgmma_peak_shared[];
  Word* const sA = reinterpret_cast<Word*>(probe_wgmma_peak_shared);  // (bm, depth)
  Word* const sB = sA + t.bm * depth;                                 // (bn, depth)

  // Where am I: the block's operands are those of tile `block` of C; it computes its part of the k-steps of all
  // tiles.
  const std::int64_t across = (g.n + t.bn - 1) / t.bn, block = blockIdx.x;
  const std::int64_t row0 = block / across * t.bm, col0 = block % across * t.bn;
  const std::int64_t all_steps = g.tiles * ((g.k + depth - 1) / depth);
  const std::int64_t steps = all_steps * (block + 1) / gridDim.x - all_steps * block / gridDim.x;
  const int group = static_cast<int>(threadIdx.x) / 128;

  // Load the caller's A and B, once. Their values matter: the power of a multiplication, and with it the clock,
  // depends on the bits.
  store_swizzled<t.bm, Major::k, threads>(sA, g.A + row0 * g.lda, g.lda, g.m - row0, g.k);
  store_swizzled<t.bn, Major::mn, threads>(sB, g.B + col0, g.ldb, g.n - col0, g.k);
  fence_proxy_async();
  __syncthreads();

  // Multiply and add, in the order of a GEMM: operands change from one instruction to the next.
  const MatrixDescriptor a = matrix_descriptor(sA + group * t.rows * depth, Swizzle::b128, 8 * kRow);
  const MatrixDescriptor b = matrix_descriptor(sB, Swizzle::b128, 8 * kRow);
  float acc[chains][t.bn / 2] = {};
#pragma unroll 1
  for (std::int64_t step = 0; step < steps; ++step) {
    wgmma_fence();
#pragma unroll
    for (int kk = 0; kk < kRow; kk += 32) {
#pragma unroll
      for (int i = 0; i < chains; ++i) wgmma<In, t.bn>(acc[i], a.at(i * 64 * kRow + kk), b.at(kk), true);
    }
    wgmma_commit();
    wgmma_wait<1>();
  }
  wgmma_wait<0>();
#pragma unroll
  for (int i = 0; i < chains; ++i) wgmma_fence_operand(acc[i]);

  // Store one number per thread, the sum of all its accumulators so that all are computed: 4 bytes, or the upper 2 or
  // 1.
  float all = 0;
#pragma unroll
  for (int i = 0; i < chains; ++i) {
#pragma unroll
    for (int j = 0; j < t.bn / 2; ++j) all += acc[i][j];
  }
  const int warp = static_cast<int>(threadIdx.x) / 32 % 4, lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t r = row0 + group * t.rows + warp * 16 + lane / 4, c = col0 + lane % 4 * 2;
  if (r >= g.m || c >= g.n) return;
  unsigned char* const to = g.C + (r * g.ldc + c) * g.size;
  const std::uint32_t bits = __float_as_uint(all);
  if (g.size == 4) {
    *reinterpret_cast<std::uint32_t*>(to) = bits;
  } else if (g.size == 2) {
    *reinterpret_cast<std::uint16_t*>(to) = static_cast<std::uint16_t>(bits >> 16);
  } else {
    *to = static_cast<unsigned char>(bits >> 24);
  }
}

template <class In, class Word> Status launch_typed(const RungArgs& args, int tile, Stream stream) {
  const GemmArgs<Word, void, float> g(args);
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    constexpr Tile t = kTiles[i];
    if (g.idle()) return {};
    const std::int64_t tiles = ceil_div(g.m, t.bm) * ceil_div(g.n, t.bn);
    const Args<Word> same{g.m,   g.n,
                          g.k,   g.A,
                          g.lda, g.B,
                          g.ldb, static_cast<unsigned char*>(g.C),
                          g.ldc, static_cast<int>(size_of(args.problem.out)),
                          tiles};
    const std::int64_t blocks = std::min<std::int64_t>(tiles, std::max(args.sms, 1));
    return cairn::launch({blocks}, t.threads(), t.shared(), stream, probe_wgmma_peak<In, Word, i>, same);
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  switch (args.problem.in) {
    case Type::f16: return launch_typed<__half, std::uint16_t>(args, tile, stream);
    case Type::bf16: return launch_typed<__nv_bfloat16, std::uint16_t>(args, tile, stream);
    case Type::e4m3: return launch_typed<E4m3, std::uint8_t>(args, tile, stream);
    default: break;
  }
  return launch_typed<Tf32, std::uint32_t>(args, tile, stream);
}

extern const Rung rung = {.id = "probe/wgmma_peak",
                          .title = "wgmma peak",
                          .kind = RungKind::probe,
                          .types = kTypes,
                          .layouts = layout::nn,
                          .arch = 90,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch,
                          .only_arch = true};

}  // namespace cairn::probe_wgmma_peak
