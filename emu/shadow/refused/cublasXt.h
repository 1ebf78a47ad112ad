// The emulator has no such thing; docs/own_kernels.md has the list.
#pragma once
#error cairn: <cublasXt.h>, products on several GPUs: not emulated; call cublasGemmEx of <cublas_v2.h>
