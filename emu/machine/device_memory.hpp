// Device memory: the host's, with the bounds of every allocation remembered.
#pragma once

#include <cstddef>

#include "cairn/types.hpp"

namespace cairn::emu {

// 256-byte aligned, as cudaMalloc's, and full of 0xff, which is a NaN in every floating type. No bytes, null pointer.
Status allocate(std::size_t bytes, void** out);

// Refuses what is not the start of a live allocation, and says if something was written just outside its bounds.
Status release(void* pointer);

// Each checks that all of the device side lies within one live allocation.
Status copy_in(void* device, const void* host, std::size_t bytes);
Status copy_out(void* host, const void* device, std::size_t bytes);
Status copy_within(void* to, const void* from, std::size_t bytes);
Status fill(void* device, unsigned char value, std::size_t bytes);

bool is_device(const void* pointer);  // within a live allocation
std::size_t allocated_bytes();

}  // namespace cairn::emu
