// CUDA's qualifiers, as g++ can bear them.
#pragma once

#define __global__
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))  // may stand between extern __shared__ and the type
#define __forceinline__ inline __attribute__((always_inline))

// One block runs on an OS thread at a time, so what belongs to the OS thread belongs to the block. In a function
// `thread_local` means static storage, in a template each instance has its own, and `extern __shared__ T name[]`
// names the dynamic part (see emu/machine/shared_memory.hpp).
#define __shared__ thread_local
