// The launches of a split product: ranges, planes, products, and the fix-up of split tiles.
#pragma once

#include "device/launch.hpp"
#include "kernels/hopper/parts/choose.hpp"
#include "kernels/hopper/parts/split_cost.hpp"
#include "kernels/hopper/parts/split_kernel.hpp"
#include "kernels/hopper/parts/split_operands.hpp"

namespace cairn::hopper {

using SplitKernel = void (*)(TensorMap, TensorMap, TensorMap, SplitArgs);

// The three maps of a product.
struct SplitMaps {
  TensorMap A, B, C;
};
static_assert(sizeof(SplitMaps) <= sizeof(LaunchCache::bytes));

inline Status split_maps(SplitMaps& maps, const Matrix& A, int rows_a, const Matrix& B, int rows_b, const Matrix* C,
                         const Variant& v) {
  if (Status s = map_of(maps.A, A, rows_a, 1, false); !s.ok()) return s;
  if (Status s = map_of(maps.B, B, rows_b, 1, false); !s.ok()) return s;
  return C == nullptr ? Status{} : map_of_c(maps.C, *C, v);
}

// `may_f16`: f16 planes where the data allows it; else always bf16.
inline Status launch_split(const RungArgs& args, int tile, const Variant& v, SplitKernel kernel, bool may_f16,
                           Stream stream) {
  if (args.idle()) return {};
  const Problem& p = args.problem;
  const Tile& t = v.tile;
  Matrix A = matrix_a(p, args.A), B = matrix_b(p, args.B);
  const Matrix C{args.C, p.out, p.m, p.n, p.ldc, p.stride_c, p.batch, Major::k};
  A.k = B.k = args.depth();
  const bool products = args.depth() > 0;
  const SplitMemory at = split_memory(A, B, args.sms);
  if (products && args.scratch.size() < at.partials)
    return {Code::unsupported, "there is no scratch memory for the planes of A and B"};
  std::byte* const scratch = args.scratch.data();
  auto* const header = reinterpret_cast<SplitHeader*>(scratch);
  const SplitOperand a = split_operand(A, scratch, at.a, args.sms), b = split_operand(B, scratch, at.b, args.sms);
  if (products) {
    auto* const counts = reinterpret_cast<int*>(scratch + at.counts);
    if (Status s = split_operands(a, b, counts, header, may_be_f16(p, may_f16), args.sms, stream); !s.ok()) return s;
  }

  const bool vector_c = !misaligned(args.C) && !rows_misaligned(C), tma_store = vector_c && args.beta == 0;
  const int rows_a = static_cast<int>(std::min<std::int64_t>(t.bm, p.m)),
            rows_b = static_cast<int>(std::min<std::int64_t>(t.bn, p.n));
  LaunchCache fresh, &cache = args.cache != nullptr && products ? *args.cache : fresh;
  SplitMaps& maps = *reinterpret_cast<SplitMaps*>(cache.bytes.data());
  if (!cache.made_for(tile, a.planes, b.planes, tma_store ? args.C : nullptr)) {
    const Status made = split_maps(maps, planes_matrix(A, a.planes), rows_a, planes_matrix(B, b.planes), rows_b,
                                   tma_store ? &C : nullptr, v);
    cache.filled = made.ok();
    if (!made.ok()) return made;
  }

  const TileGrid grid = tile_grid(v, p.m, p.n);
  const std::int64_t tiles = std::int64_t{grid.rows} * grid.cols * p.batch;
  const StreamK stream_k = args.choice != nullptr && products ? args.choice->kept<Division>().stream_k
                                                              : whole_tiles(tiles, ceil_div(args.depth(), kUnit));
  const SplitArgs s{.g = {.down = 1,
                          .across = 1,
                          .k_blocks = 1,
                          .grid = grid,
                          .stream_k = stream_k,
                          .rows_a = rows_a,
                          .rows_b = rows_b,
                          .broadcast_a = A.stride == 0,
                          .broadcast_b = B.stride == 0,
                          .tma_store = tma_store,
                          .tma_store_edge = p.n % 4 == 0,
                          .vector_c = vector_c,
                          .turned = false,
                          .out = p.out,
                          .m = p.m,
                          .n = p.n,
                          .alpha = products ? static_cast<float>(args.alpha) : 0.0f,
                          .beta = static_cast<float>(args.beta),
                          .C = args.C,
                          .ldc = p.ldc,
                          .stride_c = p.stride_c,
                          .partials = reinterpret_cast<float*>(scratch + at.partials),
                          .a = {},
                          .b = {},
                          .bm = t.bm,
                          .bn = t.bn,
                          .epilogue = {},
                          .groups = {}},
                    .header = header,
                    .ranges_a = a.ranges,
                    .ranges_b = b.ranges,
                    .a = lines_of(A),
                    .b = lines_of(B),
                    .k = args.depth(),
                    .batch = static_cast<int>(p.batch)};
  const std::int64_t blocks = stream_k.split > 0 ? args.sms : std::min(stream_k.whole, args.sms);
  if (Status launched = launch_pdl_co_resident({blocks}, kThreads, t.shared(Major::k, false), stream, kernel, maps.A,
                                               maps.B, maps.C, s);
      !launched.ok() || stream_k.split == 0)
    return launched;
  const dim3 block = fixup_block(stream_k, v.rows(), v.cols() * sizeof(float), args.sms);
  return launch_pdl_co_resident({ceil_div(v.rows(), block.z), stream_k.split}, block, 0, stream, hopper_split_fixup,
                                s);
}

}  // namespace cairn::hopper
