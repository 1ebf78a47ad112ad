// Device memory: host memory, with the bounds of every allocation recorded.
#pragma once

#include <cstddef>

#include "cairn/types.hpp"

namespace cairn::emu {

// Aligned to 256 bytes, as cudaMalloc's, and filled with 0xff, a NaN in every floating-point
// type. A null pointer for 0 bytes.
Status allocate(std::size_t bytes, void** out);

// An error if the pointer is not the start of a live allocation, or if the guard bytes around it were overwritten.
Status release(void* pointer);

// Each checks that the device range is within one live allocation.
Status copy_in(void* device, const void* host, std::size_t bytes);
Status copy_out(void* host, const void* device, std::size_t bytes);
Status copy_within(void* to, const void* from, std::size_t bytes);
Status fill(void* device, unsigned char value, std::size_t bytes);

bool is_device(const void* pointer);  // within a live allocation
std::size_t allocated_bytes();

}  // namespace cairn::emu
