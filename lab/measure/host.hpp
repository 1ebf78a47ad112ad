// What a call costs the host: the time until it returns, the work merely enqueued. For a GPU this is the launch path,
// ours and a vendor's, checks and choices included; it decides how short a product may be before the host is the
// bottleneck.
#pragma once

#include <vector>

#include "lab/contender.hpp"
#include "lab/measure/bench.hpp"
#include "lab/record/record.hpp"

namespace cairn::lab::measure {

// For a record of kind "host": milliseconds of the host a call, in interleaved batches of calls. Each contender is
// verified first. On a machine that works while the call runs, the call is the work, and that is what comes out.
std::vector<record::Row> bench_host(const std::vector<Contender*>& contenders, const Problem& problem,
                                    const Settings& settings);

}  // namespace cairn::lab::measure
