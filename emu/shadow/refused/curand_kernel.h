// The emulator has no such thing; docs/own_kernels.md has the list.
#pragma once
#error cairn: <curand_kernel.h>, random numbers of cuRAND: not emulated; fill a buffer with random numbers and read them
