// elect.sync: one lane of a warp, always the same. Where a condition on threadIdx would do as well, this one tells the
// compiler that a single thread is active, so that the operands of TMA go to uniform registers as they are; otherwise it
// emits a loop over the lanes around every copy. sm_90.
#pragma once

#include "device/sm90.hpp"

namespace cairn {

// True in one lane. All 32 lanes of the warp call it together.
__device__ __forceinline__ bool elect_one() {
  unsigned elected = 0;
#if CAIRN_SM90A
  asm volatile(
      "{\n"
      ".reg .pred leads;\n"
      "elect.sync _|leads, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, leads;\n"
      "}"
      : "=r"(elected));
#else
  __trap();
#endif
  return elected != 0;
}

}  // namespace cairn
