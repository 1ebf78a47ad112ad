// Which variant of its menu a rung takes for a problem: the fastest by the cost model or, where power limits the
// clock, the one of those nearly as fast that takes the least energy.
#pragma once

#include <array>
#include <cmath>

#include "kernels/hopper/parts/cost.hpp"

namespace cairn::hopper {

inline Choice choice_of(const Variant& v, int variant, const Cost& cost, const Packed& packed) {
  Choice choice;
  choice.tile = variant;
  choice.scratch_bytes = packed.bytes + cost.division.partial_tiles() * v.rows() * v.cols() * sizeof(float);
  choice.forecast = cost.forecast;
  choice.keep(cost.division);
  return choice;
}

// finishes(problem, variant, division): it can apply the problem's epilogue.
template <std::size_t count, class Finishes>
Choice choose_of(const std::array<Variant, count>& variants, const Query& query, Finishes&& finishes) {
  const auto packed = [&](std::size_t i) { return packed_problem(query.problem, variants[i], query.aligned); };
  if (query.tile != kAnyTile) {
    const auto i = static_cast<std::size_t>(query.tile);
    return choice_of(variants[i], query.tile, cost_of(variants[i], packed(i), query.device), packed(i));
  }
  const auto choice = [&](std::size_t i, const Cost& cost) {
    return choice_of(variants[i], static_cast<int>(i), cost, packed(i));
  };
  std::array<Cost, count> costs;
  const auto us = [&](std::size_t i) { return costs[i].forecast.us(); };
  // Threads fetch what TMA cannot read; what it can, it loads with less work.
  const bool fetch = packed(0).bytes > 0;
  std::array<bool, count> considered{};
  std::size_t fastest = count;  // the first of equals: tiles with more stages precede co-resident ones
  for (std::size_t i = 0; i < count; ++i) {
    if (variants[i].tile.fetched && !fetch) continue;
    costs[i] = cost_of(variants[i], packed(i), query.device);
    considered[i] = finishes(query.problem, variants[i], costs[i].division);
    if (considered[i] && (fastest == count || us(i) < us(fastest))) fastest = i;
  }
  const Cost& first = costs[fastest];
  if (!first.by_power()) return choice(fastest, first);

  // At the power limit fewer cycles permit a lower clock, so the score is energy · ∛cycles.
  const bool very_long = first.cycles >= model::kVeryLong;
  const double most = us(fastest) * (very_long ? model::kVeryLongSlack : model::kLongSlack);
  const auto score = [&](std::size_t i) { return costs[i].energy * std::cbrt(costs[i].cycles); };
  std::size_t best = fastest;
  for (std::size_t i = 0; i < count; ++i)
    if (considered[i] && us(i) <= most && score(i) < score(best)) best = i;
  Choice chosen = choice(best, costs[best]);
  if (best != fastest) {
    chosen.preference = very_long ? "least energy of those within 3.5 % of the shortest forecast"
                                  : "least energy of those within 2.5 % of the shortest forecast";
  }
  return chosen;
}

}  // namespace cairn::hopper
