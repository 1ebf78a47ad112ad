#include "emu/program/trace_session.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "emu/machine/errors.hpp"
#include "emu/machine/settings.hpp"
#include "emu/trace/collector.hpp"

namespace cairn::emu {
namespace {

constexpr std::size_t kLines = 5;  // shown of each kernel

std::string each(const char* what, std::uint64_t requests, const char* unit, std::uint64_t units) {
  if (requests == 0) return "";
  char text[160];
  std::snprintf(text, sizeof text, "  %-13s %10llu requests, %.2f %s each\n", what,
                static_cast<unsigned long long>(requests), static_cast<double>(units) / static_cast<double>(requests),
                unit);
  return text;
}

std::string text_of(const Counters& c) {
  std::string text = each("global loads", c.global_load_requests, "sectors", c.global_load_sectors) +
                     each("global stores", c.global_store_requests, "sectors", c.global_store_sectors) +
                     each("shared loads", c.shared_load_requests, "wavefronts", c.shared_load_wavefronts) +
                     each("shared stores", c.shared_store_requests, "wavefronts", c.shared_store_wavefronts);
  const std::uint64_t conflicts = c.shared_load_bank_conflicts + c.shared_store_bank_conflicts;
  text += "  bank conflicts " + std::to_string(conflicts) + ", barriers " + std::to_string(c.barriers) +
          ", atomics " + std::to_string(c.atomics) + "\n";
  return text;
}

std::uint64_t cost(const Counters& c) {
  return c.global_load_sectors + c.global_store_sectors + c.shared_load_wavefronts + c.shared_store_wavefronts;
}

std::string extents(const std::array<unsigned, 3>& of) {
  return std::to_string(of[0]) + "x" + std::to_string(of[1]) + "x" + std::to_string(of[2]);
}

std::string text_of(const KernelTrace& kernel) {
  std::string text = "kernel " + kernel.name + ", " + extents(kernel.grid) + " blocks of " + extents(kernel.block) +
                     " threads" + (kernel.launches > 1 ? ", " + std::to_string(kernel.launches) + " launches" : "") +
                     "\n" + text_of(kernel.counters);
  std::vector<const LineCounters*> lines;
  lines.reserve(kernel.lines.size());
  for (const LineCounters& line : kernel.lines) {
    if (cost(line.counters) > 0) lines.push_back(&line);
  }
  std::stable_sort(lines.begin(), lines.end(), [](const LineCounters* a, const LineCounters* b) {
    return cost(a->counters) > cost(b->counters);
  });
  if (lines.size() > kLines) lines.erase(lines.begin() + kLines, lines.end());
  for (const LineCounters* line : lines) {
    const Counters& c = line->counters;
    text += "  " + line->place.file + ":" + std::to_string(line->place.line) + ": " +
            std::to_string(c.global_load_sectors + c.global_store_sectors) + " sectors, " +
            std::to_string(c.shared_load_wavefronts + c.shared_store_wavefronts) + " wavefronts\n";
  }
  return text;
}

}  // namespace

TraceSession::TraceSession(std::uint64_t seed, const TraceSettings& settings) {
  configure({.seed = seed});
  (void)take_failure();
  begin_collecting(settings);
}

void TraceSession::look() {
  if (looked_) return;
  looked_ = true;
  if (const Status failure = take_failure(); !failure.ok()) failure_ = failure.message();
  take_trace(trace_);
}

const Trace& TraceSession::trace() {
  look();
  return trace_;
}

bool TraceSession::clean() {
  look();
  return trace_.findings.empty() && failure_.empty();
}

std::string TraceSession::report() {
  look();
  std::string text;
  for (const KernelTrace& kernel : trace_.kernels) text += text_of(kernel);
  for (const Finding& finding : trace_.findings) {
    // The emulator's own reports begin with the kernel and its block.
    const std::string kernel = finding.what.starts_with("kernel ") ? "" : "kernel " + finding.kernel + ": ";
    text += std::string(name(finding.fault)) + ": " + kernel + finding.what +
            (finding.times > 1 ? " (" + std::to_string(finding.times) + " times)" : "") + "\n";
  }
  if (!failure_.empty()) text += "failed: " + failure_ + "\n";
  if (clean()) text += "The detectors found nothing.\n";
  return text;
}

}  // namespace cairn::emu
