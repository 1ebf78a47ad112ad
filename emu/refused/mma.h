// The emulator has no such thing; docs/own_kernels.md has the list.
#pragma once
#error cairn: <mma.h>, tensor cores by nvcuda::wmma: not emulated; multiply in a loop
