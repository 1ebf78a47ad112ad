// A record as a table: the project's own, and in the styles of some public kernel collections.
#pragma once

#include <string>

#include "lab/record/record.hpp"
#include "lab/table.hpp"

namespace cairn::lab::record {

// A table of every row that was timed, the method before it, refusals and failures after it, and what several
// problems come to (totals.hpp).
Report view(const Record& record);

// The same measurements as some public kernel collections print theirs:
//
//   S0   a block for each problem: the first three values of C and the milliseconds of each kernel
//   S1   a table for each problem: median TFLOP/s, its standard deviation, % of the baseline, % of peak
//   S2   the device first, then for each problem latency, effective GB/s, TFLOP/s and % of the baseline
//
// `format` is table or md.
std::string view_in_style(const Record& record, const std::string& style, Format format,
                          const Terminal& terminal = {});

// Throws Error for a style that is none of these, and for one asked of csv or json; empty is no style.
void check_style(const std::string& style, Format format);

}  // namespace cairn::lab::record
