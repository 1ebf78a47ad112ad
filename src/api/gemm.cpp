// The C++ entry points: check, plan, run.
#include <span>
#include <string>
#include <utility>

#include "cairn/cairn.hpp"
#include "cairn/version.h"
#include "src/api/guard.hpp"
#include "src/api/handle.hpp"
#include "src/dispatch/check.hpp"
#include "src/dispatch/named.hpp"
#include "src/dispatch/normalize.hpp"
#include "src/dispatch/plan.hpp"

#define CAIRN_TEXT(x) #x
#define CAIRN_VERSION_TEXT(major, minor, patch) CAIRN_TEXT(major) "." CAIRN_TEXT(minor) "." CAIRN_TEXT(patch)

namespace cairn {
namespace {

using PlanEntry = dispatch::PlanCache::Entry;

Status not_open() { return {Code::invalid_argument, "handle is not open; open it with Handle::open"}; }

const Plan::Impl& empty_plan() {
  static const Plan::Impl empty;
  return empty;
}

const Plan::Impl::Words& words(const Plan::Impl* plan) {
  static const Plan::Impl::Words none;
  return plan == nullptr ? none : plan->words();
}

// The handle's plan for a problem: from its cache, or a new one.
Status find_plan(Handle::Impl& handle, const Problem& problem, PlanEntry*& out) {
  const dispatch::SplitBy split_by = dispatch::split_by_for(problem, handle.split_by);
  out = handle.plans.find(problem, split_by);
  if (out != nullptr) return {};
  if (auto s = dispatch::check(problem); !s.ok()) return s;
  std::shared_ptr<const Plan::Impl> plan;
  if (auto s = dispatch::make_plan(handle.machine->facts(), problem, plan, split_by); !s.ok()) return s;
  out = &handle.plans.add(std::move(plan));
  return {};
}

Status execute(Handle::Impl& handle, PlanEntry& entry, double alpha, double beta, Operands data) {
  const Plan::Impl& plan = *entry.plan;
  const Problem& row = plan.row;
  alpha = dispatch::rounded_scalar(alpha, row.in), beta = dispatch::rounded_scalar(beta, row.in);
  if (auto s = dispatch::check_pointers(plan.asked, alpha, data); !s.ok()) return s;
  if (row.m == 0 || row.n == 0 || row.batch == 0) return {};
  if (plan.asked.order == Order::column) {  // as in src/dispatch/normalize.hpp
    std::swap(data.A, data.B);
    std::swap(data.scale_a, data.scale_b);
  }
  std::span<std::byte> scratch;
  if (plan.backend != nullptr) {
    if (auto s = handle.workspace(plan.workspace, scratch); !s.ok()) return s;
    return plan.backend->run(
        {row, alpha, data.A, data.B, beta, data.C, data.bias, data.before, data.scale_a, data.scale_b, data.ends},
        scratch);
  }
  RungArgs args{row, alpha, data.A, data.B, beta, data.C, plan.gpu.sms, {}, nullptr, &entry.launch};
  args.bias = data.bias, args.before = data.before;
  args.scale_a = data.scale_a, args.scale_b = data.scale_b, args.ends = data.ends;
  const dispatch::Candidate& chosen = dispatch::candidate_for(plan, args);
  if (auto s = handle.workspace(chosen.choice.scratch_bytes, scratch); !s.ok()) return s;
  args.scratch = scratch;
  const runtime::Here here(*handle.machine);
  return dispatch::launch(chosen, args, handle.stream);
}

}  // namespace

Plan::Plan() noexcept = default;
Plan::~Plan() = default;
Plan::Plan(const Plan&) noexcept = default;
Plan& Plan::operator=(const Plan&) noexcept = default;

const Problem& Plan::problem() const noexcept { return (impl_ ? *impl_ : empty_plan()).asked; }
const std::string& Plan::id() const noexcept { return words(impl_.get()).id; }
const std::string& Plan::tile() const noexcept { return words(impl_.get()).tile; }
const std::string& Plan::why() const noexcept { return words(impl_.get()).why; }
std::size_t Plan::workspace_bytes() const noexcept { return (impl_ ? *impl_ : empty_plan()).workspace; }

Status plan(const Handle& handle, const Problem& problem, Plan& out) noexcept {
  return api::guarded([&]() -> Status {
    if (!handle.is_open()) return not_open();
    PlanEntry* entry = nullptr;
    if (auto s = find_plan(*handle.impl(), problem, entry); !s.ok()) return s;
    out.impl_ = entry->plan;
    return {};
  });
}

Status plan(const Handle& handle, const Problem& problem, std::string_view rung, Plan& out) noexcept {
  return api::guarded([&]() -> Status {
    if (!handle.is_open()) return not_open();
    if (auto s = dispatch::check(problem); !s.ok()) return s;
    std::shared_ptr<const Plan::Impl> made;
    const Handle::Impl& impl = *handle.impl();
    if (auto s = dispatch::make_named_plan(impl.machine->facts(), problem, rung, made, impl.split_by); !s.ok())
      return s;
    out.impl_ = std::move(made);
    return {};
  });
}

std::string_view rung_id(std::size_t index) noexcept { return dispatch::rung_id(index); }

Status run(Handle& handle, const Plan& plan, double alpha, const void* A, const void* B, double beta,
           void* C) noexcept {
  return run(handle, plan, alpha, beta, {.A = A, .B = B, .C = C});
}

Status run(Handle& handle, const Plan& plan, double alpha, double beta, const Operands& operands) noexcept {
  return api::guarded([&]() -> Status {
    if (!handle.is_open()) return not_open();
    if (plan.impl() == nullptr) return {Code::invalid_argument, "plan is empty; make it with cairn::plan"};
    if (plan.impl()->device != handle.device()) {
      return {Code::invalid_argument, "plan was made for device " + std::to_string(plan.impl()->device) +
                                          "; the handle is on device " + std::to_string(handle.device())};
    }
    // The cache has one plan for a problem, the library's own.
    if (plan.impl()->named) {
      PlanEntry named{plan.impl_, {}};
      return execute(*handle.impl(), named, alpha, beta, operands);
    }
    // A plan from another handle is added to this handle's cache, since a launch cache belongs to one handle. It stays
    // what it was made as, whatever this handle's f32 is.
    Handle::Impl& impl = *handle.impl();
    PlanEntry* entry = impl.plans.find(plan.impl()->asked, plan.impl()->split_by);
    if (entry == nullptr) entry = &impl.plans.add(plan.impl_);
    return execute(impl, *entry, alpha, beta, operands);
  });
}

Status gemm(Handle& handle, const Problem& problem, double alpha, const void* A, const void* B, double beta,
            void* C) noexcept {
  return gemm(handle, problem, alpha, beta, {.A = A, .B = B, .C = C});
}

Status gemm(Handle& handle, const Problem& problem, double alpha, double beta, const Operands& operands) noexcept {
  return api::guarded([&]() -> Status {
    if (!handle.is_open()) return not_open();
    PlanEntry* entry = nullptr;
    if (auto s = find_plan(*handle.impl(), problem, entry); !s.ok()) return s;
    return execute(*handle.impl(), *entry, alpha, beta, operands);
  });
}

Status workspace_size(const Handle& handle, const Problem& problem, std::size_t& bytes) noexcept {
  Plan made;
  if (auto s = plan(handle, problem, made); !s.ok()) return s;
  bytes = made.workspace_bytes();
  return {};
}

const char* version() noexcept {
  return CAIRN_VERSION_TEXT(CAIRN_VERSION_MAJOR, CAIRN_VERSION_MINOR, CAIRN_VERSION_PATCH);
}

}  // namespace cairn
