#include "lab/contender.hpp"

#include <algorithm>
#include <fnmatch.h>

#include <fmt/format.h>

#include "lab/contender_cpu.hpp"
#include "lab/contender_library.hpp"
#include "lab/contender_rung.hpp"

namespace cairn::lab {
namespace {

std::string ids_of(const Contenders& list) {
  std::string ids;
  for (const auto& contender : list) ids += (ids.empty() ? "" : ", ") + std::string(contender->id());
  return ids;
}

// The indices a pattern names: as an id, else as a glob, else as a prefix.
std::vector<std::size_t> named_by(const std::string& pattern, const Contenders& all) {
  const bool glob = pattern.find_first_of("*?[") != std::string::npos;
  std::vector<std::size_t> found, exactly;  // the library's pick has one id on every device
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string id(all[i]->id());
    if (id == pattern) exactly.push_back(i);
    if (glob ? ::fnmatch(pattern.c_str(), id.c_str(), 0) == 0 : id.starts_with(pattern)) found.push_back(i);
  }
  return exactly.empty() ? found : exactly;
}

}  // namespace

Status contenders(int device, Contenders& out) {
  std::shared_ptr<runtime::Machine> machine;
  if (auto s = runtime::open(device, machine); !s.ok()) return s;
  Contenders all;
  if (machine->facts().kind == runtime::Kind::cpu) {
    add_cpu_backends(machine, all);
  } else {
    add_rungs(machine, all);
  }
  if (auto s = add_library(device, machine, all); !s.ok()) return s;
  out = std::move(all);
  return {};
}

Status select(const std::vector<std::string>& patterns, Contenders& all) {
  if (patterns.empty()) return {};
  std::vector<bool> kept(all.size(), false);
  for (const std::string& pattern : patterns) {
    const auto found = named_by(pattern, all);
    if (found.empty()) {
      return {Code::invalid_argument, fmt::format("no contender is named '{}'; there are {}", pattern, ids_of(all))};
    }
    const bool one_id =
        std::all_of(found.begin(), found.end(), [&](std::size_t i) { return all[i]->id() == all[found[0]]->id(); });
    if (!one_id && pattern.find_first_of("*?[") == std::string::npos) {
      std::string names;
      for (const std::size_t i : found) names += (names.empty() ? "" : ", ") + std::string(all[i]->id());
      return {Code::invalid_argument, fmt::format("'{}' could be {}; write more of the id, or '{}*' for all of them",
                                                  pattern, names, pattern)};
    }
    for (const std::size_t i : found) kept[i] = true;
  }
  Contenders chosen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (kept[i]) chosen.push_back(std::move(all[i]));
  }
  all = std::move(chosen);
  return {};
}

}  // namespace cairn::lab
