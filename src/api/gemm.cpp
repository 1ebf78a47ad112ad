// The C++ entry points: check, plan, run.
#include <string>
#include <utility>

#include "cairn/cairn.hpp"
#include "cairn/version.h"
#include "src/api/guard.hpp"
#include "src/api/handle.hpp"
#include "src/dispatch/check.hpp"
#include "src/dispatch/normalize.hpp"
#include "src/dispatch/plan.hpp"

#define CAIRN_TEXT(x) #x
#define CAIRN_VERSION_TEXT(major, minor, patch) CAIRN_TEXT(major) "." CAIRN_TEXT(minor) "." CAIRN_TEXT(patch)

namespace cairn {
namespace {

Status not_open() { return {Code::invalid_argument, "handle is not open; open it with Handle::open"}; }

const Plan::Impl& empty_plan() {
  static const Plan::Impl empty;
  return empty;
}

Status run_checked(Handle::Impl& handle, const Plan::Impl& plan, double alpha, const void* A, const void* B,
                   double beta, void* C) {
  const Problem& p = plan.asked;
  const Call call = dispatch::with_rounded_scalars({p, alpha, A, B, beta, C});
  if (auto s = dispatch::check_pointers(call); !s.ok()) return s;
  if (p.m == 0 || p.n == 0 || p.batch == 0) return {};
  void* workspace = nullptr;
  if (auto s = handle.workspace(plan.workspace, workspace); !s.ok()) return s;
  return handle.machine->run_here([&] { return dispatch::execute(plan, call, workspace, handle.stream); });
}

Status make_plan(const Handle& handle, const Problem& problem, std::shared_ptr<const Plan::Impl>& out) {
  if (!handle.is_open()) return not_open();
  if (auto s = dispatch::check(problem); !s.ok()) return s;
  return dispatch::make_plan(handle.impl()->machine->facts(), problem, out);
}

}  // namespace

Plan::Plan() noexcept = default;
Plan::~Plan() = default;
Plan::Plan(const Plan&) noexcept = default;
Plan& Plan::operator=(const Plan&) noexcept = default;

const Problem& Plan::problem() const noexcept { return (impl_ ? *impl_ : empty_plan()).asked; }
const std::string& Plan::id() const noexcept { return (impl_ ? *impl_ : empty_plan()).id; }
const std::string& Plan::tile() const noexcept { return (impl_ ? *impl_ : empty_plan()).tile_name; }
const std::string& Plan::why() const noexcept { return (impl_ ? *impl_ : empty_plan()).why; }
std::size_t Plan::workspace_bytes() const noexcept { return (impl_ ? *impl_ : empty_plan()).workspace; }

Status plan(const Handle& handle, const Problem& problem, Plan& out) noexcept {
  return api::guarded([&] { return make_plan(handle, problem, out.impl_); });
}

Status run(Handle& handle, const Plan& plan, double alpha, const void* A, const void* B, double beta,
           void* C) noexcept {
  return api::guarded([&]() -> Status {
    if (!handle.is_open()) return not_open();
    if (plan.impl() == nullptr) return {Code::invalid_argument, "plan is empty; make it with cairn::plan"};
    if (plan.impl()->device != handle.device()) {
      return {Code::invalid_argument, "plan was made for device " + std::to_string(plan.impl()->device) +
                                          "; the handle is on device " + std::to_string(handle.device())};
    }
    return run_checked(*handle.impl(), *plan.impl(), alpha, A, B, beta, C);
  });
}

Status gemm(Handle& handle, const Problem& problem, double alpha, const void* A, const void* B, double beta,
            void* C) noexcept {
  return api::guarded([&]() -> Status {
    std::shared_ptr<const Plan::Impl> plan;
    if (auto s = make_plan(handle, problem, plan); !s.ok()) return s;
    return run_checked(*handle.impl(), *plan, alpha, A, B, beta, C);
  });
}

Status workspace_size(const Handle& handle, const Problem& problem, std::size_t& bytes) noexcept {
  return api::guarded([&]() -> Status {
    std::shared_ptr<const Plan::Impl> plan;
    if (auto s = make_plan(handle, problem, plan); !s.ok()) return s;
    bytes = plan->workspace;
    return {};
  });
}

const char* version() noexcept {
  return CAIRN_VERSION_TEXT(CAIRN_VERSION_MAJOR, CAIRN_VERSION_MINOR, CAIRN_VERSION_PATCH);
}

}  // namespace cairn
