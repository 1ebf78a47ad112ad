// The emulator has no such thing; docs/own_kernels.md has the list.
#pragma once
#error cairn: <cuda_awbarrier.h>, asynchronous barriers: not emulated; use __syncthreads
