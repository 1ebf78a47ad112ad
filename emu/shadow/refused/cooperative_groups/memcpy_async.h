// The emulator has no such thing; docs/own_kernels.md has the list.
#pragma once
#error cairn: <cooperative_groups/memcpy_async.h>, asynchronous copies of cooperative groups: not emulated; copy with plain loads and stores
