// The emulator has no such thing; docs/own_kernels.md has the list.
#pragma once
#error cairn: <cooperative_groups/reduce.h>, reductions of cooperative groups: not emulated; use the __reduce_*_sync or __shfl_*_sync collectives
