// Values of a record's line as cells of a table; empty where the line has none.
#pragma once

#include <optional>

#include "lab/record/summary.hpp"
#include "lab/table.hpp"

namespace cairn::lab::record {

inline Cell percent(const std::optional<double>& fraction) { return fraction ? Cell{100 * *fraction} : Cell{}; }
inline Cell of_baseline(const Line& line) { return line.ratio ? Cell{100 * line.ratio->median} : Cell{}; }

}  // namespace cairn::lab::record
