// A kernel's name and static shared arrays, found by its address in the symbol table of the file it was loaded from.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cairn::emu {

// A static __shared__ array. It is thread_local: an OS thread runs one block at a time, so
// its copy belongs to that block.
struct SharedArray {
  std::string name;
  std::size_t offset;  // from shared_base()
  std::size_t bytes;
};

struct KernelFacts {
  std::string name;                 // without parameters; the address where the file has no symbols
  std::string parameters;           // "float const*, int"
  std::vector<SharedArray> shared;  // declared in the kernel itself
  std::size_t shared_bytes = 0;     // their sum
};

const KernelFacts& kernel_facts(const void* kernel);

// The names of all kernels of a whole program, launched or not; cairn-nvcc marks them.
std::vector<std::string> kernels_of_program();

// The array that holds this byte, an offset from shared_base(), and is declared in no kernel: in a __device__ function or
// at file scope. Null if there is none. Kernels can be told from other functions in whole programs alone, where
// cairn-nvcc marks them; elsewhere there is never one.
const SharedArray* shared_by_kernels(std::size_t offset);

// Where this OS thread's copies of the arrays begin; null if unknown.
std::byte* shared_base();

}  // namespace cairn::emu
