// The table. A rung that is not here does not exist; the order is the path.
#include "kernels/ladder.hpp"

// The card at the foot of a rung's file.
#define CAIRN_RUNG(space)  \
  namespace cairn::space { \
  extern const Rung rung;  \
  }

CAIRN_RUNG(probe_fma_peak)
CAIRN_RUNG(probe_copy)
CAIRN_RUNG(transpose_1)
CAIRN_RUNG(transpose_2)
CAIRN_RUNG(transpose_3)
CAIRN_RUNG(transpose_4)
CAIRN_RUNG(simt_01)
CAIRN_RUNG(simt_02)
CAIRN_RUNG(simt_03)
CAIRN_RUNG(simt_04)

namespace cairn {

Ladder rungs() {
  static constexpr const Rung* kRungs[] = {
      &probe_fma_peak::rung,  // the f32 ceiling
      &probe_copy::rung,      // the bandwidth ceiling

      &transpose_1::rung,  // write coalesced
      &transpose_2::rung,  // read coalesced
      &transpose_3::rung,  // shared tile
      &transpose_4::rung,  // padded tile

      &simt_01::rung,  // naive
      &simt_02::rung,  // coalesced
      &simt_03::rung,  // coalesced, 1-D block
      &simt_04::rung,  // block tile
  };
  return kRungs;
}

}  // namespace cairn
