// The emulator has no such thing; docs/own_kernels.md has the list.
#pragma once
#error cairn: <cuda_gl_interop.h>, buffers of OpenGL: not emulated; compute into device memory and copy it
