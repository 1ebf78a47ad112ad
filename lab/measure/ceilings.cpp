#include "lab/measure/ceilings.hpp"

#include <algorithm>

#include "lab/contender_rung.hpp"
#include "lab/exit.hpp"

namespace cairn::lab::measure {
namespace {

// Milliseconds of a probe on a problem, or 0 if it could not be timed.
double time_of(Contender& probe, const Problem& problem, const Settings& settings) {
  const std::vector<record::Row> rows = bench({&probe}, problem, settings);
  return rows[0].timed() ? median(rows[0].samples_ms) : 0;
}

}  // namespace

record::Ceilings ceilings(const std::shared_ptr<runtime::Machine>& machine, Settings settings) {
  settings.cache = Cache::cold;
  settings.stop.seconds = std::min(settings.stop.seconds, 1.0);
  Contenders rungs;
  add_rungs(machine, false, rungs);
  record::Ceilings found;
  for (const auto& rung : rungs) {
    if (rung->id() == "probe/fma_peak") {
      const Problem problem = Problem::packed(Type::f32, Op::none, Op::none, 8192, 8192, 4096);
      if (const double ms = time_of(*rung, problem, settings); ms > 0) found.fma_tflops = flops(problem) / ms / 1e9;
    } else if (rung->id() == "probe/copy") {
      const Problem problem = Problem::packed(Type::f32, Op::none, Op::none, 8192, 8192, 8192);
      if (const double ms = time_of(*rung, problem, settings); ms > 0)
        found.copy_gbytes = bytes(problem, Work::move) / ms / 1e6;
    }
  }
  return found;
}

}  // namespace cairn::lab::measure
