// 59 · Summit                                              docs/trail/hopper_59_summit.md · cairn bench hopper/59
//
// Idea    All of the trail for every problem: tiles to choose from, shared by the warpgroups or in turns, whole
//         products of a batch in one launch, tiles cut along k where they do not fill the last wave (as in
//         tensor/39), a launch that begins before the one ahead has ended, and a pre-pass that copies operands which
//         TMA or wgmma cannot take as they lie. It is what the library runs on Hopper.
// Before  51 to 58 have one tile, one product, two types, and want everything at multiples of 16 bytes.
// Limit   Large products run into the GPU's power limit: the clock gives way before the tensor cores are full.
// Needs   f16, bf16 (C the same, or f32), tf32, e4m3 (C the same, or wider; sums stay in the tensor cores, or are
//         promoted); row-major nn, nt, tn, tt; any m, n, k, leading dimension, alignment and batch; scratch memory
//         for copies and for sums of cut tiles; sm_90a.
#include "device/barrier.hpp"
#include "device/cluster.hpp"
#include "device/launch.hpp"
#include "device/pdl.hpp"
#include "device/setmaxnreg.hpp"
#include "device/strip.hpp"
#include "device/tma.hpp"
#include "kernels/hopper/59_summit/args.hpp"
#include "kernels/hopper/59_summit/choose.hpp"
#include "kernels/hopper/59_summit/matrix.hpp"
#include "kernels/hopper/59_summit/multiply.hpp"
#include "kernels/hopper/59_summit/pack.hpp"
#include "kernels/hopper/59_summit/store.hpp"
#include "kernels/hopper/59_summit/work.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper_59 {

inline constexpr int kLayers = 16;  // of threads that add up shares
inline constexpr int kTurn = 2;     // barriers 3 and 4: the turns of the warpgroups

template <class In> inline constexpr int element_size = std::is_same_v<In, Tf32> ? 4 : sizeof(In);

// Asks for a tile of an operand, `rows` rows of op(A) (columns of op(B)) by a step of k. Neighbours along k: a line
// is a row, and the tile is one box. Neighbours along the rows: a line is 64 of them, and so is a box wide. With
// `parts` the blocks of the cluster each fetch one and all get it.
template <int rows, Major major, int parts>
__device__ __forceinline__ void load(unsigned char* to, const TensorMap& map, int row, int k, int batch, int part,
                                     Mbarrier* arrived) {
  constexpr int width = rows / parts;
  constexpr unsigned all = (1u << parts) - 1;
  const int first = parts == 1 ? 0 : part * width, r = row + first;
  to += first * kLine;
  if constexpr (major == Major::k) {
    if constexpr (parts == 1) tma_load(to, map, {k, r, batch}, arrived);
    if constexpr (parts > 1) tma_load_multicast(all, to, map, {k, r, batch}, arrived);
  } else {
#pragma unroll
    for (int i = 0; i < width; i += 64) {
      if constexpr (parts == 1) tma_load(to + i * kLine, map, {r + i, k, batch}, arrived);
      if constexpr (parts > 1) tma_load_multicast(all, to + i * kLine, map, {r + i, k, batch}, arrived);
    }
  }
}

template <class In, int tile, Major a_major, Major b_major, bool promoted>
__global__ void __launch_bounds__(kThreads, kTiles[tile].room())
    hopper_59_summit(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B,
                     const __grid_constant__ TensorMap C, const __grid_constant__ Args g) {
  using G = Geometry<tile>;
  constexpr int bk = kLine / element_size<In>;
  extern __shared__ __align__(1024) unsigned char hopper_59_shared[];
  unsigned char* const sA = hopper_59_shared;                // (stages, bm, bk), or (…, bm / 64, bk, 64)
  unsigned char* const sB = sA + G::stages * G::bm * kLine;  // (stages, bn, bk), or (…, bn / 64, bk, 64)
  unsigned char* const sC =
      hopper_59_shared + G::stages * G::bytes;  // (2, slabs, 64, 128 B), or a strip for each warp
  Mbarrier* const full = reinterpret_cast<Mbarrier*>(sC + 2 * kSlabs * kSlab);
  Mbarrier* const empty = full + G::stages;

  if (threadIdx.x == 0) {
    for (int i = 0; i < G::stages; ++i) {
      mbarrier_init(full + i, 1);                                 // the producer's, and bytes
      mbarrier_init(empty + i, (G::turns ? 1 : 2) * G::cluster);  // one thread's of each warpgroup that has the tile
    }
    fence_mbarrier_init();
  }
  if (threadIdx.x == 128) {
    prefetch_tensor_map(A);
    prefetch_tensor_map(B);
    if (g.by_engine) prefetch_tensor_map(C);
  }
  // Lines of a stage that no copy brings are zeros: what is multiplied is a number.
  if (g.bytes < G::bytes) {
    for (int i = static_cast<int>(threadIdx.x) * 16; i < G::stages * G::bytes; i += kThreads * 16)
      *reinterpret_cast<float4*>(hopper_59_shared + i) = make_float4(0, 0, 0, 0);
    fence_proxy_async();
  }
  if constexpr (G::cluster > 1) cluster_sync();
  if constexpr (G::cluster == 1) __syncthreads();
  // Nothing of the kernel ahead matters until matrices are touched. The next one may come as far.
  pdl_launch_dependents();
  const int rank = G::cluster > 1 ? static_cast<int>(cluster_rank()) : 0;
  const int block = static_cast<int>(blockIdx.x) / G::cluster, blocks = static_cast<int>(gridDim.x) / G::cluster;
  int stage = 0;
  unsigned phase = 0;
  const auto advance = [&] {
    if (++stage == G::stages) stage = 0, phase ^= 1;
  };
  Work work{};

  // Load: the first warpgroup, of which one thread works.
  if (threadIdx.x < 128) {
    setmaxnreg_dec<kKeep>();
    for (int turn = 0; threadIdx.x == 0 && work_of(g.stream_k, block, blocks, turn, work); ++turn) {
      const At at = place_of<tile>(g, work.tile, rank);
      const int row = static_cast<int>(at.row), col = static_cast<int>(at.col);
      if (turn == 0) pdl_wait();
      for (int step = work.begin; step < work.end; ++step, advance()) {
        mbarrier_wait(empty + stage, phase ^ 1);  // in the first round all are
        mbarrier_arrive_expect_tx(full + stage, g.bytes);
        load<G::bm, a_major, 1>(sA + stage * G::bm * kLine, A, row, step * bk, g.one_a ? 0 : at.batch, rank,
                                full + stage);
        load<G::bn, b_major, G::cluster>(sB + stage * G::bn * kLine, B, col, step * bk, g.one_b ? 0 : at.batch, rank,
                                         full + stage);
      }
    }
    __syncwarp();
    if constexpr (G::cluster > 1) cluster_sync();  // nobody leaves while others send to it
    return;
  }
  setmaxnreg_inc<G::take>();
  // The same for all lanes of a warp, and said so: then operands are made by one of them for all.
  const int barrier = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 128, 0),
            group = barrier - 1;  // of this warpgroup,
  const int row = G::down == 2 ? group * G::rows : 0,
            col = G::across == 2 ? group * G::cols : 0;      // its part of a tile,
  unsigned char* const slabs = sC + group * kSlabs * kSlab;  // its memory
  const auto release = [&](int used) {
    const unsigned thread = threadIdx.x % 128;
    if constexpr (G::cluster > 1) {
      if (thread < G::cluster) mbarrier_arrive_remote(empty + used, thread);
    } else {
      if (thread == 0) mbarrier_arrive(empty + used);
    }
  };

  pdl_wait();
  Work next{};
  bool more = work_of(g.stream_k, block, blocks, 0, work);
#pragma unroll 1
  for (int turn = 0; more; ++turn, work = next) {
    more = work_of(g.stream_k, block, blocks, turn + 1, next);
    if constexpr (G::turns) {
      // The other's tiles take stages too. My turn comes when the other has waited for all of its own: a barrier
      // tells phases by their parity only, and would let through who waits for one further ahead.
      if (turn % 2 != group) {
        stage += work.end - work.begin;
        phase ^= stage / G::stages % 2;
        stage %= G::stages;
        continue;
      }
      if (turn > 0) bar_sync(kTurn + barrier, 256);
    }

    const At at = place_of<tile>(g, work.tile, rank);  // while the first stage is on its way
    float acc[G::each][G::cols / 2];                   // the first products take the place of whatever is there
    if (promoted || work.begin == work.end) clear(acc);
#pragma unroll 1
    for (int step = work.begin; step < work.end; ++step, advance()) {
      mbarrier_wait(full + stage, phase);
      const MatrixDescriptor a =
          matrix_descriptor(sA + (stage * G::bm + row) * kLine, Swizzle::b128, 8 * kLine, 64 * kLine);
      const MatrixDescriptor b =
          matrix_descriptor(sB + (stage * G::bn + col) * kLine, Swizzle::b128, 8 * kLine, 64 * kLine);
      if constexpr (promoted) {
        multiply_promoted<In, tile>(acc, a, b);
        release(stage);
      } else {
        multiply<In, tile, a_major, b_major>(acc, a, b, step > work.begin);
        // All but this step's products are done, so the stage before can be filled again.
        wgmma_wait<1>();
        if (step > work.begin) release(stage == 0 ? G::stages - 1 : stage - 1);
      }
    }
    if (G::turns && more) bar_arrive(kTurn + 3 - barrier, 256);
    wgmma_wait<0>();
    if (!promoted && work.end > work.begin) release(stage == 0 ? G::stages - 1 : stage - 1);

    // Store, while the next tile's stages fill. The blocks of a cluster have a slot together.
    if (work.end - work.begin < g.stream_k.steps) {
      const std::int64_t first = (std::int64_t{work.slot} * G::cluster + rank) * G::bm + row;
#pragma unroll
      for (int i = 0; i < G::each; ++i) keep_sums<G::cols>(g.sums + (first + i * 64) * G::bn + col, G::bn, acc[i]);
    } else {
      // After the last tile no stage is filled again, and this warpgroup alone has read its rows of A.
      unsigned char* const stages = G::down == 2 && !more ? sA + row * kLine : nullptr;
      store<In, tile>(g, C, at, row, col, acc, {slabs, stages}, barrier);
    }
  }
  if (threadIdx.x % 128 == 0) tma_wait_read<0>();  // a block's memory lasts as long as the block
  __syncwarp();
  if constexpr (G::cluster > 1) cluster_sync();
}

// Adds up the shares of the cut tiles: a block for each row of each.
template <class Out, int tile>
__global__ void __launch_bounds__(kTiles[tile].bn / 4 * kLayers) hopper_59_fixup(const __grid_constant__ Args g) {
  using G = Geometry<tile>;
  __shared__ float layers[kLayers][G::bn];
  static_assert(sizeof layers <= kBeside);
  pdl_launch_dependents();
  const int cut = static_cast<int>(blockIdx.y), row = static_cast<int>(blockIdx.x);
  const At at = place_of<tile>(g, g.stream_k.whole + cut, 0);
  if (row >= at.rows) return;  // the block decides as one
  pdl_wait();
  const int deep = static_cast<int>(blockDim.y);
  if (!add_partials(layers, g.stream_k, g.sums, G::cluster * G::bm * G::bn, cut, row, deep)) return;
  const int col = static_cast<int>(threadIdx.x) * 4, left = at.cols - col;
  Out* const to = static_cast<Out*>(g.C) + at.batch * g.stride_c + (at.row + row) * g.ldc + at.col + col;
  update<Out, 4>(to, &layers[0][col], left, g.alpha, g.beta, g.vector_c);
}

// The kernels of all tiles, so that the host needs no template for each.
using Kernel = void (*)(TensorMap, TensorMap, TensorMap, Args);
using Adder = void (*)(Args);
using Tiles = std::make_integer_sequence<int, static_cast<int>(std::size(kTiles))>;
template <class In, Major a, Major b, bool promoted, int... tile>
Kernel kernel_of(int index, std::integer_sequence<int, tile...>) {
  static constexpr Kernel all[] = {hopper_59_summit<In, tile, a, b, promoted>...};
  return all[index];
}
template <class In> Kernel kernel_of(int index, Major a, Major b) {
  if (a == Major::k) {
    return b == Major::k ? kernel_of<In, Major::k, Major::k, false>(index, Tiles{})
                         : kernel_of<In, Major::k, Major::mn, false>(index, Tiles{});
  }
  return b == Major::k ? kernel_of<In, Major::mn, Major::k, false>(index, Tiles{})
                       : kernel_of<In, Major::mn, Major::mn, false>(index, Tiles{});
}
Kernel kernel_of(const Problem& p, int index, Major a, Major b) {
  switch (p.in) {
    case Type::f16: return kernel_of<__half>(index, a, b);
    case Type::bf16: return kernel_of<__nv_bfloat16>(index, a, b);
    case Type::f32: return kernel_of<Tf32, Major::k, Major::k, false>(index, Tiles{});
    default:
      return p.compute == Compute::fast ? kernel_of<E4m3, Major::k, Major::k, false>(index, Tiles{})
                                        : kernel_of<E4m3, Major::k, Major::k, true>(index, Tiles{});
  }
}
template <class Out, int... tile> Adder adder_of(int index, std::integer_sequence<int, tile...>) {
  static constexpr Adder all[] = {hopper_59_fixup<Out, tile>...};
  return all[index];
}
Adder adder_of(Type out, int index) {
  switch (out) {
    case Type::e4m3: return adder_of<E4m3>(index, Tiles{});
    case Type::f16: return adder_of<__half>(index, Tiles{});
    case Type::bf16: return adder_of<__nv_bfloat16>(index, Tiles{});
    default: return adder_of<float>(index, Tiles{});
  }
}

struct Maps {
  TensorMap A, B, C;  // C where TMA stores it
};
static_assert(sizeof(Maps) <= sizeof(LaunchCache::bytes));
Status make_maps(Maps& maps, const Matrix& A, int lines_a, const Matrix& B, int lines_b, const Matrix* C) {
  const bool tf32 = A.type == Type::f32;
  if (Status s = map_of(maps.A, A, lines_a, tf32); !s.ok()) return s;
  if (Status s = map_of(maps.B, B, lines_b, tf32); !s.ok()) return s;
  return C == nullptr ? Status{} : map_of(maps.C, *C, 64, false);
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  if (tile < 0 || tile >= static_cast<int>(std::size(kTiles))) return no_such_tile(tile, std::size(kTiles));
  if (args.idle()) return {};
  const Problem& p = args.problem;
  const Tile& t = kTiles[tile];
  Matrix A = matrix_a(p, args.A), B = matrix_b(p, args.B);
  const Matrix C{args.C, p.out, p.m, p.n, p.ldc, p.stride_c, p.batch, Major::k};
  A.k = B.k = args.depth();
  std::span<std::byte> scratch = args.scratch;
  if (Status s = pack_operands(A, B, scratch, stream); !s.ok()) return s;

  // C by TMA: beta is 0, and its lines are aligned. A box along k that ends with the matrix is faster than one that
  // reaches beyond it.
  const bool vector_c = !misaligned(args.C) && !lines_misaligned(C);
  const bool by_engine = vector_c && args.beta == 0 && p.out != Type::e4m3;
  const auto lines = [](const Matrix& m, int most) {
    return m.major == Major::k ? static_cast<int>(std::min<std::int64_t>(most, m.rows)) : most;
  };
  const int lines_a = lines(A, t.bm), lines_b = t.cluster > 1 ? t.bn : lines(B, t.bn);
  // A product of nothing has no operands to map.
  LaunchCache fresh, &cache = args.cache != nullptr && args.depth() > 0 ? *args.cache : fresh;
  Maps& maps = *reinterpret_cast<Maps*>(cache.bytes.data());
  if (!cache.made_for(tile, A.base, B.base, by_engine ? args.C : nullptr)) {
    Status made = make_maps(maps, A, lines_a, B, lines_b / t.cluster, by_engine ? &C : nullptr);
    cache.filled = made.ok();
    if (!made.ok()) return made;
  }

  const std::int64_t tiles = ceil_div(p.m, t.bm * t.cluster) * ceil_div(p.n, t.bn);
  const StreamK stream_k = args.choice != nullptr && args.depth() > 0
                               ? args.choice->kept<StreamK>()
                               : whole_tiles(tiles * p.batch, ceil_div(args.depth() * size_of(p.in), kLine));
  const Args g{.m = p.m,
               .n = p.n,
               .alpha = args.depth() > 0 ? static_cast<float>(args.alpha) : 0.0f,
               .beta = static_cast<float>(args.beta),
               .C = args.C,
               .ldc = p.ldc,
               .stride_c = p.stride_c,
               .out = p.out,
               .by_engine = by_engine,
               .last_too = p.n * size_of(p.out) % 16 == 0,
               .vector_c = vector_c,
               .one_a = A.stride == 0,
               .one_b = B.stride == 0,
               .tiles = static_cast<int>(tiles),
               .bytes = (lines_a + lines_b) * kLine,
               .stream_k = stream_k,
               .sums = reinterpret_cast<float*>(scratch.data())};
  const std::int64_t most = std::max(args.sms / t.cluster, 1);
  const Grid grid{(stream_k.cut > 0 ? most : std::min<std::int64_t>(stream_k.whole, most)) * t.cluster};
  if (Status s = launch_pdl_cluster(static_cast<unsigned>(t.cluster), grid, kThreads, t.shared(), stream,
                                    kernel_of(p, tile, A.major, B.major), maps.A, maps.B, maps.C, g);
      !s.ok() || stream_k.cut == 0) {
    return s;
  }
  const int layers = std::min(kLayers, partials_of_a_tile(stream_k));
  return launch_pdl_co_resident({t.cluster * t.bm, stream_k.cut}, dim3(t.bn / 4, static_cast<unsigned>(layers)), 0,
                                stream, adder_of(p.out, tile), g);
}

extern const Rung rung = {.id = "hopper/59_summit",
                          .title = "Summit",
                          .kind = RungKind::gemm,
                          .types = types::f16_bf16_tf32_e4m3,
                          .layouts = layout::all,
                          .arch = 90,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch,
                          .batched = true,
                          .choose = choose,
                          .only_arch = true,
                          .pointer_alignment = 16,
                          .copies = true};

}  // namespace cairn::hopper_59
