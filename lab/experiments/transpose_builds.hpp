// The transposes compiled a second and a third time, with the assembler's optimizer off and on: the same files, the
// same flags, one difference. Each build is a shared object of its own, because both define the names the ladder has.
#pragma once

#include <string>

#include "lab/contender.hpp"

namespace cairn::lab {

// "o0" (ptxas -O0) or "o3" (ptxas -O3, its default), on a GPU. Throws Error where this build or machine has none.
Contenders transposes_built(const std::string& level, int device);

}  // namespace cairn::lab
