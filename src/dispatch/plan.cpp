#include "src/dispatch/plan.hpp"

#include <algorithm>
#include <utility>

#include "src/dispatch/named.hpp"
#include "src/dispatch/normalize.hpp"

namespace cairn::dispatch {
namespace {

Status plan_cpu(Plan::Impl& plan) {
  for (const cpu::Backend* backend : cpu::backends()) {  // in order of speed
    if (!backend->refuses(plan.row).empty()) continue;
    plan.backend = backend;
    plan.workspace = backend->workspace(plan.row);
    return {};
  }
  return {Code::unsupported, "no CPU backend takes " + plan.asked.brief()};
}

bool any_rung(const Rung&) { return true; }

// Of the rungs with a forecast that take the problem and that `fits` admits, the one with the shortest; null if none.
template <class Fits> Candidate shortest(const Plan::Impl& plan, bool aligned, Fits fits) {
  Candidate best;
  for (const Rung* rung : ladder_of(plan.kind)) {
    if (rung->choose == nullptr || !fits(*rung) || refusal(*rung, plan.row, plan.gpu) != Refusal::none) continue;
    const Candidate found = candidate(*rung, plan.row, plan.gpu, kAnyTile, aligned);
    if (best.rung == nullptr || found.choice.forecast.us() < best.choice.forecast.us()) best = found;
  }
  return best;
}

// The highest rung of the ladder that takes the problem, for problems that no rung with a forecast takes.
template <class Fits> Candidate highest(const Plan::Impl& plan, Fits fits) {
  const Ladder ladder = ladder_of(plan.kind);
  for (auto rung = ladder.rbegin(); rung != ladder.rend(); ++rung) {
    if ((*rung)->kind == RungKind::gemm && fits(**rung) && refusal(**rung, plan.row, plan.gpu) == Refusal::none)
      return candidate(**rung, plan.row, plan.gpu);
  }
  return {};
}

// What runs if A or B is misaligned for `best`: a rung that takes any pointer, or one that packs operands first.
Candidate fallback_for(const Plan::Impl& plan) {
  if (plan.best.rung->pointer_alignment == 1) return {};
  return shortest(plan, false, [](const Rung& rung) { return rung.pointer_alignment == 1 || rung.copies; });
}

// The rung that comes closest to taking the problem, and why it refuses. refusal() checks types first and strides
// last, so the rung whose refusal comes last in that order meets the most conditions.
std::string closest_refusal(const Plan::Impl& plan) {
  const Rung* closest = nullptr;
  Refusal last = Refusal::none;
  for (const Rung* rung : ladder_of(plan.kind)) {
    const Refusal found = refusal(*rung, plan.row, plan.gpu);
    if (rung->kind != RungKind::gemm || found < last) continue;
    closest = rung, last = found;
  }
  if (closest == nullptr) return "this build has no kernels for it";
  return "the closest, " + std::string(closest->id) + ": " + why_not(*closest, plan.row, plan.gpu);
}

// The rung and the tile of an invariant problem are those of a problem with kInvariantLike rows (or columns), one
// product and packed matrices: n and k, the types and the layout decide, and neither the number of rows, nor their leading
// dimension, nor where A and B begin. The rung has to take all of those.
Problem like(const Problem& row) {
  Problem p = row;
  p.batch = 1, p.stride_bias = 0;
  (row.invariant == Invariant::rows ? p.m : p.n) = kInvariantLike;
  p.pack();
  return p;
}
void plan_invariant(Plan::Impl& plan) {
  const auto takes_any = [](const Rung& rung) {
    return rung.row_alignment == 1 && (rung.pointer_alignment == 1 || rung.copies);
  };
  Plan::Impl usual;
  usual.row = like(plan.row), usual.kind = plan.kind, usual.gpu = plan.gpu;
  const Candidate found = shortest(usual, true, takes_any);
  plan.best = found.rung == nullptr ? highest(plan, takes_any)
                                    : candidate(*found.rung, plan.row, plan.gpu, found.choice.tile);
  if (found.rung != nullptr && found.rung->pointer_alignment > 1)
    plan.fallback = candidate(*found.rung, plan.row, plan.gpu, found.choice.tile, false);
}

Status plan_gpu(Plan::Impl& plan) {
  const bool invariant = plan.row.invariant != Invariant::none;
  if (invariant) {
    plan_invariant(plan);
  } else {
    plan.best = shortest(plan, true, any_rung);
    if (plan.best.rung == nullptr) plan.best = highest(plan, any_rung);
  }
  if (plan.best.rung == nullptr) {
    return {Code::unsupported,
            "no rung takes " + plan.asked.brief() + " on " + plan.device_name + "; " + closest_refusal(plan)};
  }
  if (!invariant) plan.fallback = fallback_for(plan);
  plan.workspace = std::max(plan.best.choice.scratch_bytes, plan.fallback.choice.scratch_bytes);
  return {};
}

// The rung that the plan's problem is to run by. If A and B must be aligned for it, and it can pack them, the same tile
// does so where they are not.
Status plan_named(Plan::Impl& plan, std::string_view name) {
  if (plan.kind == runtime::Kind::cpu) {
    return {Code::unsupported, "rung is '" + std::string(name) +
                                   "', and rungs run on a GPU or on the emulator; the handle is on " +
                                   plan.device_name};
  }
  NamedRung found;
  if (auto s = find_rung(ladder_of(plan.kind), name, found); !s.ok()) return s;
  const Rung& rung = *found.rung;
  const auto refused = [&](const std::string& why) -> Status {
    return {Code::unsupported, std::string(rung.id) + " does not take " + plan.asked.brief() + ": " + why};
  };
  if (const std::string why = why_not(rung, plan.row, plan.gpu); !why.empty()) return refused(why);
  if (found.tile == kAnyTile && plan.row.invariant != Invariant::none)
    return refused("it would choose another tile for another size; name one, as in " + std::string(name) + "@0");
  plan.best = candidate(rung, plan.row, plan.gpu, found.tile);
  if (rung.finishes != nullptr && !rung.finishes(plan.row, plan.best.choice))
    return refused("tile " + std::to_string(found.tile) + " does not take its epilogue; others of the rung do");
  if (rung.pointer_alignment > 1 && rung.copies)
    plan.fallback = candidate(rung, plan.row, plan.gpu, plan.best.choice.tile, false);
  plan.named = true;
  return {};
}

std::shared_ptr<Plan::Impl> empty_plan(const runtime::Facts& facts, const Problem& problem, SplitBy split_by) {
  auto plan = std::make_shared<Plan::Impl>();
  plan->asked = problem;
  plan->row = with_used_strides(to_row(problem));
  plan->kind = facts.kind;
  plan->split_by = split_by_for(problem, split_by);
  if (plan->split_by != SplitBy::nobody && why_not_split(problem, facts.kind).empty())
    plan->row.compute = Compute::split;
  plan->device = facts.device;
  plan->device_name = facts.name;
  plan->gpu = device_of(facts);
  return plan;
}

}  // namespace

Status make_plan(const runtime::Facts& facts, const Problem& problem, std::shared_ptr<const Plan::Impl>& out,
                 SplitBy split_by) {
  const auto plan = empty_plan(facts, problem, split_by);
  if (auto s = plan->kind == runtime::Kind::cpu ? plan_cpu(*plan) : plan_gpu(*plan); !s.ok()) return s;
  out = plan;
  return {};
}

Status make_named_plan(const runtime::Facts& facts, const Problem& problem, std::string_view rung,
                       std::shared_ptr<const Plan::Impl>& out, SplitBy split_by) {
  const auto plan = empty_plan(facts, problem, split_by);
  if (auto s = plan_named(*plan, rung); !s.ok()) return s;
  plan->workspace = std::max(plan->best.choice.scratch_bytes, plan->fallback.choice.scratch_bytes);
  out = plan;
  return {};
}

const Candidate& candidate_for(const Plan::Impl& plan, const RungArgs& args) {
  return plan.fallback.rung == nullptr || aligned(*plan.best.rung, args) ? plan.best : plan.fallback;
}

}  // namespace cairn::dispatch

const cairn::Plan::Impl::Words& cairn::Plan::Impl::words() const noexcept {
  try {
    std::call_once(once_, [this] { words_ = dispatch::explain(*this); });
  } catch (...) {  // out of memory: the next call tries again
  }
  return words_;
}
