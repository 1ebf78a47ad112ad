// Inline PTX as C++ that calls the emulator (emu/shadow/emu_ptx.h).
//
//   asm volatile("{ .reg .pred p; setp.ne.b32 p, %1, 0; @p ld.global.f32 %0, [%2]; }" : "+f"(x) : "r"(guard), "l"(from));
//
// becomes a block in which %0 to %2 are variables of the width that their constraints name, read before the instructions
// and written after them. Each instruction is a call, and one that is not emulated ends the launch when it is reached,
// with its text and line.
#pragma once

#include <string>

#include "lab/program/preprocessed.hpp"
#include "lab/program/ptx/asm_statement.hpp"

namespace cairn::lab::program {

// One line of C++. `spot` is where the statement is.
std::string translate(const AsmStatement& statement, const Spot& spot);

}  // namespace cairn::lab::program
