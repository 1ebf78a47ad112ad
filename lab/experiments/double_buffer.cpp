// The experiment "double-buffer": when is a second buffer a loss, and why? The rungs show that it happens; one kernel
// with one or two buffers, compiled and run for one or two blocks on an SM, shows what it happens with.
#include <string>

#include "lab/experiments/double_buffer_findings.hpp"
#include "lab/experiments/study.hpp"

namespace cairn::lab {
namespace {

struct Pair {
  const char *before, *after;
  Steps BufferSteps::*kind;
};
// kernels/double_buffer.cu says what each variant is.
constexpr Pair kPairs[] = {
    {"lab/double_buffer", "lab/double_buffer@1", &BufferSteps::doubled},
    {"lab/double_buffer@2", "lab/double_buffer@3", &BufferSteps::doubled},
    {"lab/double_buffer@4", "lab/double_buffer@5", &BufferSteps::doubled},
    {"lab/double_buffer@6", "lab/double_buffer@7", &BufferSteps::doubled},
    {"lab/double_buffer@8", "lab/double_buffer@9", &BufferSteps::doubled},
    {"lab/double_buffer@10", "lab/double_buffer@11", &BufferSteps::doubled},
    {"lab/double_buffer@12", "lab/double_buffer@13", &BufferSteps::doubled},
    {"lab/double_buffer", "lab/double_buffer@2", &BufferSteps::alone},
    {"lab/double_buffer@1", "lab/double_buffer@3", &BufferSteps::alone},
    {"lab/double_buffer@4", "lab/double_buffer@1", &BufferSteps::mended},
    {"lab/double_buffer@12", "lab/double_buffer@11", &BufferSteps::mended},
};

BufferSteps steps(const Study& study, const Problem& problem) {
  BufferSteps out;
  for (const Pair& pair : kPairs) {
    const Studied *before = study.find(pair.before, problem), *after = study.find(pair.after, problem);
    if (before == nullptr || after == nullptr) continue;
    (out.*pair.kind).push_back({before->timed(), after->timed(), before->facts, after->facts});
  }
  for (const Studied& one : study.all()) {
    if (one.name.starts_with("simt/") && one.row.timed()) out.rungs.push_back(one.timed());
  }
  return out;
}

Findings concluded(const Study& study) {
  auto shown = kernel_columns();
  shown.insert(shown.end(), {{"occupancy_achieved", "occupancy %", 1},
                             {"inst_executed", "instructions"},
                             {"fma_pipe", "FMA busy %", 1},
                             {"local_load_sectors", "local sectors"},
                             {"stall_long_scoreboard", "wait global", 2},
                             {"stall_short_scoreboard", "wait shared", 2},
                             {"stall_barrier", "wait barrier", 2},
                             {"stall_not_selected", "not chosen", 2}});
  return study.findings(shown, compare_buffers(steps(study, study.problems().at(0))));
}

}  // namespace

Findings double_buffer_experiment(const Conditions& conditions) {
  Study study(
      {.rungs = {"simt/15@*", "simt/17@*", "simt/19@*", "simt/20@*", "simt/21@*"},
       .card = "lab/double_buffer",
       .shapes = {{4096, 4096, 4096}},
       .counters = {"occupancy_achieved", "inst_executed", "fma_pipe", "local_load_sectors", "stall_long_scoreboard",
                    "stall_short_scoreboard", "stall_barrier", "stall_not_selected"}},
      conditions);
  study.run(conditions);
  return concluded(study);
}

Findings recorded_double_buffer(const record::LabRecord& record) { return concluded(Study(record)); }

}  // namespace cairn::lab
