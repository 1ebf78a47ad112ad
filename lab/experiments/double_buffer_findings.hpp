// One buffer against two: what the second does to the time, by what it takes away from the SM.
#pragma once

#include <string>
#include <vector>

#include "lab/experiments/steps.hpp"

namespace cairn::lab {

struct BufferSteps {
  Steps doubled;             // from one buffer to two, nothing else changed in the source
  Steps alone;               // the same code, with one block fewer on an SM
  Steps mended;              // from one buffer to two, compiled for the blocks that one buffer had
  std::vector<Timed> rungs;  // single-buffered and others, to be put in order
};

// Sentences: where two buffers win and where they lose, whether the losses are where a block or registers were lost,
// what a block is worth alone, and what is left of a loss when its cause is removed.
std::vector<std::string> compare_buffers(const BufferSteps& steps);

}  // namespace cairn::lab
