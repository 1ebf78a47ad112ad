// Copies four words at a time instead of one: what that did to the time, with all threads copying and with most of
// them idle.
#pragma once

#include <string>
#include <vector>

#include "lab/experiments/steps.hpp"

namespace cairn::lab {

struct WidthSteps {
  Steps rungs_idle, rungs_busy;  // 04 to 05, 06 to 07; 09 to 10, 11 to 12
  Steps both;                    // of the control kernels: wider, and threads idle
  Steps wider, idler;            // one of the two alone
};

// Sentences: what the rungs do, what each choice does alone, which of them goes with the loss, and the counter that
// does.
std::vector<std::string> compare_widths(const WidthSteps& steps);

}  // namespace cairn::lab
