// A kernel that begins before the one ahead of it in the stream has ended: launch_pdl() of device/launch.hpp.
// Its blocks are placed and get as far as pdl_wait(), which returns when the kernel ahead has ended and all
// it wrote can be seen. sm_90; elsewhere kernels follow each other as ever, and both functions are nothing.
#pragma once

#include <cuda_runtime.h>

namespace cairn {

// In the kernel ahead: once all its blocks have come here (or returned), those of the next may be placed beside them.
__device__ __forceinline__ void pdl_launch_dependents() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// In the next: nothing that the kernel ahead writes may be touched before this.
__device__ __forceinline__ void pdl_wait() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace cairn
