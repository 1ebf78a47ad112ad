// The choice of a rung whose tiles differ in nothing but their forecast.
#pragma once

#include "kernels/choice.hpp"

namespace cairn {

// The tile that was asked for, or of all `tiles` the first with the shortest forecast(tile).
template <class F> Choice shortest(const Query& query, int tiles, F&& forecast) {
  const auto choice = [&](int tile) {
    Choice one;
    one.tile = tile;
    one.forecast = forecast(tile);
    return one;
  };
  if (query.tile != kAnyTile) return choice(query.tile);
  Choice best = choice(0);
  for (int tile = 1; tile < tiles; ++tile)
    if (const Choice other = choice(tile); other.forecast.us() < best.forecast.us()) best = other;
  return best;
}

}  // namespace cairn
