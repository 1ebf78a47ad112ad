#include "lab/experiments/experiments.hpp"

namespace cairn::lab {

std::span<const Experiment> experiments() {
  static constexpr Experiment kAll[] = {
      {"layout", "What is a leading dimension, and how does a column-major API serve row-major matrices?",
       layout_experiment},
  };
  return kAll;
}

}  // namespace cairn::lab
