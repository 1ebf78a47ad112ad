// 24 · Few rows                                    docs/trail/simt_24_few_rows.md · cairn bench simt/24
//
// From    simt/22_pipelined
// Idea    Where C has few rows, there is little to multiply and much to read: each element of B is used once for each
//         of them. So B goes straight from global memory into the registers of the one thread that multiplies it, 16
//         bytes at a time and the next ones already on their way. Only the few rows of A are in shared memory. Blocks
//         divide k among them where C is too small for all SMs, and a second kernel adds their sums, always in the same
//         order. Few columns are few rows of the transposed product.
// Before  22 has 64 rows in a tile at least, and a barrier for every 16 of k; with one row it multiplies zeros.
// Limit   DRAM, up to 8 rows or so. From there on multiply-adds and the loads of A from shared memory.
// Needs   f32, f64; row-major nn, nt, tn, tt; any m, n, k, strided batches; 16-byte loads of the large matrix where its
//         lines begin at the same place within 16 bytes; scratch memory, or k is not divided; sm_80.
#include <algorithm>
#include <bit>

#include "device/launch.hpp"
#include "kernels/rung.hpp"
#include "kernels/simt/24_few_rows/cost.hpp"
#include "kernels/simt/24_few_rows/kernel.hpp"

namespace cairn::simt_24 {

inline constexpr unsigned kLayers = 8;  // of threads that add partial sums, at most

// The product as the kernel sees it, all but the pieces of few rows.
template <class T> Args<T> args_of(const RungArgs& args, const View& view, const Tile& t, const Division& division) {
  const Problem& p = args.problem;
  const GemmArgs<T> g(args);
  const bool turned = division.turned, along_k = turned ? g.op_b != Op::none : g.op_a == Op::none;  // X's neighbours
  const std::int64_t ldx = turned ? g.ldb : g.lda;
  Args<T> all{};
  all.m = g.m, all.n = g.n, all.k = g.k, all.few = view.few, all.many = view.many;
  all.alpha = g.alpha, all.beta = g.beta, all.C = g.C, all.ldc = g.ldc, all.stride_c = p.stride_c;
  all.across = t.across, all.turned = turned;
  all.W = turned ? g.A : g.B, all.ldw = turned ? g.lda : g.ldb, all.stride_w = turned ? p.stride_a : p.stride_b;
  all.X = turned ? g.B : g.A, all.stride_x = turned ? p.stride_b : p.stride_a;
  all.row_x = along_k ? ldx : 1, all.k_x = along_k ? 1 : ldx;
  if (vector(p, view, turned) && g.k > 0)
    all.head = static_cast<int>(reinterpret_cast<std::uintptr_t>(all.W) / sizeof(T) % kVector<T>);
  all.wide_x = along_k && rows_of_16_bytes(all.X, view.few > 1 ? ldx : 0) && !(view.k_major && all.head > 0) &&
               (p.batch == 1 || all.stride_x % kVector<T> == 0);
  all.groups = static_cast<unsigned>(ceil_div(view.many + (view.k_major ? 0 : all.head), t.across * kCols<T>));
  all.slices = g.k > 0 ? division.slices : 1;
  all.partials = reinterpret_cast<T*>(args.scratch.data());
  all.epilogue = epilogue_of(args, rows_of_16_bytes(g.C, g.ldc) && p.stride_c % kVector<T> == 0);
  return all;
}

template <class T> Status launch_typed(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    if (args.idle()) return {};
    const Problem& p = args.problem;
    const bool chosen = args.choice != nullptr && p.invariant == Invariant::none;
    const Division division = chosen ? args.choice->kept<Division>() : Division{usually_turned(p), 1};
    const auto launch_all = [&]<bool by_vector>() -> Status {
      constexpr Tile t = kTiles[i].of(sizeof(T), by_vector);
      const View view(p, t, division.turned);
      Args<T> all = args_of<T>(args, view, t, division);
      all.pieces = static_cast<unsigned>(view.pieces);
      const auto kernel =
          view.k_major ? simt_24_few_rows<T, t.rows, true, by_vector> : simt_24_few_rows<T, t.rows, false, by_vector>;
      const int layers = view.k_major ? t.layers() / kFold : t.layers();
      const std::size_t few_bytes = t.rows * kLdStage<T, t.rows> * sizeof(T),
                        sum_bytes = layers * t.rows * (t.across + 1) * std::size_t{16};
      constexpr std::int64_t kMostBatches = 65535;
      for (std::int64_t first = 0; first < p.batch; first += kMostBatches) {
        const std::int64_t products = std::min(kMostBatches, p.batch - first);
        Args<T> some = all;
        if (all.k > 0) some.W += first * all.stride_w, some.X += first * all.stride_x;  // else they may be null
        some.C += first * all.stride_c;
        some.epilogue = following<T>(all.epilogue, first, all.stride_c);
        const Grid grid{view.pieces * all.groups * all.slices, products};
        const std::size_t shared = std::max(few_bytes, sum_bytes);
        if (Status s = cairn::launch(grid, kThreads, shared, stream, kernel, some); !s.ok()) return s;
        if (all.slices == 1) continue;
        const unsigned deep = std::min(kLayers, std::bit_ceil((all.slices + 3) / 4)), wide = kThreads / deep;
        const Grid sums{ceil_div(p.m * p.n, wide), products};
        if (Status s = launch_pdl(sums, dim3(wide, deep), 0, stream, simt_24_add<T>, some); !s.ok()) return s;
      }
      return {};
    };
    const View view(p, kTiles[i], division.turned);
    return vector(p, view, division.turned) ? launch_all.template operator()<true>()
                                            : launch_all.template operator()<false>();
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  return args.problem.in == Type::f64 ? launch_typed<double>(args, tile, stream)
                                      : launch_typed<float>(args, tile, stream);
}

extern const Rung rung = {.id = "simt/24_few_rows",
                          .title = "Few rows",
                          .kind = RungKind::gemm,
                          .types = types::f32_f64,
                          .layouts = layout::all,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch,
                          .batched = true,
                          .choose = choose,
                          .epilogue = true};

}  // namespace cairn::simt_24
