#include "lab/measure/ceilings.hpp"

#include <algorithm>
#include <string>

#include "lab/contender_rung.hpp"
#include "lab/exit.hpp"
#include "lab/record/words.hpp"

namespace cairn::lab::measure {
namespace {

// Milliseconds of a probe on a problem, or 0 if it could not be timed.
double time_of(Contender& probe, const Problem& problem, const Settings& settings) {
  const std::vector<record::Row> rows = bench({&probe}, problem, settings);
  return rows[0].timed() ? median(rows[0].samples_ms) : 0;
}

// The probes' own problem, in the types of another.
Problem large(const Problem& like, std::int64_t k) {
  Problem problem = Problem::packed(like.in, Op::none, Op::none, 8192, 8192, k);
  problem.compute = like.compute;
  return problem;
}

}  // namespace

record::Ceilings ceilings(const std::shared_ptr<runtime::Machine>& machine, Settings settings,
                          const std::vector<Problem>& problems) {
  settings.cache = Cache::cold;
  settings.stop.seconds = std::min(settings.stop.seconds, 1.0);
  Contenders rungs;
  add_rungs(machine, false, rungs);
  // Each probe goes from 0 to 1 for itself.
  std::size_t now = 0;
  if (settings.progress) {
    settings.progress = [&, of_all = settings.progress](const std::string& what, double fraction) {
      return of_all(what, (static_cast<double>(now) + fraction) / static_cast<double>(rungs.size()));
    };
  }
  record::Ceilings found;
  const Problem f32 = Problem::packed(Type::f32, Op::none, Op::none, 1, 1, 1);
  for (const auto& rung : rungs) {
    const auto tflops = [&](const Problem& problem) {
      const double ms = time_of(*rung, problem, settings);
      return ms > 0 ? flops(problem) / ms / 1e9 : 0;
    };
    if (rung->id() == "probe/fma_peak") {
      found.fma_tflops = tflops(large(f32, 4096));
    } else if (rung->id() == "probe/copy") {
      const Problem problem = large(f32, 8192);
      if (const double ms = time_of(*rung, problem, settings); ms > 0)
        found.copy_gbytes = bytes(problem, Work::move) / ms / 1e6;
    }
    for (const record::TensorInstruction& instruction : record::kTensorInstructions) {
      if (rung->id() != instruction.probe) continue;
      for (const Problem& asked : problems) {
        const std::string type = record::tensor_type(asked);
        auto& by_type = found.*instruction.tflops;
        if (type.empty() || by_type.contains(type)) continue;
        if (const double most = tflops(large(asked, 4096)); most > 0) by_type[type] = most;
      }
    }
    ++now;
  }
  return found;
}

}  // namespace cairn::lab::measure
