// What malloc() gives in a kernel: memory of a heap that the device has, of which cudaMemcpy knows nothing. In a whole
// program malloc and free are these (emu/shadow/emu_heap.h); on the host they are the C library's.
//
// A launch takes fresh memory for every block, so that one thread's block is never another's that was freed: that would
// be a race in the eyes of the detector. Whether accesses stay within a block is not checked, only within the heap.
#pragma once

#include <cstddef>

extern "C" void* cairn_program_malloc(std::size_t bytes) noexcept;
extern "C" void cairn_program_free(void* pointer) noexcept;

namespace cairn::emu::program {

// Before a launch: memory is used again where none of it is in use.
void rewind_device_heap();

}  // namespace cairn::emu::program
