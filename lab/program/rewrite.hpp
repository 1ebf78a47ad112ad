// What g++ cannot read of CUDA in a preprocessed file is written in C++: launches, and what a kernel begins with.
#pragma once

#include <string>
#include <vector>

#include "lab/program/preprocessed.hpp"

namespace cairn::lab::program {

struct Rewritten {
  std::string text;  // lines keep their numbers
  std::vector<std::string> kernels;
  int launches = 0;
};

//   tile<32><<<grid, block>>>(a, n)    becomes a call of emu::program::Launcher (emu/program/launch.hpp)
//   __global__ void tile(…) {          gets a first statement, by which the launch finds the kernel
//   … } of one that is no template     is followed by an object that knows how to call it, for cudaLaunchKernel(void*)
//   asm volatile("…")                  becomes a block of calls (lab/program/ptx/translate.hpp)
//   dim3 gridDim(8);                   gets another name, as what means it does (lab/program/index_names.hpp)
//   __shared__ alignas(16) float x[4]; has its alignment as an attribute, which may stand there
//   __noinline__                       becomes an attribute; as a macro it would break the C++ library
//
// `preprocessed` is what g++ -E writes, in which __global__ is an attribute, noipa. Only the user's lines are changed:
// those that users_lines() returns.
Rewritten rewrite(const std::string& preprocessed, const std::vector<std::string>& ours);

}  // namespace cairn::lab::program
