// The ladder under all detectors: contenders on the traced emulator, and the findings of their runs.
#pragma once

#include <string>
#include <vector>

#include "lab/contender.hpp"

namespace cairn::lab::trace {

// Every rung of the traced ladder. Throws Error where this build has none.
Contenders traced_contenders(const std::vector<std::string>& ids);

// Starts a new trace.
void begin_check(std::uint64_t seed);

// The findings since begin_check(), a line each.
std::vector<std::string> end_check();

}  // namespace cairn::lab::trace
