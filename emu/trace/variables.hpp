// What launches do to __device__ variables, so that it can be undone. They are in no allocation: the tracer knows of them
// only that they are in the program.
#pragma once

#include <cstdint>

namespace cairn::emu {

// A thread of a kernel is about to store to a variable.
void variable_changes(std::uintptr_t address, unsigned bytes);

void keep_variables();      // from here on their old values are kept,
void put_variables_back();  // which they get again

}  // namespace cairn::emu
