// CUDA's qualifiers, for g++.
#pragma once

// In a whole program (cairn-nvcc) a kernel is found by its address, so it stays a function of its own. The driver knows
// kernels by this attribute.
#ifdef CAIRN_PROGRAM
#define __global__ __attribute__((noipa))
#define __managed__  // memory is the host's
#else
#define __global__
#endif
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))  // may stand between extern __shared__ and the type
#define __forceinline__ inline __attribute__((always_inline))

// An OS thread runs one block at a time, so its thread_local variables are that block's. In a function
// `thread_local` means static storage, in a template each instance has its own, and `extern __shared__ T name[]`
// names the dynamic part (see emu/machine/shared_memory.hpp).
#define __shared__ thread_local
