// The text of Plan::why(). A plan keeps only the winning choice, so the other forecasts are computed again here; they
// are the same, since a card's answer depends on the problem and the device alone.
#include <cstdio>
#include <utility>
#include <vector>

#include "src/dispatch/plan.hpp"

namespace cairn::dispatch {
namespace {

std::string number(double us) {
  char text[32];
  (void)std::snprintf(text, sizeof text, us < 100 ? "%.2f" : "%.1f", us);
  return text;
}

// "12.31 µs: launch 1.35, main loop (L2) 9.21, epilogue 1.75"
std::string sum(const Forecast& forecast) {
  std::string text = number(forecast.us()) + " µs";
  const char* before = ": ";
  for (const Forecast::Term& term : forecast) {
    text += before + std::string(term.name) + " " + number(term.us);
    before = ", ";
  }
  return text;
}

std::string explain_cpu(const Plan::Impl& plan) {
  std::string why;
  bool before = true;  // the chosen one
  for (const cpu::Backend* backend : cpu::backends()) {
    const std::string reason = backend->refuses(plan.row), id(backend->id);
    if (backend == plan.backend) {
      why += id + ": chosen, the first in order of speed that takes this problem; " + std::to_string(plan.workspace) +
             " bytes of workspace\n";
      before = false;
    } else if (!reason.empty()) {
      why += id + ": ruled out, " + reason + "\n";
    } else if (!before) {
      why += id + ": not needed, " + std::string(plan.backend->id) + " is preferred\n";
    }
  }
  return why;
}

std::string explain_best(const Plan::Impl& plan) {
  const auto& [rung, choice, aligned] = plan.best;
  std::string why = std::string(rung->id) + ": chosen, ";
  if (rung->choose == nullptr) {
    why += "the highest rung that takes this problem; no rung with a forecast takes it";
  } else {
    why += "the shortest forecast, " + number(choice.forecast.us()) + " µs";
  }
  why += "; tile " + std::string(rung->tile_name(choice.tile).text);
  if (*choice.preference != '\0') why += ", the " + std::string(choice.preference);
  why += "; " + std::to_string(choice.scratch_bytes) + " bytes of workspace\n";
  for (int tile = 0; rung->choose != nullptr && tile < rung->tiles; ++tile) {
    why += "  " + std::string(rung->tile_name(tile).text) + ", " +
           sum(candidate(*rung, plan.row, plan.gpu, tile).choice.forecast) + "\n";
  }
  return why;
}

std::string explain_fallback(const Plan::Impl& plan) {
  const auto& [rung, choice, aligned] = plan.fallback;
  return std::string(rung->id) + ": fallback for A or B that does not begin at a multiple of " +
         std::to_string(plan.best.rung->pointer_alignment) + " bytes" +
         (rung == plan.best.rung ? ", which it packs first" : "") + "; tile " + rung->tile_name(choice.tile).text +
         ", " + sum(choice.forecast) + "; " + std::to_string(choice.scratch_bytes) + " bytes of workspace\n";
}

// From the top of the ladder.
std::string explain_gpu(const Plan::Impl& plan) {
  std::string why;
  const Ladder ladder = ladder_of(plan.kind);
  for (auto it = ladder.rbegin(); it != ladder.rend(); ++it) {
    const Rung& rung = **it;
    if (rung.kind != RungKind::gemm) continue;
    if (&rung == plan.best.rung) why += explain_best(plan);
    if (&rung == plan.fallback.rung) why += explain_fallback(plan);
    if (&rung == plan.best.rung || &rung == plan.fallback.rung) continue;
    why += std::string(rung.id) + ": ";
    if (const std::string reason = why_not(rung, plan.row, plan.gpu); !reason.empty()) {
      why += "ruled out, " + reason + "\n";
    } else if (rung.choose != nullptr) {
      why += "a longer forecast, " + sum(candidate(rung, plan.row, plan.gpu).choice.forecast) + "\n";
    } else {
      why += "no forecast, so it runs only where no rung with one does\n";
    }
  }
  return why;
}

}  // namespace

Plan::Impl::Words explain(const Plan::Impl& plan) {
  Plan::Impl::Words words;
  words.why = plan.asked.brief() + " on " + plan.device_name + "\n";
  if (plan.asked.order == Order::column) words.why += "column-major: run as row-major " + plan.row.brief() + "\n";
  words.why += plan.kind == runtime::Kind::cpu ? explain_cpu(plan) : explain_gpu(plan);
  if (plan.backend != nullptr) words.id = plan.backend->id;
  if (plan.best.rung == nullptr) return words;
  words.id = plan.best.rung->id;
  words.tile = plan.best.rung->tile_name(plan.best.choice.tile).text;
  return words;
}

}  // namespace cairn::dispatch
