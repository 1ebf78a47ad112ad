// Ratios of counters, such as sectors per request, which do not depend on the problem's size; and the lines
// that transfer more than they need.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emu/trace.hpp"

namespace cairn::lab::trace {

struct Ratio {
  const char* key;                                             // "global_load_sectors_per_request"
  const char* title;                                           // "sectors a global load"
  std::optional<double> (*of)(const emu::Counters& counters);  // nothing if there were no requests
};
std::span<const Ratio> ratios();

// The one of that key; throws std::out_of_range if there is none.
const Ratio& ratio(const std::string& key);

// For people: as `cairn profile` calls it, where it has that counter too.
std::string title_of(const std::string& counter);

// All kernels of a trace together.
emu::Counters total(const emu::Trace& trace);

std::uint64_t global_requests(const emu::Counters& c);
std::uint64_t shared_requests(const emu::Counters& c);
std::uint64_t bank_conflicts(const emu::Counters& c);

// Of loads and stores together; nothing if there were none.
std::optional<double> sectors_a_request(const emu::Counters& c);
std::optional<double> wavefronts_a_request(const emu::Counters& c);

// Sectors beyond the fewest for the bytes requested, and bank conflicts: what a better access pattern would save.
std::uint64_t excess(const emu::Counters& c);

// The most excess first; then the most requests; then in the order of the source.
std::vector<const emu::LineCounters*> worst_first(const emu::KernelTrace& kernel);

// The lines with the kernel's worst request of each kind; nullptr if there was none.
const emu::LineCounters* worst_global(const emu::KernelTrace& kernel);
const emu::LineCounters* worst_shared(const emu::KernelTrace& kernel);

}  // namespace cairn::lab::trace
