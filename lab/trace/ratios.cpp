#include "lab/trace/ratios.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <tuple>

#include "lab/profile/counters.hpp"

namespace cairn::lab::trace {
namespace {

using emu::Counters;
using emu::LineCounters;
using emu::Request;

constexpr std::uint64_t kSector = 32;

std::optional<double> divided(std::uint64_t of, std::uint64_t by) {
  if (by == 0) return {};
  return static_cast<double>(of) / static_cast<double>(by);
}

// A warp's request has up to 32 lanes, and its sectors say how well they lie together. A TMA request is a whole box, so
// it has ratios of its own.
constexpr Ratio kRatios[] = {
    {"global_load_sectors_per_request", "sectors a global load",
     [](const Counters& c) {
       return divided(c.global_load_sectors - c.tma_load_sectors, c.global_load_requests - c.tma_load_requests);
     }},
    {"global_store_sectors_per_request", "sectors a global store",
     [](const Counters& c) {
       return divided(c.global_store_sectors - c.tma_store_sectors, c.global_store_requests - c.tma_store_requests);
     }},
    {"tma_load_sectors_per_request", "sectors a TMA load",
     [](const Counters& c) { return divided(c.tma_load_sectors, c.tma_load_requests); }},
    {"tma_store_sectors_per_request", "sectors a TMA store",
     [](const Counters& c) { return divided(c.tma_store_sectors, c.tma_store_requests); }},
    {"global_bytes_asked_per_moved", "bytes asked / bytes moved",
     [](const Counters& c) {
       return divided(c.global_load_bytes + c.global_store_bytes,
                      kSector * (c.global_load_sectors + c.global_store_sectors));
     }},
    {"shared_load_wavefronts_per_request", "wavefronts a shared load",
     [](const Counters& c) { return divided(c.shared_load_wavefronts, c.shared_load_requests); }},
    {"merged_shared_load_wavefronts_per_request", "wavefronts a merged load",
     [](const Counters& c) { return divided(c.merged_shared_load_wavefronts, c.merged_shared_load_requests); }},
    {"shared_store_wavefronts_per_request", "wavefronts a shared store",
     [](const Counters& c) { return divided(c.shared_store_wavefronts, c.shared_store_requests); }},
};

// Lanes that ask for the same word share its sector, so there may be fewer sectors than bytes would fill.
std::uint64_t beyond(std::uint64_t sectors, std::uint64_t bytes) {
  const std::uint64_t least = (bytes + kSector - 1) / kSector;
  return sectors > least ? sectors - least : 0;
}

std::uint64_t global_excess(const Request& request) {
  return beyond(emu::sectors(request),
                std::uint64_t{request.bytes} * static_cast<unsigned>(std::popcount(request.lanes)));
}

// The line whose request is the worst by `badness`, among those that have one.
template <class Badness>
const LineCounters* worst(const emu::KernelTrace& kernel, Request LineCounters::*request, Badness badness) {
  const LineCounters* found = nullptr;
  for (const LineCounters& line : kernel.lines) {
    if ((line.*request).lanes == 0) continue;
    if (found == nullptr || badness(line.*request) > badness(found->*request)) found = &line;
  }
  return found;
}

}  // namespace

std::span<const Ratio> ratios() { return kRatios; }

const Ratio& ratio(const std::string& key) {
  for (const Ratio& one : kRatios) {
    if (one.key == key) return one;
  }
  throw std::out_of_range("there is no ratio " + key);
}

std::string title_of(const std::string& counter) {
  for (const profile::Counter& known : profile::counters()) {
    if (known.name == counter) return std::string(known.title);
  }
  std::string words = counter;
  std::ranges::replace(words, '_', ' ');
  return words.ends_with("bytes") ? words + " asked for" : words;
}

Counters total(const emu::Trace& trace) {
  Counters all;
  for (const emu::KernelTrace& kernel : trace.kernels) all += kernel.counters;
  return all;
}

std::uint64_t global_requests(const Counters& c) { return c.global_load_requests + c.global_store_requests; }
std::uint64_t shared_requests(const Counters& c) { return c.shared_load_requests + c.shared_store_requests; }
std::uint64_t bank_conflicts(const Counters& c) {
  return c.shared_load_bank_conflicts + c.shared_store_bank_conflicts;
}

std::optional<double> sectors_a_request(const Counters& c) {
  return divided(c.global_load_sectors + c.global_store_sectors, global_requests(c));
}

std::optional<double> wavefronts_a_request(const Counters& c) {
  return divided(c.shared_load_wavefronts + c.shared_store_wavefronts, shared_requests(c));
}

std::uint64_t excess(const Counters& c) {
  return beyond(c.global_load_sectors, c.global_load_bytes) + beyond(c.global_store_sectors, c.global_store_bytes) +
         bank_conflicts(c);
}

std::vector<const LineCounters*> worst_first(const emu::KernelTrace& kernel) {
  std::vector<const LineCounters*> lines;
  lines.reserve(kernel.lines.size());
  for (const LineCounters& line : kernel.lines) lines.push_back(&line);
  const auto badness = [](const LineCounters* line) {
    const Counters& c = line->counters;
    return std::tuple(excess(c), global_requests(c) + shared_requests(c));
  };
  std::ranges::stable_sort(lines, [&](const auto* a, const auto* b) { return badness(a) > badness(b); });
  return lines;
}

const LineCounters* worst_global(const emu::KernelTrace& kernel) {
  return worst(kernel, &LineCounters::worst_global,
               [](const Request& r) { return std::tuple(global_excess(r), emu::sectors(r)); });
}

const LineCounters* worst_shared(const emu::KernelTrace& kernel) {
  return worst(kernel, &LineCounters::worst_shared, [](const Request& r) {
    const emu::Wavefronts w = emu::wavefronts(r);
    return std::tuple(w.conflicts(), w.all);
  });
}

}  // namespace cairn::lab::trace
