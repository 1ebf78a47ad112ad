// The emulator has no such thing; docs/own_kernels.md has the list.
#pragma once
#error cairn: <cublas.h>, the interface of cuBLAS without handles: not emulated; include <cublas_v2.h>
