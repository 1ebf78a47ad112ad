// Finds what a user's kernel is compiled with: g++, the headers that stand in for CUDA's, the emulator's libraries.
#pragma once

#include <string>
#include <vector>

#include "lab/trace/own/build.hpp"

namespace cairn::lab::trace {

struct Tools {
  std::string compiler, readelf;
  std::vector<std::string> flags, includes, libraries;
};

// Next to the installed command, or else in the build tree. Throws Error (77) if something is missing.
Tools find_tools(const OwnBuild& build = own_build());

}  // namespace cairn::lab::trace
