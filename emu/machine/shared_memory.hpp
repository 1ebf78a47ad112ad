// A block's shared memory, static and dynamic.
#pragma once

#include <cstddef>

#include "emu/machine/launch.hpp"

// The calling OS thread's dynamic shared memory, kMostShared bytes. Each image of emulated kernels defines it for
// itself (cmake/dynamic_shared.cmake writes the file), because every `extern __shared__ T name[]` in its kernels is
// one more name for it.
extern "C" void* cairn_emu_dynamic_shared(void);

namespace cairn::emu {

// Fills the block's shared memory with 0xff (NaN in every floating-point type) when a block starts. On a GPU it holds
// what an earlier block left there, so a kernel that reads before it writes must not get plausible values.
void poison_shared(const Launch& launch);

// Whether an address is in the shared memory of the block that runs on this OS thread; true if that is unknown.
bool is_shared(const void* address);
// Bytes from the address to the end of its shared array; 0 if it is in none, kMostShared if that is unknown.
std::size_t room_in_shared(const Launch& launch, const void* address);

// Between an address and its offset in shared memory, which is the same in every block of a cluster.
std::size_t place_in_shared(const void* address);
void* shared_at(std::size_t offset);

}  // namespace cairn::emu
