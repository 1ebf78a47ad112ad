// A block's shared memory, static and dynamic.
#pragma once

#include <cstddef>

#include "emu/machine/launch.hpp"

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
// How much of the array that holds an address follows it; 0 if none does, and the most there can be if that is not
// known.
std::size_t room_in_shared(const Launch& launch, const void* address);

// A place in shared memory is the same distance from its start in every block of a cluster.
std::size_t place_in_shared(const void* address);
void* shared_at(std::size_t offset);

}  // namespace cairn::emu
