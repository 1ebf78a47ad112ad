// The order in which contenders run in a round: a balanced Latin square (E. J. Williams, 1949).
//
// Clocks follow power with a delay, so that a contender that runs after one with a high power draw, or after the
// pause in which sensors are read, sees other clocks than the rest. In a fixed order that would always be the same
// one. Here every contender takes every position, and follows every other, equally often: in `count` rounds if that
// is even, in twice as many if it is odd.
#pragma once

#include <cstddef>
#include <vector>

namespace cairn::lab::measure {

inline std::vector<std::size_t> order(std::size_t count, std::size_t round) {
  // 0, 1, n-1, 2, n-2, …: modulo an even n all differences of neighbours are distinct, so that adding the round to
  // all of them makes every pair of neighbours once. With an odd n each difference occurs twice, and every other cycle
  // of n rounds reverses the order to balance them.
  const std::size_t cycle = count == 0 ? 0 : round / count;
  std::vector<std::size_t> contenders(count);
  for (std::size_t position = 0; position < count; ++position) {
    const std::size_t step = position % 2 == 1 ? position / 2 + 1 : (count - position / 2) % count;
    contenders[cycle % 2 == 1 ? count - 1 - position : position] = (step + round) % count;
  }
  return contenders;
}

}  // namespace cairn::lab::measure
