// What can be known of a kernel from its address: the symbol table of the file it was loaded from gives its name and
// its static shared arrays.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cairn::emu {

// A static __shared__ array. They are thread_local: one block runs on an OS thread at a time, and its copy of the
// array is that block's.
struct SharedArray {
  std::string name;
  std::size_t offset;  // from shared_base()
  std::size_t bytes;
};

struct KernelFacts {
  std::string name;                 // without parameters; the address where the file has no symbols
  std::vector<SharedArray> shared;  // declared in the kernel itself
  std::size_t shared_bytes = 0;     // their sum
};

const KernelFacts& kernel_facts(const void* kernel);

// Where this OS thread's copies of the arrays begin; null if that cannot be found out.
std::byte* shared_base();

}  // namespace cairn::emu
