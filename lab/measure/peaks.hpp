// The limits of a device: by its datasheet, and computed from its highest clock. A time below the computed limit is a
// broken measurement.
#pragma once

#include <optional>

#include "cairn/types.hpp"
#include "lab/contender.hpp"
#include "runtime/runtime.hpp"

namespace cairn::lab::measure {

// FLOP/s of the fastest unit that does products of the problem's types, and bytes/s of memory, as the vendor states
// them. Nothing for a device that is not in the table.
std::optional<double> datasheet_flops(const runtime::Facts& facts, const Problem& problem);
std::optional<double> datasheet_bytes(const runtime::Facts& facts);

// The least milliseconds the problem can take: its operations at the highest clock with every unit busy, and, unless
// caches are hot, its inputs at the full rate of memory. 0 where the device is unknown.
double floor_ms(const runtime::Facts& facts, const Problem& problem, Work work, bool hot);

}  // namespace cairn::lab::measure
