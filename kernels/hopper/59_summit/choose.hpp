// Which tile the summit takes for a problem: the fastest by the cost model or, where power limits the clock, the one
// of those nearly as fast that takes the least energy.
#pragma once

#include <cmath>

#include "kernels/hopper/59_summit/cost.hpp"

namespace cairn::hopper_59 {

inline Choice choice_of(int tile, const Cost& cost, const Packed& packed) {
  const Tile& t = kTiles[tile];
  Choice choice;
  choice.tile = tile;
  choice.scratch_bytes = packed.bytes + cost.stream_k.partial_tiles() * t.cluster * t.bm * t.bn * sizeof(float);
  choice.forecast = cost.forecast;
  choice.keep(cost.stream_k);
  return choice;
}

inline Choice choose(const Query& query) {
  constexpr int count = static_cast<int>(std::size(kTiles));
  const Packed packed = packed_problem(query.problem, query.aligned);
  if (query.tile != kAnyTile) {
    return choice_of(query.tile, cost_of(kTiles[query.tile], packed, query.device), packed);
  }
  std::array<Cost, count> costs;
  int fastest = 0;  // the first of equals: tiles with more stages precede co-resident ones
  for (int i = 0; i < count; ++i) {
    costs[static_cast<std::size_t>(i)] = cost_of(kTiles[i], packed, query.device);
    if (costs[static_cast<std::size_t>(i)].cycles < costs[static_cast<std::size_t>(fastest)].cycles) fastest = i;
  }
  const Cost& first = costs[static_cast<std::size_t>(fastest)];
  if (first.cycles < model::kLong || 2 * first.memory >= first.cycles) return choice_of(fastest, first, packed);

  // At the power limit fewer cycles permit a lower clock, so the score is energy · ∛cycles.
  const bool very_long = first.cycles >= model::kVeryLong;
  const double most = first.cycles * (very_long ? model::kVeryLongSlack : model::kLongSlack);
  const auto score = [&](int i) {
    const Cost& cost = costs[static_cast<std::size_t>(i)];
    return cost.energy * std::cbrt(cost.cycles);
  };
  int best = fastest;
  for (int i = 0; i < count; ++i)
    if (costs[static_cast<std::size_t>(i)].cycles <= most && score(i) < score(best)) best = i;
  Choice choice = choice_of(best, costs[static_cast<std::size_t>(best)], packed);
  if (best != fastest) {
    choice.preference = very_long ? "least energy of those within 3.5 % of the shortest forecast"
                                  : "least energy of those within 2.5 % of the shortest forecast";
  }
  return choice;
}

}  // namespace cairn::hopper_59
