// 61 · FP32 from F16                          docs/trail/hopper_61_f16x3.md · cairn bench hopper/61 --type split
//
// From    hopper/60_bf16x6
// Idea    Two f16 have 23 bits of an f32, and three products of them are nearly its product: half as many as 60 needs.
//         What f16 lacks is range, so rows of A and columns of B are scaled by powers of two, and the second plane by
//         2^12 once more; its products are summed in a chain of their own. Rows whose elements are further apart than
//         that allows are computed in f32 if they are few; if not, the same kernel multiplies bf16 planes, as 60 does.
//         The data decides, on the device.
// Before  60 multiplied six pairs of planes for each product of f32.
// Limit   Two promotions for 64 of k, which only the other warpgroup hides; the planes are written and read again.
// Needs   f32 computed as split; row-major nn, nt, tn, tt; any m, n, k, leading dimension, alignment and batch; scratch
//         memory for the planes, and for partial sums of split tiles; sm_90a.
#include "kernels/hopper/parts/split_launch.hpp"
#include "kernels/rung.hpp"

namespace cairn::hopper_61 {

using namespace hopper;

inline constexpr Tile kTiles[] = {{128, 192}, {128, 128}, {128, 96}, {128, 64}};
static_assert(std::ranges::all_of(kTiles, &Tile::valid));
inline constexpr std::array kVariants = {Variant{kTiles[0]}, Variant{kTiles[1]}, Variant{kTiles[2]},
                                         Variant{kTiles[3]}};

template <int tile>
__global__ void __launch_bounds__(kThreads, 1)
    hopper_61_f16x3(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B,
                    const __grid_constant__ TensorMap C, const __grid_constant__ SplitArgs s) {
  extern __shared__ __align__(1024) unsigned char hopper_61_shared[];
  split_gemm<kTiles[tile], true>(A, B, C, s, hopper_61_shared);
}

Status launch(const RungArgs& args, int variant, Stream stream) {
  return with_tile<kTiles>(variant, [&]<int tile>() {
    return launch_split(args, variant, kVariants[tile], hopper_61_f16x3<tile>, true, stream);
  });
}

extern const Rung rung = {.id = "hopper/61_f16x3",
                          .title = "FP32 from F16",
                          .kind = RungKind::gemm,
                          .types = types::split,
                          .layouts = layout::all,
                          .arch = 90,
                          .tiles = kVariants.size(),
                          .tile_name = tile_name<kVariants>,
                          .launch = launch,
                          .batched = true,
                          .choose = [](const Query& query) { return choose_split(kVariants, query, true); },
                          .only_arch = true,
                          .rule =
                              "three products of f16 planes if at most 16 rows of op(A) and columns of op(B) have "
                              "elements 2^29 apart, infinities or NaN, which f64 then computes; else six products "
                              "of bf16 planes",
                          .took = words_of};

}  // namespace cairn::hopper_61
// Tried: 128x256 and 256x128, whose chains have half the columns: they spill, and their instructions of 128 columns read
// more of shared memory. Clusters of two, which load less from L2: no faster, the loads are not what limits. Promotion of
// hi hi after 64 of k: faster, and less accurate than f32 by cuBLAS where that splits k. No turns: slower.
