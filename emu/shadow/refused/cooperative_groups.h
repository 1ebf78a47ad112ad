// The emulator has no such thing; docs/own_kernels.md has the list.
#pragma once
#error cairn: <cooperative_groups.h>, cooperative groups: not emulated; use __syncthreads, __syncwarp and the __*_sync collectives
