// Programmatic dependent launch (PDL): a grid starts before the previous one in the stream has ended, and waits in
// pdl_wait(). Launched by launch_pdl() of device/launch.hpp. sm_90; on older GPUs grids run one after the other, and
// both functions do nothing.
#pragma once

#include <cuda_runtime.h>

namespace cairn {

// In the previous grid: once all its blocks have called this or exited, the dependent grid may be scheduled.
__device__ __forceinline__ void pdl_launch_dependents() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// In the dependent grid: waits until the previous one has ended and its writes are visible.
__device__ __forceinline__ void pdl_wait() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace cairn
