// The baselines that Cairn is compared with: OpenBLAS on the CPU, cuBLAS on a GPU.
#pragma once

#include <string>

#include "lab/contender.hpp"

namespace cairn::lab {

// Adds every baseline there is on this machine.
void add_baselines(const std::shared_ptr<runtime::Machine>& machine, Contenders& out);

// Why a machine of this kind has none in this build; empty if it has.
std::string no_baseline(runtime::Kind kind);

}  // namespace cairn::lab
