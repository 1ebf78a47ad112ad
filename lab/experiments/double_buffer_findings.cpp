#include "lab/experiments/double_buffer_findings.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace cairn::lab {
namespace {

enum class Cost : std::uint8_t { nothing, block, spills, unknown };

double fact(const profile::Values& facts, const char* name) {
  const auto found = facts.find(name);
  return found == facts.end() ? -1 : found->second;
}

// What the step took away.
Cost cost(const Step& step) {
  const double before = fact(step.facts_before, "blocks_an_sm"), after = fact(step.facts_after, "blocks_an_sm");
  if (before < 0 || after < 0) return Cost::unknown;
  if (after < before) return Cost::block;
  return fact(step.facts_after, "local_bytes") > fact(step.facts_before, "local_bytes") ? Cost::spills
                                                                                        : Cost::nothing;
}

Steps of_cost(const Steps& steps, Cost wanted) {
  Steps out;
  std::ranges::copy_if(steps, std::back_inserter(out), [&](const Step& step) { return cost(step) == wanted; });
  return out;
}

// "lab/double_buffer@4 to @5: 0.81 times as fast, 125 and 142 registers, 2 and 1 blocks an SM, 0 and 0 local bytes"
std::string in_full(const Step& step) {
  const auto both = [&](const char* name) {
    return fmt::format("{:.0f} and {:.0f}", fact(step.facts_before, name), fact(step.facts_after, name));
  };
  return fmt::format("{} ({} registers, {} blocks an SM, {} local bytes)", told(step), both("registers"),
                     both("blocks_an_sm"), both("local_bytes"));
}

std::string by_cost(const BufferSteps& steps) {
  std::vector<std::string> words;
  const auto say = [&](Cost wanted, const char* where) {
    const Steps some = of_cost(steps.doubled, wanted);
    if (!some.empty()) words.push_back(fmt::format("{}, {} times as fast", where, speedups(some)));
  };
  say(Cost::nothing, "where as many blocks stay on an SM and nothing is spilled");
  say(Cost::block, "where the registers cost a block");
  say(Cost::spills, "where registers are spilled to keep the blocks");
  say(Cost::unknown, "all together");
  return fmt::format("From one buffer to two: {}.", listed(words));
}

std::string when_slower(const BufferSteps& steps) {
  Steps slower, costly_and_not_slower;
  for (const Step& step : steps.doubled) {
    const bool costs = cost(step) == Cost::block || cost(step) == Cost::spills;
    if (step.verdict() == Verdict::slower)
      slower.push_back(step);
    else if (costs)
      costly_and_not_slower.push_back(step);
  }
  if (slower.empty()) return "Double buffering is slower in none of these.";
  std::vector<std::string> words;
  words.reserve(slower.size());
  for (const Step& step : slower) words.push_back(in_full(step));
  const bool explained = std::ranges::none_of(
      slower, [](const Step& step) { return cost(step) == Cost::nothing || cost(step) == Cost::unknown; });
  const char* why = !explained ? "a block or a spill does not explain all of them"
                    : costly_and_not_slower.empty()
                        ? "each of them lost a block or spilled, and every one that did is "
                          "slower"
                        : "each of them lost a block or spilled, but not every one that "
                          "did is slower";
  return fmt::format("Double buffering is slower in {}: {}.", listed(words), why);
}

std::string removed(const BufferSteps& steps) {
  const bool any_loss =
      std::ranges::any_of(steps.doubled, [](const Step& s) { return s.verdict() == Verdict::slower; });
  const char* so = none_is(steps.mended, Verdict::slower)
                       ? (any_loss ? "with the cause removed the loss is gone" : "there was no loss to remove")
                       : "the loss stays";
  return fmt::format(
      "Compiled to leave room for as many blocks as one buffer has, two buffers are {} times as fast as "
      "one: {}.",
      speedups(steps.mended), so);
}

}  // namespace

std::vector<std::string> compare_buffers(const BufferSteps& steps) {
  std::vector<std::string> out;
  if (steps.rungs.size() > 1) out.push_back(fmt::format("The rungs, fastest first: {}.", order(steps.rungs)));
  if (steps.doubled.empty()) return out;
  out.push_back(by_cost(steps));
  out.push_back(when_slower(steps));
  for (const Step& step : steps.alone) {
    out.push_back(fmt::format("One block less on an SM, the code unchanged: {}.", told(step)));
  }
  if (!steps.mended.empty()) out.push_back(removed(steps));
  const Mark mark = mark_of(steps.alone, of_cost(steps.doubled, Cost::nothing),
                            {{"stall_long_scoreboard", "warps waiting for global memory, per issue"},
                             {"stall_barrier", "warps waiting at a barrier, per issue"},
                             {"stall_short_scoreboard", "warps waiting for shared memory, per issue"},
                             {"stall_not_selected", "warps ready but not chosen, per issue"},
                             {"fma_pipe", "busy time of the FMA pipe"}});
  if (!mark.words.empty()) {
    out.push_back(
        fmt::format("What a block less changes and a second buffer does not: {}, {} times as much against {}.",
                    mark.words, times(mark.with_low, mark.with_high), times(mark.without_low, mark.without_high)));
  }
  return out;
}

}  // namespace cairn::lab
