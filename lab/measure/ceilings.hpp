// Measured ceilings: the speed of a GPU that does nothing but multiply, or nothing but copy.
#pragma once

#include <memory>
#include <vector>

#include "lab/measure/bench.hpp"
#include "lab/record/record.hpp"

namespace cairn::lab::measure {

// Runs probe/fma_peak and probe/copy, and for each type in which tensor cores multiply one of the problems
// probe/mma_peak and probe/wgmma_peak, where the device has them; on work large enough to reach the clocks of a long
// run. At most one of the seconds of `settings` is spent on each.
record::Ceilings ceilings(const std::shared_ptr<runtime::Machine>& machine, Settings settings,
                          const std::vector<Problem>& problems);

}  // namespace cairn::lab::measure
