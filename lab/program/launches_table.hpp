// A program's launches as a table.
#pragma once

#include "emu/trace.hpp"
#include "lab/table.hpp"

namespace cairn::lab::program {

// A row for each kernel and shape of its launches, in the order of the first of each, with the counters of all of them.
Table launches_table(const emu::Trace& trace);

}  // namespace cairn::lab::program
