// The text of Plan::why(). A plan keeps only the winning choice, so the other forecasts are computed again here; they
// are the same, since a card's answer depends on the problem and the device alone.
#include <algorithm>
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

// The tiles of the chosen rung that take the problem, those with the shortest forecasts, and how many others there are.
std::string explain_tiles(const Plan::Impl& plan) {
  constexpr std::size_t most = 8;
  const Rung& rung = *plan.best.rung;
  std::vector<Choice> tiles;
  tiles.reserve(static_cast<std::size_t>(rung.tiles));
  for (int tile = 0; tile < rung.tiles; ++tile) {
    const Choice choice = candidate(rung, plan.row, plan.gpu, tile).choice;
    if (rung.finishes == nullptr || rung.finishes(plan.row, choice)) tiles.push_back(choice);
  }
  std::ranges::stable_sort(tiles, {}, [](const Choice& choice) { return choice.forecast.us(); });
  std::string why;
  for (std::size_t i = 0; i < std::min(tiles.size(), most); ++i)
    why += "  " + std::string(rung.tile_name(tiles[i].tile).text) + ", " + sum(tiles[i].forecast) + "\n";
  if (tiles.size() > most)
    why +=
        "  " + std::to_string(tiles.size() - most) + " others, up to " + number(tiles.back().forecast.us()) + " µs\n";
  return why;
}

std::string explain_best(const Plan::Impl& plan) {
  const auto& [rung, choice, aligned, whole] = plan.best;
  std::string why = std::string(rung->id) + ": chosen, ";
  if (plan.named) {
    why += "asked for by name";
  } else if (rung->choose == nullptr) {
    why += "the highest rung that takes this problem; no rung with a forecast takes it";
  } else if (whole) {
    why += "as for " + std::to_string(kInvariantLike) + " " +
           (plan.row.invariant == Invariant::rows ? "rows" : "columns") +
           ", and no sum is split along k: " + std::string(name(plan.row.invariant)) + " are invariant";
  } else {
    why += "the shortest forecast, " + number(choice.forecast.us()) + " µs";
  }
  why += "; tile " + std::string(rung->tile_name(choice.tile).text);
  if (*choice.preference != '\0') why += ", the " + std::string(choice.preference);
  why += "; " + std::to_string(choice.scratch_bytes) + " bytes of workspace\n";
  if (*rung->rule != '\0') why += "  the data decide: " + std::string(rung->rule) + "\n";
  return rung->choose == nullptr || whole || plan.named ? why : why + explain_tiles(plan);
}

std::string explain_fallback(const Plan::Impl& plan) {
  const auto& [rung, choice, aligned, whole] = plan.fallback;
  return std::string(rung->id) + ": fallback for A or B that does not begin at a multiple of " +
         std::to_string(plan.best.rung->pointer_alignment) + " bytes" +
         (rung == plan.best.rung ? ", which it packs or fetches by threads" : "") + "; tile " +
         rung->tile_name(choice.tile).text + ", " + sum(choice.forecast) + "; " +
         std::to_string(choice.scratch_bytes) + " bytes of workspace\n";
}

// Rungs for which the same is to be said.
struct Group {
  std::string reason;
  std::vector<std::size_t> rungs;  // places among the rungs that multiply, ascending
};

void add(std::vector<Group>& groups, const std::string& reason, std::size_t rung) {
  for (Group& group : groups) {
    if (group.reason == reason) return group.rungs.push_back(rung);
  }
  groups.push_back({reason, {rung}});
}

// "simt/04" of "simt/04_block_tile", and "simt/" of that.
std::string_view short_id(const Rung& rung) { return rung.id.substr(0, rung.id.find('_')); }
std::string_view family(const Rung& rung) { return rung.id.substr(0, rung.id.find('/') + 1); }

// "simt/01–25, tensor/32–33, tensor/40 (26 rungs)": a range is of rungs that follow each other.
std::string listed(const Group& group, const std::vector<const Rung*>& rungs) {
  std::string text;
  const auto& at = group.rungs;
  for (std::size_t i = 0, last = 0; i < at.size(); i = last + 1) {
    const Rung& first = *rungs[at[i]];
    for (last = i; last + 1 < at.size() && at[last + 1] == at[last] + 1; ++last) {
      if (family(*rungs[at[last + 1]]) != family(first)) break;
    }
    const Rung& end = *rungs[at[last]];
    if (!text.empty()) text += ", ";
    text += short_id(first);
    if (last > i) text += "–" + std::string(short_id(end).substr(family(end).size()));
  }
  return at.size() == 1 ? text : text + " (" + std::to_string(at.size()) + " rungs)";
}

// why_not() without its subject; of types it lists those that the rung takes, and here those of the problem count.
std::string reason_of(const Rung& rung, const Plan::Impl& plan) {
  if (refusal(rung, plan.row, plan.gpu) == Refusal::types) {
    const std::string brief = plan.row.brief();
    return "does not take " + brief.substr(0, brief.find(' '));
  }
  const std::string reason = why_not(rung, plan.row, plan.gpu);
  return reason.starts_with("it ") ? reason.substr(3) : reason;
}

// The rungs with a forecast from the top of the ladder; those without one, and those ruled out, by reason.
std::string explain_gpu(const Plan::Impl& plan) {
  if (plan.named) return explain_best(plan) + (plan.fallback.rung == nullptr ? "" : explain_fallback(plan));
  std::vector<const Rung*> rungs;
  for (const Rung* rung : ladder_of(plan.kind))
    if (rung->kind == RungKind::gemm) rungs.push_back(rung);
  std::string why;
  std::vector<Group> ruled_out, no_forecast;
  for (std::size_t i = rungs.size(); i-- > 0;) {
    const Rung& rung = *rungs[i];
    if (&rung == plan.best.rung) why += explain_best(plan);
    if (&rung == plan.fallback.rung) why += explain_fallback(plan);
    if (&rung == plan.best.rung || &rung == plan.fallback.rung || rung.choose == nullptr) continue;
    if (refusal(rung, plan.row, plan.gpu) == Refusal::none)
      why += std::string(rung.id) + (plan.best.whole ? ": a forecast of " : ": a longer forecast, ") +
             sum(candidate(rung, plan.row, plan.gpu).choice.forecast) + "\n";
  }
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    const Rung& rung = *rungs[i];
    if (refusal(rung, plan.row, plan.gpu) != Refusal::none) {
      add(ruled_out, reason_of(rung, plan), i);
    } else if (rung.choose == nullptr && &rung != plan.best.rung) {
      add(no_forecast, "no forecast, so used only where no rung with one can be", i);
    }
  }
  for (const Group& group : no_forecast) why += group.reason + ": " + listed(group, rungs) + "\n";
  if (!ruled_out.empty()) why += "ruled out:\n";
  for (const Group& group : ruled_out) why += "  " + group.reason + ": " + listed(group, rungs) + "\n";
  return why;
}

// What becomes of f32 where the environment or the handle asks for it as split.
std::string explain_f32(const Plan::Impl& plan) {
  if (plan.split_by == SplitBy::nobody) return "";
  const bool environment = plan.split_by == SplitBy::environment;
  const std::string variable = kF32Variable;
  if (plan.best.rung != nullptr && compute_of(*plan.best.rung, plan.row) == Compute::split)
    return "f32 is computed as split, as " + (environment ? variable + " asks" : "the handle is set") + "\n";
  std::string why = why_not_split(plan.asked, plan.kind);
  if (why.empty()) why = "what is chosen computes so";
  return "f32 stays IEEE f32, though " + (environment ? variable + " asks for split" : "the handle is set to split") +
         ": " + why + "\n";
}

}  // namespace

Plan::Impl::Words explain(const Plan::Impl& plan) {
  Plan::Impl::Words words;
  words.why = plan.asked.brief() + " on " + plan.device_name + "\n";
  if (plan.asked.order == Order::column) words.why += "column-major: run as row-major " + plan.row.brief() + "\n";
  words.why += explain_f32(plan);
  words.why += plan.kind == runtime::Kind::cpu ? explain_cpu(plan) : explain_gpu(plan);
  if (plan.backend != nullptr) words.id = plan.backend->id;
  if (plan.best.rung == nullptr) return words;
  words.id = plan.best.rung->id;
  words.tile = plan.best.rung->tile_name(plan.best.choice.tile).text;
  return words;
}

}  // namespace cairn::dispatch
