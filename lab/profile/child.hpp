// The process that the profiler watches: one contender is prepared, run once so that everything is loaded, then run
// again between profile_begin() and profile_end(). The parent process has verified it, and the profiler prints.
#pragma once

#include "lab/contender.hpp"
#include "lab/profile/profile.hpp"

namespace cairn::lab::profile {

// All that a device can profile, its contenders and its baselines, narrowed to the patterns as select() does.
Contenders field(int device, const std::vector<std::string>& patterns);

void run_child(const Subject& subject);

}  // namespace cairn::lab::profile
