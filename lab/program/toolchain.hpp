// Finds what users' kernels are compiled with: g++, the headers that stand in for CUDA's, the emulator's libraries.
#pragma once

#include <string>
#include <vector>

#include "lab/program/build.hpp"

namespace cairn::lab::program {

struct Tools {
  std::string compiler, readelf;
  std::vector<std::string> plain, traced, includes, libraries, cublas;  // the first two are flags

  // The file of a library: library("trace") is libcairn_emu_trace.a with its path.
  const std::string& library(const std::string& name) const;
};

// The program of that name on the PATH, with its path; throws Error (77) if there is none.
std::string find_program(const std::string& name);

// Next to the installed command, or else in the build tree. Throws Error (77) if something is missing.
Tools find_tools(const Build& build = this_build());

}  // namespace cairn::lab::program
