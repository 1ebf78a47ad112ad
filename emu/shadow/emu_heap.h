// In a whole program malloc() and free() are the device's in kernels (emu/program/device_heap.hpp). Before any other header,
// so that whoever calls them calls these.
#pragma once

#include <cstddef>

extern "C" void* malloc(std::size_t) noexcept __asm__("cairn_program_malloc");
extern "C" void free(void*) noexcept __asm__("cairn_program_free");
