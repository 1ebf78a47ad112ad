// Experiments: questions about matrix multiplication, answered by running something. An explicit list; a new
// experiment is a file here and a line in experiments.cpp.
#pragma once

#include <span>
#include <string_view>

#include "lab/table.hpp"

namespace cairn::lab {

struct Findings {
  Report report;      // the text, and a table of what was claimed and found
  bool holds = true;  // false if anything claimed turned out otherwise
};

struct Experiment {
  std::string_view name;
  std::string_view question;
  Findings (*run)();
};

std::span<const Experiment> experiments();

Findings layout_experiment();

}  // namespace cairn::lab
