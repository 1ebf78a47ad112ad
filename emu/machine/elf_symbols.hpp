// The symbol table of the executable or shared object this code was loaded from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cairn::emu {

struct Symbol {
  std::string name;     // mangled
  std::uint64_t value;  // a function's address relative to where the file was loaded; a thread_local's offset
  std::uint64_t bytes;
  bool is_thread_local;
};

struct Image {
  std::uint64_t loaded_at = 0;
  std::vector<Symbol> symbols;  // functions and thread_locals; empty for a stripped file
};

const Image& this_image();

// Where this image was loaded: its code, constants and variables.
struct Span {
  std::uintptr_t low = 0, bytes = 0;
};
Span image_span();

// The calling OS thread's thread_local variables of this image, to which the symbols' offsets are relative.
std::byte* thread_local_base();

}  // namespace cairn::emu
