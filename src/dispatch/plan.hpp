// Planning: which backend or rung runs a problem on a device. Of the rungs that take it, the one with the shortest
// forecast (kernels/choice.hpp). Planning makes no strings; the text of why() is made when it is first asked for.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "cairn/cairn.hpp"
#include "runtime/runtime.hpp"
#include "src/cpu/backend.hpp"
#include "src/dispatch/candidate.hpp"
#include "src/dispatch/f32.hpp"

namespace cairn {

inline constexpr std::int64_t kInvariantLike = 128;  // rows, or columns, for which invariant problems are planned

struct Plan::Impl {
  Problem asked;
  Problem row;  // `asked`, row-major, and computed as split if somebody asks for that and it can be
  runtime::Kind kind = runtime::Kind::cpu;
  int device = kCpu;
  std::string device_name;
  Device gpu;                             // what the forecasts are for
  const cpu::Backend* backend = nullptr;  // on the CPU
  dispatch::Candidate best;               // on a GPU, emulated or not
  dispatch::Candidate fallback;           // if A or B is misaligned for `best`; no rung where none is needed
  std::size_t workspace = 0;              // bytes, the most that run() may take
  bool named = false;                     // `best` was asked for by name
  dispatch::SplitBy split_by = dispatch::SplitBy::nobody;  // who asks for f32 as split, if `asked` listens

  struct Words {
    std::string id, tile, why;
  };
  // Made on the first call and shared by all threads; empty if there is no memory for them.
  const Words& words() const noexcept;

 private:
  mutable std::once_flag once_;
  mutable Words words_;
};

namespace dispatch {

// `problem` has passed check(). `split_by` asks for it as split.
Status make_plan(const runtime::Facts& device, const Problem& problem, std::shared_ptr<const Plan::Impl>& out,
                 SplitBy split_by = SplitBy::nobody);
// The same with a rung by name (find_rung()), if it takes the problem.
Status make_named_plan(const runtime::Facts& device, const Problem& problem, std::string_view rung,
                       std::shared_ptr<const Plan::Impl>& out, SplitBy split_by = SplitBy::nobody);

// On a GPU: `best`, or `fallback` if A or B is misaligned for it.
const Candidate& candidate_for(const Plan::Impl& plan, const RungArgs& args);

// Every candidate with its forecast, or what ruled it out.
Plan::Impl::Words explain(const Plan::Impl& plan);

}  // namespace dispatch
}  // namespace cairn
