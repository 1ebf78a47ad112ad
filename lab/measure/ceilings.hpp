// The ceilings of the ladder, measured: what a GPU does when it does nothing but multiply, and nothing but copy.
#pragma once

#include <memory>
#include <vector>

#include "lab/measure/bench.hpp"
#include "lab/record/record.hpp"

namespace cairn::lab::measure {

// By probe/fma_peak and probe/copy, and by probe/mma_peak and probe/wgmma_peak for each type in which tensor cores
// multiply one of the problems, where the device has them; on work large enough to reach the clocks of a long run.
// The seconds of `settings` are cut to one; its progress is told.
record::Ceilings ceilings(const std::shared_ptr<runtime::Machine>& machine, Settings settings,
                          const std::vector<Problem>& problems);

}  // namespace cairn::lab::measure
