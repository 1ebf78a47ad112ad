// The baseline on the CPU: OpenBLAS, called as its own users call it, with nothing of ours in between.
#pragma once

#include "lab/contender.hpp"

namespace cairn::lab {

inline constexpr std::string_view kOpenblasDirect = "openblas/direct";

bool built_with_openblas();

// Null in a build without OpenBLAS, and on another machine than the CPU.
std::unique_ptr<Contender> openblas_direct(std::shared_ptr<runtime::Machine> machine);

}  // namespace cairn::lab
