// The emulator has no such thing; docs/own_kernels.md has the list.
#pragma once
#error cairn: <cuda_pipeline_primitives.h>, asynchronous copies by __pipeline_memcpy_async: not emulated; copy with plain loads and stores
