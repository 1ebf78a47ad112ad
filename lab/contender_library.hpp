// The library as a contender: what a caller of cairn::gemm gets, through the public API alone.
#pragma once

#include "lab/contender.hpp"

namespace cairn::lab {

Status add_library(int device, const std::shared_ptr<runtime::Machine>& machine, Contenders& out);

}  // namespace cairn::lab
