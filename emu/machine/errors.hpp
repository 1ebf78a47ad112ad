// The first failure of the process, kept until it is taken.
#pragma once

#include <string>

#include "cairn/types.hpp"

namespace cairn::emu {

// Keeps the first failure since the last take_failure(); later ones are usually a consequence of it.
void remember(const Status& failure);
Status take_failure();
// Drops it if it has this message: cudaGetLastError has reported it already.
void forget(const std::string& message);

// The report of the calling host thread's last failed launch.
std::string& last_report();

}  // namespace cairn::emu
