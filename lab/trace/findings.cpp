#include "lab/trace/findings.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cairn::lab::trace {

std::string line_of(const emu::Finding& finding) {
  std::string line = fmt::format("{}: ", emu::name(finding.fault));
  if (!finding.kernel.empty()) line += fmt::format("kernel {}: ", finding.kernel);
  line += finding.what;
  if (finding.times > 1) line += fmt::format(" ({} times)", finding.times);
  return line;
}

std::string summary(const std::vector<emu::Finding>& findings) {
  if (findings.empty()) return "";
  std::vector<std::pair<std::string, int>> kinds;  // in the order of the first of each
  for (const emu::Finding& finding : findings) {
    const std::string name = emu::name(finding.fault);
    const auto known = std::ranges::find(kinds, name, &std::pair<std::string, int>::first);
    if (known == kinds.end()) {
      kinds.emplace_back(name, 1);
    } else {
      ++known->second;
    }
  }
  std::vector<std::string> counts;
  counts.reserve(kinds.size());
  for (const auto& [name, count] : kinds) counts.push_back(fmt::format("{} {}", count, name));
  return fmt::format("{} finding{}: {}", findings.size(), findings.size() == 1 ? "" : "s", fmt::join(counts, ", "));
}

std::vector<std::string> alarms(const Runs& runs) {
  std::vector<std::string> lines;
  std::vector<emu::Finding> all;
  for (const Traced& run : runs) {
    for (const emu::Finding& finding : run.trace.findings) {
      lines.push_back(line_of(finding));
      all.push_back(finding);
    }
    if (!run.failure.empty()) {
      lines.push_back(fmt::format("FAILED {}, {}: {}", run.id, run.brief(), run.failure));
    }
  }
  if (all.size() > 1) lines.push_back(summary(all));
  return lines;
}

}  // namespace cairn::lab::trace
