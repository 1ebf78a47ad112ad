#include "emu/trace/collector.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "emu/machine/kernel_facts.hpp"
#include "emu/report/report.hpp"

namespace cairn::emu {
namespace {

struct Kernel {
  KernelTrace trace;
  std::map<SiteId, SiteStats> sites;
  std::map<std::pair<std::string, int>, std::uint64_t> barriers;  // by file and line
  std::map<SiteId, Products> products;
  std::map<SiteId, Counters> tma;
};

struct Found {
  RawFinding caught;
  std::string kernel;
  std::uint64_t times = 0;
};

std::mutex mutex;
TraceSettings settings;
std::vector<Kernel> kernels;
std::size_t open_kernel = 0;
BlockId next_block = 1;
BlockId launch_first = 0;
std::map<std::tuple<std::string, Fault, SiteId, SiteId>, Found> found;
std::map<std::uintptr_t, std::unordered_set<BlockId>> released_at;  // by an atomic's address, in the open launch
std::vector<Place> source_places;                                   // places known from the source

constexpr SiteId kFromSource = 0x80000000u, kCopyTarget = 0x40000000u;
constexpr std::size_t kMostFindings = 100;

std::array<unsigned, 3> triple(dim3 v) { return {v.x, v.y, v.z}; }

void merge(SiteStats& into, const SiteStats& from) {
  into.shared = from.shared, into.store = from.store, into.atomic = from.atomic, into.copy = from.copy;
  into.requests += from.requests, into.cost += from.cost;
  into.conflicts += from.conflicts, into.bytes += from.bytes;
  into.merged_requests += from.merged_requests, into.merged_cost += from.merged_cost;
  into.merged_conflicts += from.merged_conflicts;
  if (from.worst > into.worst) {
    into.worst = from.worst;
    into.worst_request = from.worst_request;
    into.worst_block = from.worst_block;
    into.worst_warp = from.worst_warp;
  }
}

Counters counters_of(const SiteStats& s) {
  Counters c;
  if (s.atomic) {
    c.atomics = s.requests;
  } else if (s.shared) {
    (s.store ? c.shared_store_requests : c.shared_load_requests) = s.requests;
    (s.store ? c.shared_store_wavefronts : c.shared_load_wavefronts) = s.cost;
    (s.store ? c.shared_store_bank_conflicts : c.shared_load_bank_conflicts) = s.conflicts;
    (s.store ? c.shared_store_bytes : c.shared_load_bytes) = s.bytes;
    c.merged_shared_load_requests = s.merged_requests;
    c.merged_shared_load_wavefronts = s.merged_cost;
    c.merged_shared_load_bank_conflicts = s.merged_conflicts;
  } else {
    (s.store ? c.global_store_requests : c.global_load_requests) = s.requests;
    (s.store ? c.global_store_sectors : c.global_load_sectors) = s.cost;
    (s.store ? c.global_store_bytes : c.global_load_bytes) = s.bytes;
    if (s.copy) c.async_copy_requests = s.requests, c.async_copy_sectors = s.cost;
  }
  return c;
}

// Places of all sites in use, looked up at once.
std::map<SiteId, Place> look_up(const std::set<SiteId>& sites) {
  std::map<SiteId, Place> places;
  std::vector<SiteId> unknown;
  for (const SiteId site : sites) {
    if ((site & kFromSource) != 0) {
      places[site] = source_places.at(site & ~(kFromSource | kCopyTarget));
    } else {
      unknown.push_back(site);
    }
  }
  const std::vector<Place> looked_up = places_of(unknown);
  for (std::size_t i = 0; i < unknown.size(); ++i) places[unknown[i]] = looked_up[i];
  return places;
}

std::string say(const Place& place) {
  return place.line == 0 ? "an unknown place" : place.file + ":" + std::to_string(place.line);
}

void add_worst(LineCounters& line, const SiteStats& s) {
  if (s.worst == 0 || s.atomic) return;
  Request& request = s.shared ? line.worst_shared : line.worst_global;
  std::string& who = s.shared ? line.worst_shared_who : line.worst_global_who;
  const auto cost = [&](const Request& r) { return s.shared ? wavefronts(r).all : sectors(r); };
  if (request.lanes != 0 && cost(request) >= s.worst) return;
  request = s.worst_request;
  who = "block " + describe(s.worst_block) + ", warp " + std::to_string(s.worst_warp);
}

KernelTrace finish(Kernel& kernel, const std::map<SiteId, Place>& places) {
  KernelTrace out = kernel.trace;
  std::map<std::pair<std::string, int>, LineCounters> lines;
  for (const auto& [site, stats] : kernel.sites) {
    const Place& place = places.at(site);
    LineCounters& line = lines[{place.file, place.line}];
    line.place = place;
    line.counters += counters_of(stats);
    add_worst(line, stats);
  }
  for (const auto& [where, times] : kernel.barriers) {
    LineCounters& line = lines[where];
    if (line.place.line == 0) line.place = {where.first, where.second, ""};
    line.counters.barriers += times;
  }
  for (const auto& [site, products] : kernel.products) {
    const Place& place = places.at(site);
    LineCounters& line = lines[{place.file, place.line}];
    line.place = place;
    line.counters.mma_instructions += products.instructions;
    line.counters.mma_flops += products.flops;
  }
  for (const auto& [site, counters] : kernel.tma) {
    const Place& place = places.at(site);
    LineCounters& line = lines[{place.file, place.line}];
    line.place = place;
    line.counters += counters;
  }
  for (auto& [where, line] : lines) {
    out.counters += line.counters;
    out.lines.push_back(std::move(line));
  }
  return out;
}

}  // namespace

void begin_collecting(const TraceSettings& wanted) {
  const std::lock_guard lock(mutex);
  settings = wanted;
  kernels.clear();
  found.clear();
}

bool detectors_on() {
  const std::lock_guard lock(mutex);
  return settings.detectors;
}

bool merged_loads_wanted() {
  const std::lock_guard lock(mutex);
  return settings.merged_loads;
}

BlockId open_launch(const Launch& launch) {
  const std::lock_guard lock(mutex);
  const std::string& name = kernel_facts(launch.kernel).name;
  const auto grid = triple(launch.grid), block = triple(launch.block);
  auto at = std::ranges::find_if(kernels, [&](const Kernel& k) {
    return k.trace.name == name && (!settings.shapes_apart || (k.trace.grid == grid && k.trace.block == block));
  });
  if (at == kernels.end()) {
    at = kernels.insert(kernels.end(), Kernel{});
    at->trace.name = name;
  }
  at->trace.grid = grid, at->trace.block = block;
  ++at->trace.launches;
  open_kernel = static_cast<std::size_t>(at - kernels.begin());
  launch_first = next_block;
  released_at.clear();
  next_block += launch.grid.x * launch.grid.y * launch.grid.z + 1;
  return launch_first;
}

BlockId launch_blocks() {
  const std::lock_guard lock(mutex);
  return launch_first;
}

void number_blocks_from(BlockId next) {
  const std::lock_guard lock(mutex);
  next_block = std::max(next_block, next);
}

void close_launch(const Launch&, const char* failure) {
  if (failure == nullptr) return;
  // A finding of a detector has been added already; a deadlock is reported by the emulator itself.
  std::string message = failure;
  if (message.find(": caught: ") != std::string::npos) return;
  // A finding names its kernel, so the report need not.
  if (const std::size_t block = message.find(", block ");
      message.starts_with("kernel ") && block != std::string::npos)
    message.erase(0, block + 2);
  const bool barrier = message.find("deadlock") != std::string::npos;
  add_finding({barrier ? Fault::barrier : Fault::failed, 0, 0, std::move(message), "", ""});
}

std::vector<BlockId> release_and_acquire(std::uintptr_t address, BlockId block,
                                         const std::unordered_set<BlockId>& predecessors) {
  const std::lock_guard lock(mutex);
  auto& others = released_at[address];
  std::vector<BlockId> gained;
  for (const BlockId other : others) {
    if (other != block && !predecessors.contains(other)) gained.push_back(other);
  }
  others.insert(predecessors.begin(), predecessors.end());
  others.insert(block);
  return gained;
}

void add_stats(SiteId site, const SiteStats& stats) {
  const std::lock_guard lock(mutex);
  merge(kernels.at(open_kernel).sites[site], stats);
}

void add_barrier(const Site& site) {
  const std::lock_guard lock(mutex);
  ++kernels.at(open_kernel).barriers[{shown(site.file_name()), static_cast<int>(site.line())}];
}

void add_products(const Products& products) {
  const std::lock_guard lock(mutex);
  Products& all = kernels.at(open_kernel).products[products.site];
  all.instructions += products.instructions, all.flops += products.flops;
}

void add_tma(const TmaCounters& tma) {
  const std::lock_guard lock(mutex);
  kernels.at(open_kernel).tma[tma.site] += tma.counters;
}

void add_finding(RawFinding caught) {
  const std::lock_guard lock(mutex);
  const std::string kernel = kernels.empty() ? "" : kernels.at(open_kernel).trace.name;
  const auto key = std::tuple(kernel, caught.fault, caught.site, caught.other);
  const auto at = found.find(key);
  if (at != found.end()) {
    ++at->second.times;
  } else if (found.size() < kMostFindings) {
    found.emplace(key, Found{std::move(caught), kernel, 1});
  }
}

SiteId site_of(const char* file, unsigned line) {
  const std::lock_guard lock(mutex);
  const Place place{shown(file), static_cast<int>(line), ""};
  for (std::size_t i = 0; i < source_places.size(); ++i) {
    if (source_places[i].line == place.line && source_places[i].file == place.file)
      return kFromSource | static_cast<SiteId>(i);
  }
  source_places.push_back(place);
  return kFromSource | static_cast<SiteId>(source_places.size() - 1);
}

SiteId target_of_copy(SiteId site) { return site | kCopyTarget; }

SiteId site_of(const Site& site) { return site_of(site.file_name(), site.line()); }

struct Aside::Kept {
  std::vector<Kernel> kernels;
  decltype(cairn::emu::found) found;
  std::size_t open_kernel;
};

Aside::Aside() {
  const std::lock_guard lock(mutex);
  kept_ = std::make_unique<Kept>(Kept{kernels, found, open_kernel});
}

Aside::~Aside() {
  const std::lock_guard lock(mutex);
  kernels = std::move(kept_->kernels), found = std::move(kept_->found), open_kernel = kept_->open_kernel;
}

void take_trace(Trace& out) {
  const std::lock_guard lock(mutex);
  std::set<SiteId> sites;
  for (const Kernel& kernel : kernels) {
    for (const auto& [site, stats] : kernel.sites) sites.insert(site);
    for (const auto& [site, products] : kernel.products) sites.insert(site);
    for (const auto& [site, counters] : kernel.tma) sites.insert(site);
  }
  for (const auto& [key, one] : found) {
    for (const SiteId site : {one.caught.site, one.caught.other}) {
      if (site != 0) sites.insert(site);
    }
  }
  const auto places = look_up(sites);
  out = {};
  for (Kernel& kernel : kernels) out.kernels.push_back(finish(kernel, places));
  for (const auto& [key, one] : found) {
    const RawFinding& c = one.caught;
    Finding finding{c.fault, one.kernel, c.before, {}, {}, one.times};
    if (c.site != 0) finding.place = places.at(c.site), finding.what += say(finding.place) + c.between;
    if (c.other != 0) finding.other = places.at(c.other), finding.what += say(finding.other) + c.after;
    out.findings.push_back(std::move(finding));
  }
}

}  // namespace cairn::emu
