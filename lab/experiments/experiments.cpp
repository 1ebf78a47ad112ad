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
      {"double-buffer", "When is a second buffer a loss, and what is the loss made of?", true,
       double_buffer_experiment},
      {"layout", "What is a leading dimension, and how does a column-major API serve row-major matrices?", false,
       layout_experiment},
      {"precision", "How far is a product from the exact one, by type, and how does that grow with K?", false,
       precision_experiment, false, true},
      {"timing", "Do events around a launch, our stopwatch and the profiler tell the same story?", true,
       timing_experiment},
      {"tiny-code", "Does it matter how a copy loop and a thread's number are written, and why?", true,
       tiny_code_experiment},
      {"transpose", "Does the order of two transposes depend on the assembler's optimizer?", true,
       transpose_experiment},
      {"vectorize", "Why do float4 copies hurt rungs 05 and 07 and help 10 and 12?", true, vectorize_experiment},
  };
  return kAll;
}

}  // namespace cairn::lab
