// The kernel that a program launches behind a product whose library has no such activation: C = activation(beta * C +
// bias), as a problem in which nothing is multiplied. A pass over C, read and written once, 16 bytes by a thread.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "device/epilogue.hpp"
#include "device/launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::lab_activate {

struct Tile {
  int threads;
  constexpr bool valid() const { return threads % 32 == 0 && threads <= 1024; }
  TileName name() const { return tile_text("%d threads", threads); }
};
inline constexpr Tile kTiles[] = {{256}};

template <class Out> struct Args {
  std::int64_t m, n, ldc;
  Out* C;
  float beta;
  Epilogue epilogue;
};

template <int tile, class Out>
__global__ void __launch_bounds__(kTiles[tile].threads) lab_activate(const __grid_constant__ Args<Out> g) {
  constexpr int some = 16 / sizeof(Out);
  const std::int64_t in_row = (g.n + some - 1) / some, all = g.m * in_row;
  const auto threads = static_cast<std::int64_t>(gridDim.x) * kTiles[tile].threads;
  for (auto i = static_cast<std::int64_t>(blockIdx.x) * kTiles[tile].threads + static_cast<int>(threadIdx.x); i < all;
       i += threads) {
    const std::int64_t row = i / in_row, col = i % in_row * some;
    const int left = static_cast<int>(min(g.n - col, std::int64_t{some}));
    finish_neighbours<Out, some>(
        g.epilogue, g.C, {row * g.ldc + col, 0, row, col}, left, [](int) { return 0.0f; }, 0.0f, g.beta);
  }
}

template <class Out> Status launch_typed(const RungArgs& args, int tile, Stream stream) {
  return with_tile<kTiles>(tile, [&]<int i>() -> Status {
    const Problem& p = args.problem;
    if (args.depth() > 0) return {Code::unsupported, "it multiplies nothing: alpha or k must be 0"};
    if (args.idle()) return {};
    const Epilogue epilogue = epilogue_of(args, rows_of_16_bytes(static_cast<const Out*>(args.C), p.ldc));
    const Args<Out> g{p.m, p.n, p.ldc, static_cast<Out*>(args.C), static_cast<float>(args.beta), epilogue};
    const std::int64_t blocks = ceil_div(p.m * ceil_div(p.n * size_of(p.out), 16), kTiles[i].threads);
    return cairn::launch({std::min(blocks, std::int64_t{args.sms} * 16)}, kTiles[i].threads, 0, stream,
                         lab_activate<i, Out>, g);
  });
}

Status launch(const RungArgs& args, int tile, Stream stream) {
  if (args.problem.out == Type::f32) return launch_typed<float>(args, tile, stream);
  if (args.problem.out == Type::bf16) return launch_typed<__nv_bfloat16>(args, tile, stream);
  return launch_typed<__half>(args, tile, stream);
}

inline constexpr Types kTypes[] = {{Type::f32, Type::f32},   {Type::f16, Type::f16},  {Type::f16, Type::f32},
                                   {Type::bf16, Type::bf16}, {Type::bf16, Type::f32}, {Type::e4m3, Type::f16},
                                   {Type::e4m3, Type::bf16}, {Type::e4m3, Type::f32}};

extern const Rung rung = {.id = "lab/activate",
                          .title = "An activation, without a product",
                          .kind = RungKind::gemm,
                          .types = kTypes,
                          .layouts = layout::all,
                          .arch = 80,
                          .tiles = std::size(kTiles),
                          .tile_name = tile_name<kTiles>,
                          .launch = launch,
                          .epilogue = true};

}  // namespace cairn::lab_activate
