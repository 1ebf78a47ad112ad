// What it takes to compile a user's kernel: g++, the headers that stand in for CUDA's, the emulator's libraries.
#pragma once

#include <string>
#include <vector>

#include "lab/trace/own/build.hpp"

namespace cairn::lab::trace {

struct Tools {
  std::string compiler, readelf;
  std::vector<std::string> flags, includes, libraries;
};

// Beside the installed command or else in the build's own folders. Throws Error (77) if something is missing.
Tools find_tools(const OwnBuild& build = own_build());

}  // namespace cairn::lab::trace
