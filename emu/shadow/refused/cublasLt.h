// The emulator has no such thing; docs/own_kernels.md has the list.
#pragma once
#error cairn: <cublasLt.h>, layouts and epilogues of cuBLASLt: not emulated; call cublasGemmEx of <cublas_v2.h>
