// An object or a program of cairn-nvcc holds its traced twin: a second file, compiled from the same source with every
// access recorded, in a section that no loader reads and no linker copies.
#pragma once

#include <optional>
#include <string>

namespace cairn::lab::program {

inline constexpr const char* kTracedObject = ".cairn.object";    // of an object file
inline constexpr const char* kTracedProgram = ".cairn.program";  // of a linked program

// The twin of a program is stored with all bits turned over: who looks for strings in a program, as CMake does to know a
// compiler, is to find each of them once.
std::string scrambled(std::string bytes);

std::optional<std::string> file_bytes(const std::string& file);

// The bytes of a section of an ELF file; nothing if it has no such section or is no ELF file.
std::optional<std::string> section(const std::string& file, const std::string& name);

}  // namespace cairn::lab::program
