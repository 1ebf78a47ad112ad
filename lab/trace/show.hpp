// Tables of a trace.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "lab/table.hpp"
#include "lab/trace/source.hpp"
#include "lab/trace/traced.hpp"

namespace cairn::lab::trace {

// "8x8x1"
std::string extents(const std::array<unsigned, 3>& of);

// Counters and ratios, upright: one column for each kernel of each run.
Table counters_table(const Runs& runs);

// Every counted line, kernel by kernel, the worst first.
Table lines_table(const Runs& runs, const std::vector<std::string>& roots = source_roots());
Table lines_table(const Traced& run, const emu::KernelTrace& kernel, const std::vector<Listing>& source);

// One file with its counts in the margin.
Table listing_table(const Listing& listing);

// The worst lines of every kernel, and its source with the counts in the margin.
std::vector<Section> lines_report(const Runs& runs, const std::vector<std::string>& roots = source_roots());

}  // namespace cairn::lab::trace
