// The host's time of a call: until it returns, with the work enqueued. On a GPU this is the launch path, ours or the
// vendor's, with its checks and heuristics; products shorter than that are bound by the host.
#pragma once

#include <vector>

#include "lab/contender.hpp"
#include "lab/measure/bench.hpp"
#include "lab/record/record.hpp"

namespace cairn::lab::measure {

// For a record of kind "host": milliseconds of the host a call, in interleaved batches of calls. Each contender is
// verified first. On a CPU the call is synchronous, so that the time of the product is in it.
std::vector<record::Row> bench_host(const std::vector<Contender*>& contenders, const Problem& problem,
                                    const Settings& settings);

}  // namespace cairn::lab::measure
