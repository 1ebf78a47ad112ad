// What a line of a record says, as cells of a table; empty where it does not say it.
#pragma once

#include <optional>

#include "lab/record/summary.hpp"
#include "lab/table.hpp"

namespace cairn::lab::record {

inline Cell percent(const std::optional<double>& share) { return share ? Cell{100 * *share} : Cell{}; }
inline Cell of_baseline(const Line& line) { return line.ratio ? Cell{100 * line.ratio->median} : Cell{}; }

}  // namespace cairn::lab::record
