// Device memory: host memory, with the bounds of every allocation recorded; and host memory that kernels may access.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cairn/types.hpp"

namespace cairn::emu {

enum class Memory {
  device,
  managed,     // cudaMallocManaged: the host accesses it directly
  pinned,      // cudaMallocHost, cudaHostAlloc: host memory that kernels access directly
  registered,  // cudaHostRegister: the same, but the caller's own
  symbol       // a __device__ or __constant__ variable whose address was asked for
};

// Aligned to 256 bytes, as cudaMalloc's, and filled with 0xff, a NaN in every floating-point
// type. A null pointer for 0 bytes. Not for registered memory and symbols.
Status allocate(std::size_t bytes, void** out);
Status allocate_as(Memory memory, std::size_t bytes, void** out);

// An error if the pointer is not the start of a live allocation, or if the guard bytes around it were overwritten.
// release() is for device and managed memory, release_pinned() for pinned.
Status release(void* pointer);
Status release_pinned(void* pointer);

// Host memory that kernels may access from here on. False, and no failure remembered, if part of it is already.
bool register_host(void* start, std::size_t bytes);
bool unregister_host(void* start);  // false if it was not registered

// A variable in the program, which copies and fills may then access by its address. The traced build ignores it.
void know_symbol(const void* start, std::size_t bytes);

// Each checks that the device range is within one live allocation of any kind.
Status copy_in(void* device, const void* host, std::size_t bytes);
Status copy_out(void* host, const void* device, std::size_t bytes);
Status copy_within(void* to, const void* from, std::size_t bytes);
Status fill(void* device, unsigned char value, std::size_t bytes);

bool is_device(const void* pointer);  // within a live allocation of any kind

struct Allocation {
  const void* start = nullptr;  // null if the pointer is in none
  std::size_t bytes = 0;
  Memory memory = Memory::device;
  std::uint64_t number = 0;  // from 1, in the order in which they were made; 0 for variables
};
Allocation allocation_of(const void* pointer);
std::vector<Allocation> allocations();  // that are live, in the order in which they were made; without variables

std::size_t allocated_bytes();  // of device and managed memory

}  // namespace cairn::emu
