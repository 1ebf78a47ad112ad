// Failures, remembered until somebody asks.
#pragma once

#include <string>

#include "cairn/types.hpp"

namespace cairn::emu {

// The first failure of the process since it was last taken; what comes later is usually a consequence.
void remember(const Status& failure);
Status take_failure();
// Drops it if it is this one: whoever was told by cudaGetLastError need not be told again.
void forget(const std::string& message);

// The report of the calling host thread's last failed launch.
std::string& last_report();

}  // namespace cairn::emu
