#include "lab/contender.hpp"

#include <algorithm>
#include <fnmatch.h>

#include <fmt/format.h>

#include "lab/contender_cpu.hpp"
#include "lab/contender_library.hpp"
#include "lab/contender_rung.hpp"
#include "lab/nearest.hpp"

namespace cairn::lab {
namespace {

std::vector<std::string> ids_of(const Contenders& list) {
  std::vector<std::string> ids;
  for (const auto& contender : list) ids.emplace_back(contender->id());
  return ids;
}

bool is_glob(const std::string& text) { return text.find_first_of("*?[") != std::string::npos; }

bool fits(const std::string& glob, const std::string& text) { return ::fnmatch(glob.c_str(), text.c_str(), 0) == 0; }

// "simt/04_block_tile@1" is tile 1 of its rung, "simt/04_block_tile" tile 0.
struct Id {
  explicit Id(std::string_view text) : rung(text.substr(0, text.find('@'))) {
    if (const auto at = text.find('@'); at != std::string_view::npos) tile = text.substr(at + 1);
  }
  std::string rung, tile = "0";
};

// The indices a pattern names: as an id, else as a glob, else as a prefix.
std::vector<std::size_t> named_by(const std::string& pattern, const Contenders& all) {
  const Id wanted(pattern);
  std::vector<std::size_t> found, exactly;  // the library's pick has one id on every device
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Id id(all[i]->id());
    if (!fits(wanted.tile, id.tile)) continue;
    if (id.rung == wanted.rung) exactly.push_back(i);
    if (is_glob(wanted.rung) ? fits(wanted.rung, id.rung) : id.rung.starts_with(wanted.rung)) found.push_back(i);
  }
  return exactly.empty() ? found : exactly;
}

}  // namespace

Status contenders(int device, Contenders& out, const std::vector<std::string>& patterns) {
  std::shared_ptr<runtime::Machine> machine;
  if (auto s = runtime::open(device, machine); !s.ok()) return s;
  Contenders all;
  if (machine->facts().kind == runtime::Kind::cpu) {
    add_cpu_backends(machine, all);
  } else {
    const bool tiles = std::ranges::any_of(patterns, [](const std::string& p) { return p.find('@') != p.npos; });
    add_rungs(machine, tiles, all);
  }
  if (auto s = add_library(device, machine, all); !s.ok()) return s;
  out = std::move(all);
  return {};
}

bool names_any(const std::string& pattern, const Contenders& all) { return !named_by(pattern, all).empty(); }

Status select(const std::vector<std::string>& patterns, Contenders& all) {
  if (patterns.empty()) return {};
  std::vector<bool> kept(all.size(), false);
  for (const std::string& pattern : patterns) {
    const auto found = named_by(pattern, all);
    if (found.empty()) {
      return {Code::invalid_argument, fmt::format("no contender is named '{}'; {} (cairn list has all)", pattern,
                                                  nearest_text(pattern, ids_of(all)))};
    }
    const Id first(all[found[0]]->id());
    const bool one_rung =
        std::ranges::all_of(found, [&](std::size_t i) { return Id(all[i]->id()).rung == first.rung; });
    if (!one_rung && !is_glob(Id(pattern).rung)) {
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
