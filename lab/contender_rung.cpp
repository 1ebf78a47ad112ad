#include "lab/contender_rung.hpp"

#include <utility>

#include "src/dispatch/check.hpp"
#include "src/dispatch/normalize.hpp"
#include "src/dispatch/rungs.hpp"

namespace cairn::lab {

RungContender::RungContender(std::shared_ptr<runtime::Machine> machine, const Rung& rung, int tile)
    : machine_(std::move(machine)),
      rung_(rung),
      tile_(tile),
      id_(tile == 0 ? std::string(rung.id) : std::string(rung.id) + "@" + std::to_string(tile)) {}

std::string RungContender::refuses(const Problem& problem) const {
  if (auto s = dispatch::check(problem); !s.ok()) return s.message();
  if (rung_.kind != RungKind::gemm) return "it is no matrix product";
  return dispatch::refuses(rung_, dispatch::to_row(problem), machine_->facts());
}

Status RungContender::run(const Call& call, runtime::Stream stream) {
  if (auto s = dispatch::check_pointers(call); !s.ok()) return s;
  if (call.problem.m == 0 || call.problem.n == 0) return {};
  return dispatch::run(rung_, tile_, dispatch::to_row(dispatch::with_rounded_scalars(call)), stream);
}

void add_rungs(const std::shared_ptr<runtime::Machine>& machine, Contenders& out) {
  for (const Rung* rung : dispatch::ladder_of(machine->facts().kind)) {
    if (rung->kind == RungKind::gemm) out.push_back(std::make_unique<RungContender>(machine, *rung, 0));
  }
}

}  // namespace cairn::lab
