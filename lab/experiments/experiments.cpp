#include "lab/experiments/experiments.hpp"

#include "lab/exit.hpp"

namespace cairn::lab {

void Conditions::go_on(const std::string& what, double share) const {
  if (progress && !progress(what, share)) throw Error(kInterrupted, "interrupted before there was anything to say");
}

std::span<const Experiment> experiments() {
  static constexpr Experiment kAll[] = {
      {"banks", "Which patterns of a warp collide in shared memory, and what do padding and swizzle do about it?",
       false, banks_experiment, true},
      {"layout", "What is a leading dimension, and how does a column-major API serve row-major matrices?", false,
       layout_experiment},
      {"timing", "Do events around a launch, our stopwatch and the profiler tell the same story?", true,
       timing_experiment},
      {"transpose", "Does the order of two transposes depend on the assembler's optimizer?", true,
       transpose_experiment},
  };
  return kAll;
}

}  // namespace cairn::lab
