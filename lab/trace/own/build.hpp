// How this build compiles kernels for the traced emulator; cmake/own_build.cmake writes the definition.
#pragma once

#include <string>
#include <vector>

namespace cairn::lab::trace {

struct OwnBuild {
  std::string compiler;
  std::vector<std::string> flags;      // those of the traced ladder
  std::vector<std::string> includes;   // folders, in the tree that was built
  std::vector<std::string> libraries;  // files, in the folder it was built in
  std::string fibers;                  // Boost.Context's library file; empty if it is not used
  // Once installed: from the command's folder to that of the libraries and to that of the headers.
  std::string to_lib, to_headers, to_include;
};

const OwnBuild& own_build();

}  // namespace cairn::lab::trace
