// The CPU backends as contenders: each by itself, without the library's choice between them.
#pragma once

#include "lab/contender.hpp"

namespace cairn::lab {

void add_cpu_backends(const std::shared_ptr<runtime::Machine>& machine, Contenders& out);

}  // namespace cairn::lab
