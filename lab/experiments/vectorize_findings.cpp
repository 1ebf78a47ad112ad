#include "lab/experiments/vectorize_findings.hpp"

#include <fmt/format.h>

namespace cairn::lab {
namespace {

const std::vector<Named> kCauses = {
    {"stall_barrier", "warps waiting at a barrier, per issue"},
    {"stall_long_scoreboard", "warps waiting for global memory, per issue"},
    {"stall_short_scoreboard", "warps waiting for shared memory, per issue"},
    {"stall_mio_throttle", "warps held back by the queue to shared memory, per issue"},
    {"stall_lg_throttle", "warps held back by the queue to global memory, per issue"},
    {"stall_not_selected", "warps ready but not chosen, per issue"},
    {"inst_executed", "instructions"},
    {"shared_load_wavefronts", "wavefronts of shared loads"},
    {"shared_store_wavefronts", "wavefronts of shared stores"},
    {"global_load_sectors", "sectors loaded"},
    {"registers", "registers a thread"},
    {"blocks_an_sm", "blocks an SM"},
};

std::string each(const Steps& steps) {
  std::vector<std::string> words;
  words.reserve(steps.size());
  for (const Step& step : steps) words.push_back(told(step));
  return listed(words);
}

// Which of the two choices goes with the loss.
std::string verdict(const WidthSteps& steps) {
  const bool idling_costs = all_are(steps.idler, Verdict::slower);
  const bool width_costs = all_are(steps.wider, Verdict::slower);
  const bool idling_free = none_is(steps.idler, Verdict::slower), width_free = none_is(steps.wider, Verdict::slower);
  if (none_is(steps.both, Verdict::slower)) return "Together they cost nothing here: there is no loss to explain.";
  if (idling_costs && width_free) return "The loss goes with the idle threads, not with the width of the copies.";
  if (width_costs && idling_free) return "The loss goes with the width of the copies, not with the idle threads.";
  if (width_costs && idling_costs) return "Both cost something alone: the loss is not of one of them.";
  return "Neither does the same in every pair: these times do not say which of the two the loss is of.";
}

std::string counter(const WidthSteps& steps) {
  Steps with = steps.both;
  with.insert(with.end(), steps.idler.begin(), steps.idler.end());
  const Mark mark = mark_of(with, steps.wider, kCauses);
  if (mark.words.empty()) return "No counter moves with the idle threads and stays with the width.";
  return fmt::format(
      "What moves with the idle threads and not with the width: {}, {} times as much with idle threads, {} "
      "times where all copy.",
      mark.words, times(mark.with_low, mark.with_high), times(mark.without_low, mark.without_high));
}

}  // namespace

std::vector<std::string> compare_widths(const WidthSteps& steps) {
  std::vector<std::string> out;
  if (!steps.rungs_idle.empty())
    out.push_back(fmt::format("float4 copies that leave threads idle: {}.", each(steps.rungs_idle)));
  if (!steps.rungs_busy.empty())
    out.push_back(fmt::format("float4 copies in which all threads have a part: {}.", each(steps.rungs_busy)));
  if (steps.both.empty() || steps.wider.empty() || steps.idler.empty()) return out;
  out.push_back(
      fmt::format("The control kernels, one choice at a time: wider copies with all threads at it, {} times as "
                  "fast; the same copies by a quarter of the threads, {}; both at once, {}.",
                  speedups(steps.wider), speedups(steps.idler), speedups(steps.both)));
  out.push_back(verdict(steps));
  if (!steps.both[0].facts_after.contains("stall_barrier")) return out;
  out.push_back(counter(steps));
  return out;
}

}  // namespace cairn::lab
