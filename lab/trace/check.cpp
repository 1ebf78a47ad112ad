#include "lab/trace/check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "emu/trace.hpp"
#include "kernels/ladder.hpp"
#include "lab/contender_rung.hpp"
#include "lab/exit.hpp"
#include "lab/trace/findings.hpp"
#include "runtime/emu.hpp"

namespace cairn::lab::trace {

#ifdef CAIRN_HAVE_TRACED

Contenders traced_contenders(const std::vector<std::string>& ids) {
  const auto machine = runtime::make_emulated(cairn_emu_traced()->emulator);
  std::size_t count = 0;
  const auto* first = static_cast<const Rung* const*>(cairn_emu_traced()->emulator.ladder(&count));
  const bool tiles =
      std::ranges::any_of(ids, [](const std::string& id) { return id.find('@') != std::string::npos; });
  Contenders all;
  for (const Rung* rung : Ladder(first, count)) {
    for (int tile = 0; tile < (tiles ? rung->tiles : 1); ++tile)
      all.push_back(std::make_unique<RungContender>(machine, *rung, tile));
  }
  expect(select(ids, all));
  return all;
}

void begin_check(std::uint64_t seed) {
  emu::Settings settings;
  settings.seed = seed;
  cairn_emu_traced()->emulator.configure(settings);
  cairn_emu_traced()->begin({.detectors = true});
}

std::vector<std::string> end_check() {
  emu::Trace trace;
  cairn_emu_traced()->take(trace);
  std::vector<std::string> lines;
  for (const emu::Finding& finding : trace.findings) lines.push_back(line_of(finding));
  return lines;
}

#else

Contenders traced_contenders(const std::vector<std::string>&) {
  throw Error(kLacking, "this build has no traced emulator, which --check needs");
}
void begin_check(std::uint64_t) {}
std::vector<std::string> end_check() { return {}; }

#endif

}  // namespace cairn::lab::trace
