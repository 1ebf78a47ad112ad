// A load for its side effect: what is read soon is in the caches by then.
#pragma once

#include <cuda_runtime.h>

namespace cairn {

// The load of a byte whose value nothing uses. The instruction stays, and the thread does not wait for it.
__device__ __forceinline__ void touch_global(const void* at) {
#ifdef CAIRN_EMULATED
  (void)*static_cast<const unsigned char*>(at);
#else
  asm volatile("{ .reg .u32 unused; ld.global.u8 unused, [%0]; }" ::"l"(at));
#endif
}

}  // namespace cairn
