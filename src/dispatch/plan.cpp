#include "src/dispatch/plan.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/dispatch/choose.hpp"
#include "src/dispatch/normalize.hpp"

namespace cairn::dispatch {
namespace {

// Who refused and why, in one line: reasons that many share are told once.
class Refusals {
 public:
  void add(const std::string& id, const std::string& reason) {
    for (auto& [told, ids] : by_reason_) {
      if (told == reason) return ids.push_back(id);
    }
    by_reason_.push_back({reason, {id}});
  }
  std::string text() const {
    std::string all;
    for (const auto& [reason, ids] : by_reason_) {
      all += (all.empty() ? "" : "; ") + ids.back() +
             (ids.size() > 2    ? " … "
              : ids.size() == 2 ? ", "
                                : "") +
             (ids.size() > 1 ? ids.front() : "") + ": " + reason;
    }
    return all.empty() ? "there is none" : all;
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason_;
};

Status plan_cpu(Plan::Impl& plan) {
  Refusals refusals;
  for (const cpu::Backend* candidate : cpu::backends()) {
    const std::string id(candidate->id);
    if (plan.backend != nullptr) {
      plan.why += id + ": not needed, " + plan.id + " is preferred\n";
      continue;
    }
    if (const std::string reason = candidate->refuses(plan.row); !reason.empty()) {
      plan.why += id + ": ruled out, " + reason + "\n";
      refusals.add(id, reason);
      continue;
    }
    plan.backend = candidate;
    plan.id = id;
    plan.workspace = candidate->workspace(plan.row);
    plan.why += id + ": chosen, the first in order of speed that takes this problem; " +
                std::to_string(plan.workspace) + " bytes of workspace\n";
  }
  if (plan.backend != nullptr) return {};
  return {Code::unsupported, "no CPU backend takes " + plan.asked.brief() + ": " + refusals.text()};
}

// The ladder from the top: the highest rung that takes the problem.
Status plan_rung(const runtime::Facts& device, Plan::Impl& plan) {
  Refusals refusals;
  const Ladder ladder = ladder_of(device.kind);
  for (auto rung = ladder.rbegin(); rung != ladder.rend(); ++rung) {
    const Rung& candidate = **rung;
    if (candidate.kind != RungKind::gemm) continue;
    const std::string id(candidate.id);
    // hopper/51 takes any pointer too, but it is the first step of its trail, and tensor/39 the last of the one
    // before.
    const bool any_pointer = candidate.pointer_alignment == 1 && !candidate.only_arch;
    if (plan.rung != nullptr && (plan.rung->pointer_alignment == 1 || plan.other != nullptr || !any_pointer)) {
      plan.why += id + ": not needed, " + plan.id + " stands higher\n";
      continue;
    }
    if (const std::string reason = refuses(candidate, plan.row, device); !reason.empty()) {
      plan.why += id + ": ruled out, " + reason + "\n";
      refusals.add(id, reason);
      continue;
    }
    if (plan.rung != nullptr) {
      plan.other = &candidate;
      plan.workspace = std::max(plan.workspace, scratch_bytes(candidate, 0, plan.row, device.units));
      plan.why += id + ": stands by, for A and B that do not begin at multiples of " +
                  std::to_string(plan.rung->pointer_alignment) + " bytes\n";
      continue;
    }
    plan.rung = &candidate;
    plan.id = id;
    plan.tile = candidate.pick != nullptr ? candidate.pick(plan.row, device.units) : 0;
    Choice choice;
    if (candidate.shape != nullptr) choice = choose(candidate, plan.row, device.units), plan.tile = choice.tile;
    plan.tile_name = candidate.tile_name(plan.tile).text;
    plan.workspace = scratch_bytes(candidate, plan.tile, plan.row, device.units);
    plan.why += id + ": chosen, the highest rung that takes this problem; tile " + plan.tile_name +
                (candidate.pick != nullptr ? ", which fits its size best" : "") +
                (candidate.shape != nullptr ? ", " : "") + choice.reason + "; " + std::to_string(plan.workspace) +
                " bytes of workspace\n" + choice.why;
  }
  // Where nobody stands by, the rung copies operands that begin elsewhere, and there is memory for that.
  if (plan.rung != nullptr && plan.rung->copies && plan.other == nullptr) {
    plan.workspace =
        std::max(plan.workspace, scratch_bytes_off_the_grid(*plan.rung, plan.tile, plan.row, device.units));
    plan.why += plan.id + ": copies A and B that do not begin at multiples of " +
                std::to_string(plan.rung->pointer_alignment) + " bytes; with that, " +
                std::to_string(plan.workspace) + " bytes of workspace\n";
  }
  if (plan.rung != nullptr) return {};
  return {Code::unsupported, "no rung takes " + plan.asked.brief() + ": " + refusals.text()};
}

}  // namespace

Status make_plan(const runtime::Facts& device, const Problem& problem, std::shared_ptr<const Plan::Impl>& out) {
  auto plan = std::make_shared<Plan::Impl>();
  plan->asked = problem;
  plan->row = to_row(problem);
  plan->device = device.device;
  plan->units = device.units;
  plan->why = problem.brief() + " on " + device.name + "\n";
  if (problem.order == Order::column) plan->why += "column-major: run as row-major " + plan->row.brief() + "\n";

  const bool on_cpu = device.kind == runtime::Kind::cpu;
  if (auto s = on_cpu ? plan_cpu(*plan) : plan_rung(device, *plan); !s.ok()) return s;
  out = std::move(plan);
  return {};
}

Status execute(const Plan::Impl& plan, const Call& call, void* workspace, runtime::Stream stream) {
  const std::span<std::byte> scratch(static_cast<std::byte*>(workspace), plan.workspace);
  if (plan.rung != nullptr) {
    const Call row = to_row(call);
    if (plan.other != nullptr && !on_the_grid(*plan.rung, row)) {
      return run(*plan.other, 0, row, plan.units, scratch, stream);
    }
    return run(*plan.rung, plan.tile, row, plan.units, scratch, stream);
  }
  return plan.backend->run(to_row(call), scratch);
}

}  // namespace cairn::dispatch
