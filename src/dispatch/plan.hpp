// Planning: which backend or kernel runs a problem on a device, and why. Candidates are asked in order of
// preference; each either takes the problem or says what rules it out, and why() keeps what they said.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cairn/cairn.hpp"
#include "runtime/runtime.hpp"
#include "src/cpu/backend.hpp"
#include "src/dispatch/rungs.hpp"

namespace cairn {

struct Plan::Impl {
  Problem asked;
  Problem row;  // `asked`, row-major
  int device = kCpu;
  int units = 0;                          // of it
  const cpu::Backend* backend = nullptr;  // on the CPU
  const Rung* rung = nullptr;             // on a GPU, emulated or not, with one of its tiles
  int tile = 0;
  std::string tile_name;
  const Rung* other = nullptr;  // with its first tile, where A and B do not begin where `rung` wants them to
  std::string id;
  std::string why;
  std::size_t workspace = 0;
};

namespace dispatch {

// `problem` has passed check().
Status make_plan(const runtime::Facts& device, const Problem& problem, std::shared_ptr<const Plan::Impl>& out);

// Runs a checked call by its plan. `workspace` holds plan.workspace bytes.
Status execute(const Plan::Impl& plan, const Call& call, void* workspace, runtime::Stream stream);

}  // namespace dispatch
}  // namespace cairn
