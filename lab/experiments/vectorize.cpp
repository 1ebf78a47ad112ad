// The experiment "vectorize": float4 copies lose in rungs 05 and 07 and win in 10 and 12. Those pairs change two
// things at once, or a third; control kernels change one at a time.
#include <string>

#include <fmt/format.h>

#include "lab/experiments/study.hpp"
#include "lab/experiments/vectorize_findings.hpp"

namespace cairn::lab {
namespace {

// Two kernels by name, and where the step between them belongs.
struct Pair {
  const char *before, *after;
  Steps WidthSteps::*kind;
};
constexpr Pair kPairs[] = {
    {"simt/04", "simt/05", &WidthSteps::rungs_idle},
    {"simt/06", "simt/07", &WidthSteps::rungs_idle},
    {"simt/09", "simt/10", &WidthSteps::rungs_busy},
    {"simt/11@1", "simt/12", &WidthSteps::rungs_busy},  // the same tile
    // kernels/vectorize.cu says what each variant is.
    {"lab/vectorize", "lab/vectorize@1", &WidthSteps::both},
    {"lab/vectorize@6", "lab/vectorize@7", &WidthSteps::both},
    {"lab/vectorize@3", "lab/vectorize@4", &WidthSteps::wider},
    {"lab/vectorize@9", "lab/vectorize@10", &WidthSteps::wider},
    {"lab/vectorize", "lab/vectorize@2", &WidthSteps::idler},
    {"lab/vectorize@4", "lab/vectorize@5", &WidthSteps::idler},
    {"lab/vectorize@6", "lab/vectorize@8", &WidthSteps::idler},
    {"lab/vectorize@10", "lab/vectorize@11", &WidthSteps::idler},
};

// What the profiler's counters are for people: requests of a warp, and what one of them moves.
void add_ratios(Studied& one) {
  const auto quotient = [&](const char* name, double of, double by) {
    if (of > 0 && by > 0) one.facts[name] = of / by;
  };
  const auto get = [&](const char* name) {
    const auto found = one.facts.find(name);
    return found == one.facts.end() ? 0 : found->second;  // none of these is 0 where it was counted
  };
  quotient("global_loads_a_warp", get("global_load_requests"), get("grid_blocks") * get("threads") / 32);
  quotient("sectors_a_load", get("global_load_sectors"), get("global_load_requests"));
  quotient("wavefronts_a_shared_load", get("shared_load_wavefronts"), get("shared_load_requests"));
}

WidthSteps steps(const Study& study, const Problem& problem) {
  WidthSteps out;
  for (const Pair& pair : kPairs) {
    const Studied *before = study.find(pair.before, problem), *after = study.find(pair.after, problem);
    if (before == nullptr || after == nullptr) continue;
    (out.*pair.kind).push_back({before->timed(), after->timed(), before->facts, after->facts});
  }
  return out;
}

Findings concluded(const Study& study) {
  auto shown = kernel_columns();
  shown.insert(shown.end(), {{"global_loads_a_warp", "loads/warp", 1},
                             {"sectors_a_load", "sectors/load", 2},
                             {"shared_load_requests", "shared loads"},
                             {"wavefronts_a_shared_load", "wavefronts/load", 2},
                             {"inst_executed", "instructions"},
                             {"stall_long_scoreboard", "wait global", 2},
                             {"stall_short_scoreboard", "wait shared", 2},
                             {"stall_barrier", "wait barrier", 2},
                             {"stall_mio_throttle", "queue shared", 2},
                             {"stall_lg_throttle", "queue global", 2}});
  for (const char* key :
       {"stall_not_selected", "shared_load_wavefronts", "shared_store_wavefronts", "global_load_sectors"})
    shown.push_back({key, "", 2, Audience::machines});
  std::vector<std::string> conclusions;
  for (const Problem& problem : study.problems()) {
    for (std::string& sentence : compare_widths(steps(study, problem))) {
      conclusions.push_back(fmt::format("{}: {}", problem.brief(), sentence));
    }
  }
  return study.findings(shown, std::move(conclusions));
}

}  // namespace

Findings vectorize_experiment(const Conditions& conditions) {
  Study study(
      {.rungs = {"simt/04", "simt/05", "simt/06", "simt/07", "simt/09", "simt/10", "simt/11@1", "simt/12"},
       .card = "lab/vectorize",
       .shapes = {{4096, 4096, 4096}, {1024, 1024, 1024}},
       .counters = {"global_load_requests", "global_load_sectors", "shared_load_requests", "shared_load_wavefronts",
                    "shared_store_wavefronts", "inst_executed", "stall_long_scoreboard", "stall_short_scoreboard",
                    "stall_barrier", "stall_mio_throttle", "stall_lg_throttle", "stall_not_selected"}},
      conditions);
  study.run(conditions);
  study.each(add_ratios);
  return concluded(study);
}

Findings recorded_vectorize(const record::LabRecord& record) { return concluded(Study(record)); }

}  // namespace cairn::lab
