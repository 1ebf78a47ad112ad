// setmaxnreg: a warpgroup (four warps, the first with a number that is a multiple of four) releases registers, or
// requests more and blocks until there are enough. All its threads execute it. The kernel must have a known number of
// registers at launch: __launch_bounds__(threads, blocks). sm_90a.
#pragma once

#include "device/sm90.hpp"

namespace cairn {

template <int registers> __device__ __forceinline__ void setmaxnreg_dec() {
  static_assert(registers % 8 == 0 && registers >= 24 && registers <= 256, "setmaxnreg takes 24, 32, … 256");
#if CAIRN_SM90A
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
#else
  __trap();
#endif
}
template <int registers> __device__ __forceinline__ void setmaxnreg_inc() {
  static_assert(registers % 8 == 0 && registers >= 24 && registers <= 256, "setmaxnreg takes 24, 32, … 256");
#if CAIRN_SM90A
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
#else
  __trap();
#endif
}

}  // namespace cairn
