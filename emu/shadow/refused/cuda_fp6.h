// The emulator has no such thing; docs/own_kernels.md has the list.
#pragma once
#error cairn: <cuda_fp6.h>, 6-bit floating types: not emulated; use __half or __nv_bfloat16
