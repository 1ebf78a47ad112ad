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

template <class T> Status launch_typed(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    constexpr Tile t = kTiles[i].of(sizeof(T));
    const Problem& p = args.problem;
    const GemmArgs<T> g(args);
    if (args.idle()) return {};
    const bool chosen = args.choice != nullptr && p.invariant == Invariant::none;
    const Division division = chosen ? args.choice->kept<Division>() : Division{usually_turned(p), 1};
    const bool turned = division.turned;
    const View view(p, t, turned);
    Args<T> all{};
    all.m = g.m, all.n = g.n, all.k = g.k, all.few = view.few, all.many = view.many;
    all.alpha = g.alpha, all.beta = g.beta, all.C = g.C, all.ldc = g.ldc, all.stride_c = p.stride_c;
    all.across = t.across, all.turned = turned;
    const bool along_k = turned ? g.op_b != Op::none : g.op_a == Op::none;  // X's neighbours
    all.W = turned ? g.A : g.B, all.ldw = turned ? g.lda : g.ldb, all.stride_w = turned ? p.stride_a : p.stride_b;
    all.X = turned ? g.B : g.A, all.stride_x = turned ? p.stride_b : p.stride_a;
    const std::int64_t ldx = turned ? g.ldb : g.lda;
    all.row_x = along_k ? ldx : 1, all.k_x = along_k ? 1 : ldx;
    // 16 bytes at a time where all lines of W are at the same place within them. Where lines are along k, that place
    // decides in which order a sum is made, so that sums that are to be invariant are made of single elements.
    const bool one_line = (view.k_major ? view.many : g.k) == 1, one = p.batch == 1;
    const bool vector = (one_line || all.ldw % kVector<T> == 0) && (one || all.stride_w % kVector<T> == 0) &&
                        !(view.k_major && p.invariant != Invariant::none);
    all.head =
        vector && g.k > 0 ? static_cast<int>(reinterpret_cast<std::uintptr_t>(all.W) / sizeof(T) % kVector<T>) : 0;
    all.slices = g.k > 0 ? division.slices : 1;
    all.pieces = static_cast<unsigned>(view.pieces);
    const std::int64_t columns = view.many + (view.k_major ? 0 : all.head);
    all.groups = static_cast<unsigned>(ceil_div(columns, t.across * kCols<T>));
    all.partials = reinterpret_cast<T*>(args.scratch.data());
    all.epilogue = epilogue_of(args, rows_of_16_bytes(g.C, g.ldc) && p.stride_c % kVector<T> == 0);

    const auto kernel =
        view.k_major
            ? (vector ? simt_24_few_rows<T, t.rows, true, true> : simt_24_few_rows<T, t.rows, true, false>)
            : (vector ? simt_24_few_rows<T, t.rows, false, true> : simt_24_few_rows<T, t.rows, false, false>);
    const int layers = view.k_major ? t.layers() / kFold : t.layers();
    const std::size_t few_bytes = t.rows * kLdStage<T, t.rows> * sizeof(T),
                      sum_bytes = layers * t.rows * (t.across + 1) * std::size_t{16};
    constexpr std::int64_t kMostBatches = 65535;
    for (std::int64_t first = 0; first < p.batch; first += kMostBatches) {
      const std::int64_t products = std::min(kMostBatches, p.batch - first);
      Args<T> some = all;
      if (g.k > 0) some.W += first * all.stride_w, some.X += first * all.stride_x;  // with k == 0 they may be null
      some.C += first * all.stride_c;
      some.epilogue = following<T>(all.epilogue, first, all.stride_c);
      const Grid grid{view.pieces * all.groups * all.slices, products};
      if (Status s = cairn::launch(grid, kThreads, std::max(few_bytes, sum_bytes), stream, kernel, some); !s.ok())
        return s;
      if (all.slices == 1) continue;
      const unsigned deep = std::min(kLayers, std::bit_ceil((all.slices + 3) / 4));
      const Grid sums{ceil_div(g.m * g.n, kThreads / deep), products};
      if (Status s = launch_pdl(sums, dim3(kThreads / deep, deep), 0, stream, simt_24_add<T>, some); !s.ok())
        return s;
    }
    return {};
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
