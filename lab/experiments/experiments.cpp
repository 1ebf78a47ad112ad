#include "lab/experiments/experiments.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lab/exit.hpp"

namespace cairn::lab {
namespace {

// "tiny_code" of "tiny-code".
std::string file_name(std::string_view experiment) {
  std::string name(experiment);
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace

void Conditions::go_on(const std::string& what, double share) const {
  if (progress && !progress(what, share)) throw Error(kInterrupted, "interrupted before there was anything to say");
}

Report Findings::in_full() const {
  Report full = report;
  for (const auto& sentences : {conclusions, notes})
    full.after.insert(full.after.end(), sentences.begin(), sentences.end());
  return full;
}

std::string Experiment::record_file() const { return fmt::format("results/h200/{}.json", file_name(name)); }

std::string Experiment::page() const { return fmt::format("docs/lab/{}.md", file_name(name)); }

std::span<const Experiment> experiments() {
  static constexpr Experiment kAll[] = {
      {"banks", "Which patterns of a warp collide in shared memory, and what do padding and swizzle do about it?",
       false, banks_experiment, true},
      {"double-buffer", "When is a second buffer a loss, and what is the loss made of?", true,
       double_buffer_experiment, false, false, recorded_double_buffer},
      {"layout", "What is a leading dimension, and how does a column-major API serve row-major matrices?", false,
       layout_experiment},
      {"precision", "How far is a product from the exact one, by type, and how does that grow with K?", false,
       precision_experiment, false, true, recorded_precision, precision_picture, precision_table},
      {"timing", "Do events around a launch, our stopwatch and the profiler tell the same story?", true,
       timing_experiment, false, false, recorded_timing},
      {"tiny-code", "Does it matter how a copy loop and a thread's number are written, and why?", true,
       tiny_code_experiment, false, false, recorded_tiny_code},
      {"transpose", "Does the order of two transposes depend on the assembler's optimizer?", true,
       transpose_experiment, false, false, recorded_transpose},
      {"vectorize", "Why do float4 copies hurt rungs 05 and 07 and help 10 and 12?", true, vectorize_experiment,
       false, false, recorded_vectorize},
  };
  return kAll;
}

const Experiment* find_experiment(std::string_view name) {
  for (const Experiment& experiment : experiments()) {
    if (experiment.name == name) return &experiment;
  }
  return nullptr;
}

}  // namespace cairn::lab
