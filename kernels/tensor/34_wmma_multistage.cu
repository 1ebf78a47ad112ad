// 34 · WMMA, multistage                            docs/trail/tensor_34_wmma_multistage.md · cairn bench tensor/34
//
// Idea    31's types in 33's form: warps tile M and N, 2 to 4 stages of tiles 32 deep are filled by cp.async. A warp
//         of 64x64 elements makes 16 multiplications of 16x16x16 out of 8 fragments.
// Before  31 loaded 4 fragments for 4 multiplications, and its warps waited while the next tiles came.
// Limit   WMMA keeps to itself which lane holds what, so the only cure for bank conflicts is padding, the sums must
//         pass through shared memory to be stored, and fragments cannot be fetched ahead in pieces. 35 loads and
//         multiplies by the instructions themselves.
// Needs   f16, bf16 (C the same, or f32); row-major nn, nt; any m, n, k (edges masked); 16-byte copies where A and B
//         allow them; sm_80.
#include <type_traits>

#include "device/async_copy.hpp"
#include "device/launch.hpp"
#include "device/vec.hpp"
#include "device/wmma.hpp"
#include "kernels/rung.hpp"

namespace cairn::tensor_34 {

inline constexpr int kSide = 16;   // of a fragment: 16 x 16 sums, 16 products added to each by one mma
inline constexpr int kPiece = 8;   // elements of a 16-byte copy
inline constexpr int kPad = 8;     // elements after each row of a tile, so that 8 rows begin in different banks; also
                                   // words after each row of sums
inline constexpr int kStrip = 32;  // columns of sums that a warp turns into rows at a time: a lane for each

struct Tile {
  int bm, bn, bk;
  int wm, wn;  // the elements of one warp
  int stages;
  int blocks;  // on an SM at a time, at least
  constexpr int warps() const { return bm / wm * (bn / wn); }
  constexpr int threads() const { return warps() * 32; }
  // Bytes of a stage, for the layout that takes more.
  constexpr int stage_a() const { return bm * (bk + kPad) * 2; }
  constexpr int stage_b() const { return std::max(bk * (bn + kPad), bn * (bk + kPad)) * 2; }
  constexpr int shared() const { return stages * (stage_a() + stage_b()); }
  constexpr bool copies(int lines, int width) const {  // in whole rounds of whole lines, all threads busy
    const int across = width / kPiece;
    return width % kPiece == 0 && (across < 8 ? 32 : threads()) % across == 0 && lines * across % threads() == 0;
  }
  constexpr bool valid() const {
    return bm % wm == 0 && bn % wn == 0 && wm % kSide == 0 && wn % kStrip == 0 && bk % kSide == 0 && copies(bm, bk) &&
           copies(bk, bn) && copies(bn, bk) &&                     //
           stages >= 2 && shared() <= 99 * 1024 &&                 // shared memory of a block, on any GPU,
           warps() * kSide * (kStrip + kPad) * 4 <= shared() &&    // in which the strips find room at the end,
           blocks * (shared() + 1024) <= 164 * 1024 &&             // and of an SM
           blocks * threads() <= 1536 &&                           // threads of an SM, on any GPU
           blocks * threads() * (wm * wn / 32 + wm / 2) <= 65536;  // and registers
  }
  TileName name() const { return tile_text("%dx%dx%d %dx%d, %d stages by %d", bm, bn, bk, wm, wn, stages, blocks); }
};
inline constexpr Tile kTiles[] = {{128, 128, 32, 64, 64, 4, 2},  // [0] is the default
                                  {128, 128, 32, 32, 64, 3, 2},  // twice the warps
                                  {128, 128, 32, 32, 64, 2, 2}};

// What the kernel is given. The type of C is looked at once, at the end, so it is no reason to compile it all twice.
template <class In> struct Args {
  std::int64_t m, n, k;
  float alpha;
  const In* A;
  std::int64_t lda;
  const In* B;
  std::int64_t ldb;
  float beta;
  void* C;
  std::int64_t ldc;
  bool wide;    // C is of f32, else of In
  bool vector;  // 16-byte copies of A and B are possible
};

// A tile of `lines` by `width` neighbours, and this thread's share of it: pieces of 16 bytes in every kRound-th line.
//
// The pieces of eight lanes are put down together. Eight neighbours in a line lie in different banks, and so do eight
// lines of one place, which padding has parted: so lanes go along a wide tile, and down a narrow one.
template <class In, int lines, int width, int threads> struct Share {
  static constexpr int kLd = width + kPad, kAcross = width / kPiece, kRound = threads / kAcross;
  static constexpr int kDown = kAcross < 8 ? 32 / kAcross : 1;  // lines of a warp, where lanes go down
  const In* from;                                               // the first piece
  std::int64_t ld;

  static __device__ __forceinline__ int line() {
    const int tid = static_cast<int>(threadIdx.x);
    return kDown > 1 ? tid / 32 * kDown + tid % kDown : tid / kAcross;
  }
  static __device__ __forceinline__ int place() {
    const int tid = static_cast<int>(threadIdx.x);
    return (kDown > 1 ? tid % 32 / kDown : tid % kAcross) * kPiece;
  }
  __device__ __forceinline__ Share(const In* tile, std::int64_t ld_) : from(tile + line() * ld_ + place()), ld(ld_) {}

  // Copies it into shared memory, from a tile that is whole and aligned.
  __device__ __forceinline__ void copy(In* to) const {
#pragma unroll
    for (int i = 0; i < lines; i += kRound) async_copy<16>(to + (line() + i) * kLd + place(), from + i * ld);
  }

  // From any tile: `there` of its lines and `left` of their elements are in the matrix, zeros stand in for the rest.
  __device__ __forceinline__ void copy_edge(In* to, int there, int left, bool vector) const {
    if (vector) {
#pragma unroll 1
      for (int i = 0; i < lines; i += kRound)
        async_copy<16>(to + (line() + i) * kLd + place(), from + i * ld,
                       line() + i < there ? 2 * max(0, min(left - place(), kPiece)) : 0);
    } else {
      // No copy moves 2 bytes: through registers, one by one. The next barrier is theirs too.
      const In* const tile = from - line() * ld - place();
#pragma unroll 1
      for (int e = static_cast<int>(threadIdx.x); e < lines * width; e += threads) {
        const int i = e / width, j = e % width;
        to[i * kLd + j] = i < there && j < left ? tile[i * ld + j] : In(0.0F);
      }
    }
  }
};

template <class Out> __device__ __forceinline__ void update(Out* c, float product, float beta) {
  *c = static_cast<Out>(beta == 0 ? product : product + beta * static_cast<float>(*c));
}

template <class In, int tile, bool turn_b, int threads = kTiles[tile].threads()>
__global__ void __launch_bounds__(threads, kTiles[tile].blocks) tensor_34_wmma_multistage(Args<In> g) {
  constexpr Tile t = kTiles[tile];
  constexpr int lines_b = turn_b ? t.bn : t.bk, width_b = turn_b ? t.bk : t.bn;
  extern __shared__ __align__(32) unsigned char tensor_34_shared[];
  auto* sA = reinterpret_cast<In(*)[t.bm][t.bk + kPad]>(tensor_34_shared);     // (stages, bm, bk)
  auto* sB = reinterpret_cast<In(*)[lines_b][width_b + kPad]>(sA + t.stages);  // (stages, bk, bn), or (…, bn, bk)

  // Where am I: the block's tile of C, and in it the warp's.
  const int tid = static_cast<int>(threadIdx.x), warp = tid / 32, lane = tid % 32;
  const std::int64_t row0 = std::int64_t{blockIdx.y} * t.bm, col0 = std::int64_t{blockIdx.x} * t.bn;
  const int row = warp / (t.bn / t.wn) * t.wm, col = warp % (t.bn / t.wn) * t.wn;
  const int rows = static_cast<int>(min(g.m - row0, std::int64_t{t.bm}));  // of the block's tile that are there
  const int cols = static_cast<int>(min(g.n - col0, std::int64_t{t.bn}));

  // What do I copy: my share of a tile of A and of one of B, where `left` of k begins. They move along k.
  Share<In, t.bm, t.bk, threads> a(g.A + row0 * g.lda, g.lda);
  Share<In, lines_b, width_b, threads> b(g.B + (turn_b ? col0 * g.ldb : col0), g.ldb);
  const bool whole = g.vector && rows == t.bm && cols == t.bn;
  const auto copy = [&](int stage, std::int64_t left) {
    if (whole && left >= t.bk) {  // the block decides as one
      a.copy(sA[stage][0]);
      b.copy(sB[stage][0]);
    } else {
      const int depth = static_cast<int>(min(left, std::int64_t{t.bk}));
      a.copy_edge(sA[stage][0], rows, depth, g.vector);
      b.copy_edge(sB[stage][0], turn_b ? cols : depth, turn_b ? depth : cols, g.vector);
    }
    a.from += t.bk, b.from += turn_b ? t.bk : t.bk * g.ldb;
  };

  // The first tiles set out. Each step has a group of copies, be it an empty one: then "all groups but the newest
  // stages - 2" are those up to this step's, at the end too.
  constexpr int ahead = t.stages - 1;
#pragma unroll 1
  for (int i = 0; i < ahead; ++i) {
    if (g.k > i * t.bk) copy(i, g.k - i * t.bk);
    async_commit();
  }

  wmma::fragment<wmma::accumulator, kSide, kSide, kSide, float> acc[t.wm / kSide][t.wn / kSide];
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

    // Multiply: fragments of 16 x 16, the warp as one. A fragment of a turned B is read column by column. Not
    // unrolled: the fragments of two steps are more than the registers of two blocks have room for.
#pragma unroll 1
    for (int kk = 0; kk < t.bk; kk += kSide) {
      using Order = std::conditional_t<turn_b, wmma::col_major, wmma::row_major>;
      wmma::fragment<wmma::matrix_a, kSide, kSide, kSide, In, wmma::row_major> fA[t.wm / kSide];
#pragma unroll
      for (int i = 0; i < t.wm / kSide; ++i)
        wmma::load_matrix_sync(fA[i], &sA[now][row + i * kSide][kk], t.bk + kPad);
#pragma unroll
      for (int j = 0; j < t.wn / kSide; ++j) {
        wmma::fragment<wmma::matrix_b, kSide, kSide, kSide, In, Order> fB;
        const int n = col + j * kSide;
        wmma::load_matrix_sync(fB, turn_b ? &sB[now][n][kk] : &sB[now][kk][n], width_b + kPad);
#pragma unroll
        for (int i = 0; i < t.wm / kSide; ++i) wmma::mma_sync(acc[i][j], fA[i], fB, acc[i][j]);
      }
    }
    now = now == ahead ? 0 : now + 1;
  }
  __syncthreads();  // the stages are free: what is on its way is nothing, and all have read the last one

  // Store. Which lane holds which sum only WMMA knows, so each warp lays a strip of them out in shared memory and
  // reads it row by row, a lane for each column. C is not looked at where beta is 0: it may hold anything, NaN too.
  auto* sC = reinterpret_cast<float(*)[kSide][kStrip + kPad]>(tensor_34_shared)[warp];
#pragma unroll
  for (int i = 0; i < t.wm / kSide; ++i) {
#pragma unroll
    for (int j = 0; j < t.wn / kSide; j += kStrip / kSide) {
#pragma unroll
      for (int f = 0; f < kStrip / kSide; ++f)
        wmma::store_matrix_sync(&sC[0][f * kSide], acc[i][j + f], kStrip + kPad, wmma::mem_row_major);
      __syncwarp();
      const int c = col + j * kSide + lane;
#pragma unroll 4
      for (int r = 0; r < kSide; ++r) {
        if (row + i * kSide + r >= rows || c >= cols) continue;
        const std::int64_t at = (row0 + row + i * kSide + r) * g.ldc + col0 + c;
        const float product = g.alpha * sC[r][lane];
        if (g.wide) {
          update(static_cast<float*>(g.C) + at, product, g.beta);
        } else {
          update(static_cast<In*>(g.C) + at, product, g.beta);
        }
      }
      __syncwarp();  // before the next strip is laid over this one
    }
  }
}

template <class In, class Out> Status launch_typed(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() {
    constexpr Tile t = kTiles[i];
    return in_slabs(GemmArgs<In, Out, float>(args), t.bm, [&](const GemmArgs<In, Out, float>& g) {
      const Grid grid{ceil_div(g.n, t.bn), ceil_div(g.m, t.bm)};
      const bool wide = std::is_same_v<Out, float>;
      const bool vector = rows_of_16_bytes(g.A, g.lda) && rows_of_16_bytes(g.B, g.ldb);
      const Args<In> same{g.m, g.n, g.k, g.alpha, g.A, g.lda, g.B, g.ldb, g.beta, g.C, g.ldc, wide, vector};
      const auto kernel =
          g.op_b == Op::none ? tensor_34_wmma_multistage<In, i, false> : tensor_34_wmma_multistage<In, i, true>;
      return cairn::launch(grid, t.threads(), t.shared(), stream, kernel, same);
    });
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  const bool wide = args.problem.out == Type::f32;
  if (args.problem.in == Type::bf16) {
    return wide ? launch_typed<__nv_bfloat16, float>(args, tile, stream)
                : launch_typed<__nv_bfloat16, __nv_bfloat16>(args, tile, stream);
  }
  return wide ? launch_typed<__half, float>(args, tile, stream) : launch_typed<__half, __half>(args, tile, stream);
}

extern const Rung rung = {.id = "tensor/34_wmma_multistage",
                          .title = "WMMA, multistage",
                          .kind = RungKind::gemm,
                          .types = types::f16_bf16,
                          .layouts = layout::nn | layout::nt,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch};

}  // namespace cairn::tensor_34
