// The result of one run of a rung, or of a user's kernel, under the traced emulator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cairn/types.hpp"
#include "emu/program/wire.hpp"
#include "emu/trace.hpp"
#include "lab/scalars.hpp"

namespace cairn::lab::trace {

struct Traced {
  std::string id;  // "simt/04_block_tile@1"; a file of the user's
  Problem problem;
  std::uint64_t seed = 1;
  emu::Trace trace;
  std::string failure;   // the launch failed or the result is wrong; empty if all is well
  std::string own = {};  // what a kernel of the user's was called with; empty for a rung, which has a problem
  std::vector<emu::program::Buffer> buffers = {};  // of such a kernel
  Scalars scalars = {};                            // of a rung

  std::string brief() const { return own.empty() ? problem.brief() + scalars.text() : own; }
  std::string full() const { return own.empty() ? problem.full() + scalars.text() : own; }
};

using Runs = std::vector<Traced>;

// Whether these are runs of a user's own kernels.
inline bool is_own(const Runs& runs) { return !runs.empty() && !runs.front().own.empty(); }

}  // namespace cairn::lab::trace
