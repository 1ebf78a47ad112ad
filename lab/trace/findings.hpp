// The detectors' findings as text.
#pragma once

#include <string>
#include <vector>

#include "lab/trace/traced.hpp"

namespace cairn::lab::trace {

// "race: kernel simt_04_block_tile: … (12 times)"
std::string line_of(const emu::Finding& finding);

// "3 findings: 2 race, 1 out-of-bounds"; empty if there are none.
std::string summary(const std::vector<emu::Finding>& findings);

// Each finding and each failure, one line each, and a summary; empty if there are none.
std::vector<std::string> alarms(const Runs& runs);

}  // namespace cairn::lab::trace
