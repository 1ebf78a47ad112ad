// The emulator has no such thing; docs/own_kernels.md has the list.
#pragma once
#error cairn: <cooperative_groups/scan.h>, scans of cooperative groups: not emulated; use the __shfl_*_sync collectives
