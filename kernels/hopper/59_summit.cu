// 59 · Summit                                              docs/trail/hopper_59_summit.md · cairn bench hopper/59
//
// From    hopper/57_tma_store
// Idea    The library's kernel on Hopper, rather than a lesson: the main loop of 57, or 58's pingpong, for every
//         problem. It has tiles to choose from, either way round, batches in one launch, stream-K for the tail wave
//         (as in tensor/39), clusters that share a tile along k, PDL, and for operands that TMA or wgmma cannot read
//         as they are stored a packing kernel, or tiles that threads fetch.
// Before  51 to 58 have one tile, one product and two types, and need operands aligned to 16 bytes.
// Limit   Large products reach the GPU's power limit: the clock drops before the tensor cores are fully used.
// Needs   f16, bf16 (C the same, or f32), tf32, e4m3 (C the same, or wider; accumulated in the tensor cores, or
//         promoted); row-major nn, nt, tn, tt; any m, n, k, leading dimension, alignment and batch; groups of
//         rows; scratch memory for packed operands and for partial sums of split tiles; sm_90a.
#include "device/launch.hpp"
#include "kernels/hopper/59_summit/kernel.hpp"
#include "kernels/hopper/59_summit/menu.hpp"
#include "kernels/hopper/parts/choose.hpp"
#include "kernels/hopper/parts/pack.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper_59 {

extern template Kernel kernel_of<__half, false, Form::plain>(int tile, Major a, Major b);
extern template Kernel kernel_of<__nv_bfloat16, false, Form::plain>(int tile, Major a, Major b);
extern template Kernel kernel_of<Tf32, false, Form::plain>(int tile, Major a, Major b);
extern template Kernel kernel_of<E4m3, false, Form::plain>(int tile, Major a, Major b);
extern template Kernel kernel_of<E4m3, true, Form::plain>(int tile, Major a, Major b);
extern template Kernel kernel_of<__half, false, Form::finishing>(int tile, Major a, Major b);
extern template Kernel kernel_of<__nv_bfloat16, false, Form::finishing>(int tile, Major a, Major b);
extern template Kernel kernel_of<Tf32, false, Form::finishing>(int tile, Major a, Major b);
extern template Kernel kernel_of<E4m3, false, Form::finishing>(int tile, Major a, Major b);
extern template Kernel kernel_of<E4m3, true, Form::finishing>(int tile, Major a, Major b);
extern template Kernel kernel_of<__half, false, Form::grouped>(int tile, Major a, Major b);
extern template Kernel kernel_of<__nv_bfloat16, false, Form::grouped>(int tile, Major a, Major b);
extern template Kernel kernel_of<Tf32, false, Form::grouped>(int tile, Major a, Major b);
extern template Kernel kernel_of<E4m3, false, Form::grouped>(int tile, Major a, Major b);
extern template Kernel kernel_of<E4m3, true, Form::grouped>(int tile, Major a, Major b);

template <Form form> Kernel kernel_of(const Problem& p, int tile, Major a, Major b) {
  switch (p.in) {
    case Type::f16: return kernel_of<__half, false, form>(tile, a, b);
    case Type::bf16: return kernel_of<__nv_bfloat16, false, form>(tile, a, b);
    case Type::f32: return kernel_of<Tf32, false, form>(tile, a, b);
    default:
      return p.compute == Compute::fast ? kernel_of<E4m3, false, form>(tile, a, b)
                                        : kernel_of<E4m3, true, form>(tile, a, b);
  }
}
Kernel kernel_of(Form form, const Problem& p, int tile, Major a, Major b) {
  switch (form) {
    case Form::plain: return kernel_of<Form::plain>(p, tile, a, b);
    case Form::finishing: return kernel_of<Form::finishing>(p, tile, a, b);
    case Form::grouped: break;
  }
  return kernel_of<Form::grouped>(p, tile, a, b);
}
void (*fixup_of(Type out))(Args) {
  switch (out) {
    case Type::e4m3: return hopper_fixup<E4m3>;
    case Type::f16: return hopper_fixup<__half>;
    case Type::bf16: return hopper_fixup<__nv_bfloat16>;
    default: return hopper_fixup<float>;
  }
}

// An operand as the threads of a fetched tile read it.
Source source_of(const Matrix& m) {
  const std::int64_t size = size_of(m.type), ld = m.ld * size, stride = m.stride * size;
  const auto address = reinterpret_cast<std::uintptr_t>(m.base);
  const bool k_major = m.major == Major::k;
  const bool wide = k_major && size < 4 && address % 4 == 0 && m.k * size % 4 == 0 && (m.rows == 1 || ld % 4 == 0) &&
                    (m.batch == 1 || stride % 4 == 0);
  const std::int64_t word = wide ? 4 : size;
  return {static_cast<const unsigned char*>(m.base),
          k_major ? ld : size,
          k_major ? word : ld,
          stride,
          m.rows,
          m.k * size / word,
          k_major,
          wide};
}

struct Maps {
  TensorMap A, B, C;  // A and B where TMA loads them, C where it stores it
};
static_assert(sizeof(Maps) <= sizeof(LaunchCache::bytes));
Status make_maps(Maps& maps, const Matrix& A, int rows_a, const Matrix& B, int rows_b, const Matrix* C,
                 const Variant& v) {
  const bool tf32 = A.type == Type::f32;
  if (!v.tile.fetched) {
    if (Status s = map_of(maps.A, A, rows_a, v.across, tf32); !s.ok()) return s;
    if (Status s = map_of(maps.B, B, rows_b, v.down, tf32); !s.ok()) return s;
  }
  return C == nullptr ? Status{} : map_of_c(maps.C, *C, v);
}

Status launch(const RungArgs& args, int variant, Stream stream) {
  if (variant < 0 || variant >= static_cast<int>(kVariants.size())) return no_such_tile(variant, kVariants.size());
  if (args.idle()) return {};
  const Problem p = with_vectors(as_batch(args.problem));
  Variant v = kVariants[static_cast<std::size_t>(variant)];
  // With nothing to multiply no tile is split, and another variant may have to apply the epilogue.
  if (args.depth() == 0 && !finishes(args.problem, v))
    v = *std::ranges::find_if(kVariants, [&](const Variant& other) { return finishes(args.problem, other); });
  const bool divides = args.choice != nullptr && args.depth() > 0 && !args.problem.is_grouped();
  const bool fixup = divides && fixup_finishes(args.problem, args.choice->kept<Division>());
  const Form form = fixup ? Form::plain : form_of(args.problem);
  if (form != Form::plain && !finishes(args.problem, v))
    return {Code::unsupported, "this tile does not take the epilogue"};
  const Tile& t = v.tile;
  Matrix A = matrix_a(p, args.A), B = matrix_b(p, args.B);
  const Matrix C{args.C, p.out, p.m, p.n, p.ldc, p.stride_c, p.batch, Major::k};
  A.k = B.k = args.depth();
  A.in_groups = args.problem.is_grouped();
  if (args.depth() == 0) A.major = B.major = Major::k;  // as every type has a kernel; nothing is read or packed
  if (v.turned) std::swap(A, B);
  std::span<std::byte> scratch = args.scratch;
  const Source source_a = source_of(A), source_b = source_of(B);
  if (t.fetched) {
    A.major = B.major = Major::k;  // in shared memory
  } else if (Status s = pack_operands(A, B, scratch, stream); !s.ok()) {
    return s;
  }

  const bool vector_c = !misaligned(args.C) && !rows_misaligned(C);
  const bool tma_store = vector_c && args.beta == 0 && p.out != Type::e4m3 && p.before == Before::none;
  // A K-major box that ends with the matrix is faster than one that reaches beyond it.
  const auto box_rows = [](const Matrix& m, int most) {
    return m.major == Major::k ? static_cast<int>(std::min<std::int64_t>(most, m.rows)) : most;
  };
  const int rows_a = v.across > 1 ? t.bm : box_rows(A, t.bm),
            rows_b = v.down > 1 || B.major == Major::mn ? t.b_rows(B.major) : box_rows(B, t.bn);
  // With k = 0 there are no tensor maps to cache.
  LaunchCache fresh, &cache = args.cache != nullptr && args.depth() > 0 ? *args.cache : fresh;
  Maps& maps = *reinterpret_cast<Maps*>(cache.bytes.data());
  if (!cache.made_for(variant, A.base, B.base, tma_store ? args.C : nullptr)) {
    Status made = make_maps(maps, A, rows_a, B, rows_b, tma_store ? &C : nullptr, v);
    cache.filled = made.ok();
    if (!made.ok()) return made;
  }

  const TileGrid grid = tile_grid(v, A.rows, B.rows);
  // Of groups as many as there may be.
  const std::int64_t tiles = form != Form::grouped ? std::int64_t{grid.rows} * grid.cols * p.batch
                             : v.turned            ? tiles_down(args.problem, v.cols()) * grid.rows
                                                   : tiles_down(args.problem, v.rows()) * grid.cols;
  const Division division = divides ? args.choice->kept<Division>()
                                    : Division{whole_tiles(tiles, ceil_div(args.depth() * size_of(p.in), kRowBytes))};
  const StreamK& stream_k = division.stream_k;
  const Args g{.down = static_cast<std::int16_t>(v.down),
               .across = static_cast<std::int16_t>(v.across),
               .k_blocks = division.k_blocks,
               .grid = grid,
               .stream_k = stream_k,
               .rows_a = rows_a,
               .rows_b = rows_b,
               .broadcast_a = A.stride == 0,
               .broadcast_b = B.stride == 0,
               .tma_store = tma_store,
               .tma_store_edge = p.n * size_of(p.out) % 16 == 0,
               .vector_c = vector_c,
               .turned = v.turned,
               .out = p.out,
               .m = A.rows,
               .n = B.rows,
               .alpha = args.depth() > 0 ? static_cast<float>(args.alpha) : 0.0f,
               .beta = static_cast<float>(args.beta),
               .C = args.C,
               .ldc = p.ldc,
               .stride_c = p.stride_c,
               .partials = reinterpret_cast<float*>(scratch.data()),
               .a = source_a,
               .b = source_b,
               .bm = t.bm,
               .bn = t.bn,
               .epilogue = epilogue_of(args, vector_c),
               .groups = groups_of(args)};
  const int together = v.blocks() * division.k_blocks;
  const std::int64_t most = clusters_at_once(args.sms, t, together);
  const std::int64_t clusters = division.k_blocks > 1 ? stream_k.whole
                                : stream_k.split > 0  ? most
                                                      : std::min<std::int64_t>(stream_k.whole, most);
  const auto cluster = static_cast<unsigned>(together);
  const Kernel kernel = kernel_of(form, p, tile_of(v), A.major, B.major);
  const int shared = t.shared(B.major, promotes(p) && form != Form::plain);
  // Not early: the grid before may write the ends of the groups, which blocks read first.
  if (form == Form::grouped)
    return launch_cluster(cluster, {clusters * together}, kThreads, shared, stream, kernel, maps.A, maps.B, maps.C,
                          g);
  if (Status s = launch_pdl_cluster(cluster, {clusters * together}, kThreads, shared, stream, kernel, maps.A, maps.B,
                                    maps.C, g);
      !s.ok() || stream_k.split == 0) {
    return s;
  }
  const int rows = v.turned ? v.cols() : v.rows(), cols = v.turned ? v.rows() : v.cols();
  const dim3 block = fixup_block(stream_k, rows, cols * sizeof(float), args.sms);
  return launch_pdl_co_resident({ceil_div(rows, block.z), stream_k.split}, block, 0, stream, fixup_of(p.out), g);
}

extern const Rung rung = {
    .id = "hopper/59_summit",
    .title = "Summit",
    .kind = RungKind::gemm,
    .types = types::f16_bf16_tf32_e4m3,
    .layouts = layout::all,
    .arch = 90,
    .tiles = kVariants.size(),
    .tile_name = tile_name<kVariants>,
    .launch = launch,
    .batched = true,
    .choose =
        [](const Query& query) {
          return choose_of(kVariants, query, [](const Problem& p, const Variant& v, const Division& division) {
            return finishes(p, v, division);
          });
        },
    .only_arch = true,
    .pointer_alignment = 16,
    .copies = true,
    .grouped = true,
    .epilogue = true,
    .finishes =
        [](const Problem& p, const Choice& choice) {
          return finishes(p, kVariants[static_cast<std::size_t>(choice.tile)], choice.kept<Division>());
        }};

}  // namespace cairn::hopper_59
