// The library as two contenders, through the public API alone: `cairn` runs a plan, `cairn/gemm` calls gemm() with
// the problem each time. They launch the same kernels, so only the host can tell them apart.
#pragma once

#include "lab/contender.hpp"

namespace cairn::lab {

Status add_library(int device, const std::shared_ptr<runtime::Machine>& machine, Contenders& out);

}  // namespace cairn::lab
