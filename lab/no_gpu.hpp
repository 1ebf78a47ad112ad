// Where a GPU is needed and there is none: what is wrong with the command otherwise, and where to look instead.
#pragma once

#include <string>
#include <vector>

#include "lab/contender.hpp"

namespace cairn::lab {

bool has_gpu();

// Everything that has an id on a GPU: the ladder, the library, cuBLAS. Only the ids are of use where there is none.
// Empty in a build without the emulator, whose ladder it is.
Contenders named_on_gpu(const std::vector<std::string>& patterns);

// Throws unless every pattern names something on a GPU: a misspelt id is told first, GPU or not.
void check_ids_for_gpu(const std::vector<std::string>& patterns);

// "rungs have times only on a GPU, …; cairn trace 'simt/*' …": with a command for each other way to learn about them.
std::string times_need_gpu(const std::vector<std::string>& patterns);

}  // namespace cairn::lab
