// How this build compiles kernels for the traced emulator; cmake/this_build.cmake writes the definition.
#pragma once

#include <string>
#include <vector>

namespace cairn::lab::program {

struct Build {
  std::string compiler;
  std::vector<std::string> plain, traced;  // flags: those of the two ladders
  std::vector<std::string> includes;       // folders, in the tree that was built
  std::vector<std::string> libraries;      // files, in the folder it was built in
  std::vector<std::string> cublas;         // files that stand in for -lcublas, the last of which may be the system's
  std::string fibers;                      // Boost.Context's library file; empty if it is not used
  // Once installed: from the command's folder to that of the libraries and to that of the headers.
  std::string to_lib, to_headers, to_include;
};

const Build& this_build();

}  // namespace cairn::lab::program
