// Links a program: the plain one, which holds the traced one.
#pragma once

#include "lab/program/compile.hpp"

namespace cairn::lab::program {

// `inputs` are objects, archives and -l, in their order; sources have been compiled.
void link(const Session& session, const std::vector<std::string>& inputs, const std::string& output);

}  // namespace cairn::lab::program
