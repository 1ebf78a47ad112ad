// 60 · FP32 from BF16                        docs/trail/hopper_60_bf16x6.md · cairn bench hopper/60 --type split
//
// From    hopper/59_summit
// Idea    An f32 is the sum of three bf16: x = p0 + p1 + p2, eight bits each. A kernel splits A and B into such planes,
//         and of the nine products of planes the six largest are computed, as by 59, and added in f32. Tensor cores
//         truncate what they add, so after 32 of k their sums are promoted: added to f32 accumulators by ordinary
//         additions. The warpgroups take turns, so that one promotes while the other multiplies.
// Before  59 has no products of f32 but by TF32, which drops 13 bits of each factor.
// Limit   Six products for one. 61 needs three.
// Needs   f32 computed as split; row-major nn, nt, tn, tt; any m, n, k, leading dimension, alignment and batch; scratch
//         memory for the planes, and for partial sums of split tiles; sm_90a.
#include "kernels/hopper/parts/split_launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper_60 {

using namespace hopper;

inline constexpr Tile kTiles[] = {{128, 192}};
static_assert(std::ranges::all_of(kTiles, &Tile::valid));
inline constexpr std::array kVariants = {Variant{kTiles[0]}};

template <int tile>
__global__ void __launch_bounds__(kThreads, 1)
    hopper_60_bf16x6(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B,
                     const __grid_constant__ TensorMap C, const __grid_constant__ SplitArgs s) {
  extern __shared__ __align__(1024) unsigned char hopper_60_shared[];
  split_gemm<kTiles[tile], false>(A, B, C, s, hopper_60_shared);
}

Status launch(const RungArgs& args, int variant, Stream stream) {
  return with_tile<kTiles>(variant, [&]<int tile>() {
    return launch_split(args, variant, kVariants[tile], hopper_60_bf16x6<tile>, false, stream);
  });
}

extern const Rung rung = {.id = "hopper/60_bf16x6",
                          .title = "FP32 from BF16",
                          .kind = RungKind::gemm,
                          .types = types::split,
                          .layouts = layout::all,
                          .arch = 90,
                          .tiles = kVariants.size(),
                          .tile_name = tile_name<kVariants>,
                          .launch = launch,
                          .batched = true,
                          .choose = [](const Query& query) { return choose_split(kVariants, query, false); },
                          .only_arch = true,
                          .rule =
                              "six products of bf16 planes, and f64 for rows of op(A) and columns of op(B) that have "
                              "elements 2^101 apart, infinities or NaN",
                          .took = words_of};

}  // namespace cairn::hopper_60
