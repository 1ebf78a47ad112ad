// Planning: which backend or rung runs a problem on a device. Of the rungs that take it, the one with the shortest
// forecast (kernels/choice.hpp). Planning makes no text; why() is put into words when somebody asks.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include "cairn/cairn.hpp"
#include "runtime/runtime.hpp"
#include "src/cpu/backend.hpp"
#include "src/dispatch/candidate.hpp"

namespace cairn {

struct Plan::Impl {
  Problem asked;
  Problem row;  // `asked`, row-major
  runtime::Kind kind = runtime::Kind::cpu;
  int device = kCpu;
  std::string device_name;
  Device gpu;                             // what the forecasts are for
  const cpu::Backend* backend = nullptr;  // on the CPU
  dispatch::Candidate best;               // on a GPU, emulated or not
  dispatch::Candidate fallback;           // if A or B is misaligned for `best`; no rung where none is needed
  std::size_t workspace = 0;              // the most that run() may want

  struct Words {
    std::string id, tile, why;
  };
  // Made on the first call, by whichever thread; empty if there is no memory for them.
  const Words& words() const noexcept;

 private:
  mutable std::once_flag once_;
  mutable Words words_;
};

namespace dispatch {

// `problem` has passed check().
Status make_plan(const runtime::Facts& device, const Problem& problem, std::shared_ptr<const Plan::Impl>& out);

// What of a plan runs for these pointers, on a GPU.
const Candidate& candidate_for(const Plan::Impl& plan, const RungArgs& args);

// Every candidate with its forecast, or what ruled it out.
Plan::Impl::Words explain(const Plan::Impl& plan);

}  // namespace dispatch
}  // namespace cairn
