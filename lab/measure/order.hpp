// In which order contenders run in a round.
//
// A GPU at its power limit answers with a delay: who runs after a hungry neighbour, or after the pause in which
// clocks are read, meets other clocks than the rest. In one fixed order somebody would always be in that place. Here
// every contender takes every place, and follows every other, equally often: in `count` rounds if that is even, in
// twice as many if it is odd (E. J. Williams, 1949).
#pragma once

#include <cstddef>
#include <vector>

namespace cairn::lab::measure {

inline std::vector<std::size_t> order(std::size_t count, std::size_t round) {
  // 0, 1, n-1, 2, n-2, …: modulo an even n no two neighbours are as far apart as any others, so that adding the round
  // to all makes every pair of neighbours once. With an odd n there are half as many distances, each of them twice,
  // and the cycles that are turned round make up for it.
  const std::size_t cycle = count == 0 ? 0 : round / count;
  std::vector<std::size_t> places(count);
  for (std::size_t place = 0; place < count; ++place) {
    const std::size_t step = place % 2 == 1 ? place / 2 + 1 : (count - place / 2) % count;
    places[cycle % 2 == 1 ? count - 1 - place : place] = (step + round) % count;
  }
  return places;
}

}  // namespace cairn::lab::measure
