// A block's shared memory, static and dynamic.
#pragma once

#include <cstddef>

#include "emu/launch.hpp"

// The calling OS thread's dynamic shared memory, kMostShared bytes. Each image of emulated kernels defines it for
// itself (cmake/dynamic_shared.cmake writes the file), because every `extern __shared__ T name[]` in its kernels is
// one more name for it.
extern "C" void* cairn_emu_dynamic_shared(void);

namespace cairn::emu {

// Fills what the kernel may use with 0xff (NaN in every floating type) at the start of a block: on a GPU it holds
// whatever was there before, so a kernel that reads it before writing must not look right.
void poison_shared(const Launch& launch);

// Whether an address is in the shared memory of the block that runs on this OS thread; yes where that is not known.
bool is_shared(const void* address);

}  // namespace cairn::emu
