// The table of all rungs, in the order of the trails. A rung that is not listed here cannot be run.
#include "kernels/ladder.hpp"

// Declares the card that is defined at the end of a rung's file.
#define CAIRN_RUNG(space)  \
  namespace cairn::space { \
  extern const Rung rung;  \
  }

CAIRN_RUNG(probe_fma_peak)
CAIRN_RUNG(probe_mma_peak)
CAIRN_RUNG(probe_wgmma_peak)
CAIRN_RUNG(probe_copy)
CAIRN_RUNG(transpose_1)
CAIRN_RUNG(transpose_2)
CAIRN_RUNG(transpose_3)
CAIRN_RUNG(transpose_4)
CAIRN_RUNG(simt_01)
CAIRN_RUNG(simt_02)
CAIRN_RUNG(simt_03)
CAIRN_RUNG(simt_04)
CAIRN_RUNG(simt_05)
CAIRN_RUNG(simt_06)
CAIRN_RUNG(simt_07)
CAIRN_RUNG(simt_08)
CAIRN_RUNG(simt_09)
CAIRN_RUNG(simt_10)
CAIRN_RUNG(simt_11)
CAIRN_RUNG(simt_12)
CAIRN_RUNG(simt_13)
CAIRN_RUNG(simt_14)
CAIRN_RUNG(simt_15)
CAIRN_RUNG(simt_16)
CAIRN_RUNG(simt_17)
CAIRN_RUNG(simt_18)
CAIRN_RUNG(simt_19)
CAIRN_RUNG(simt_20)
CAIRN_RUNG(simt_21)
CAIRN_RUNG(simt_22)
CAIRN_RUNG(simt_23)
CAIRN_RUNG(simt_24)
CAIRN_RUNG(simt_25)
CAIRN_RUNG(tensor_31)
CAIRN_RUNG(tensor_32)
CAIRN_RUNG(tensor_33)
CAIRN_RUNG(tensor_34)
CAIRN_RUNG(tensor_35)
CAIRN_RUNG(tensor_36)
CAIRN_RUNG(tensor_37)
CAIRN_RUNG(tensor_38)
CAIRN_RUNG(tensor_39)
CAIRN_RUNG(tensor_40)
CAIRN_RUNG(tensor_41)
CAIRN_RUNG(tensor_42)
CAIRN_RUNG(hopper_51)
CAIRN_RUNG(hopper_52)
CAIRN_RUNG(hopper_53)
CAIRN_RUNG(hopper_54)
CAIRN_RUNG(hopper_55)
CAIRN_RUNG(hopper_56)
CAIRN_RUNG(hopper_57)
CAIRN_RUNG(hopper_58)
CAIRN_RUNG(hopper_59)
CAIRN_RUNG(hopper_60)
CAIRN_RUNG(hopper_61)

namespace cairn {

Ladder rungs() {
  static constexpr const Rung* kRungs[] = {
      &probe_fma_peak::rung,    // the f32 ceiling
      &probe_mma_peak::rung,    // the ceiling of mma.sync
      &probe_wgmma_peak::rung,  // the ceiling of wgmma
      &probe_copy::rung,        // the bandwidth ceiling

      &transpose_1::rung,  // write coalesced
      &transpose_2::rung,  // read coalesced
      &transpose_3::rung,  // shared tile
      &transpose_4::rung,  // padded tile

      &simt_01::rung,  // naive
      &simt_02::rung,  // coalesced
      &simt_03::rung,  // coalesced, 1-D block
      &simt_04::rung,  // block tile
      &simt_05::rung,  // block tile, float4
      &simt_06::rung,  // thread tile, 1-D
      &simt_07::rung,  // thread tile, 1-D, float4
      &simt_08::rung,  // thread tile, 2-D
      &simt_09::rung,  // register tile
      &simt_10::rung,  // vector copy
      &simt_11::rung,  // A transposed
      &simt_12::rung,  // A transposed, float4
      &simt_13::rung,  // linear banks
      &simt_14::rung,  // padded banks
      &simt_15::rung,  // split banks
      &simt_16::rung,  // warp tile
      &simt_17::rung,  // warp tile, float4
      &simt_18::rung,  // autotuned
      &simt_19::rung,  // double buffer
      &simt_20::rung,  // double buffer, k 16
      &simt_21::rung,  // cp.async
      &simt_22::rung,  // pipelined
      &simt_23::rung,  // stream-K
      &simt_24::rung,  // few rows
      &simt_25::rung,  // small products

      &tensor_31::rung,  // WMMA, K split over warps
      &tensor_32::rung,  // WMMA TF32, two stages
      &tensor_33::rung,  // WMMA TF32, more stages
      &tensor_34::rung,  // WMMA, multistage
      &tensor_35::rung,  // mma.sync, ldmatrix
      &tensor_36::rung,  // mma.sync, swizzled
      &tensor_37::rung,  // mma.sync, register pipeline
      &tensor_38::rung,  // mma.sync, block order
      &tensor_39::rung,  // mma.sync, stream-K
      &tensor_40::rung,  // FP32 from TF32
      &tensor_41::rung,  // mma.sync, small products
      &tensor_42::rung,  // mma.sync, f64

      &hopper_51::rung,  // wgmma
      &hopper_52::rung,  // TMA
      &hopper_53::rung,  // warp specialized
      &hopper_54::rung,  // wide tile
      &hopper_55::rung,  // persistent
      &hopper_56::rung,  // multicast
      &hopper_57::rung,  // TMA store
      &hopper_58::rung,  // pingpong
      &hopper_59::rung,  // summit
      &hopper_60::rung,  // FP32 from BF16
      &hopper_61::rung,  // FP32 from F16
  };
  return kRungs;
}

}  // namespace cairn
