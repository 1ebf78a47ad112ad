// One rung, run once under the traced emulator: what everything in this folder shows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/types.hpp"
#include "emu/trace.hpp"

namespace cairn::lab::trace {

struct Traced {
  std::string id;  // "simt/04_block_tile@1"
  Problem problem;
  std::uint64_t seed = 1;
  emu::Trace trace;
  std::string failure;  // the launch failed or the result is wrong; empty if all is well
};

using Runs = std::vector<Traced>;

}  // namespace cairn::lab::trace
