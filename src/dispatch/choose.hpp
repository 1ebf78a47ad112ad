// Which of a rung's tiles a problem takes. Nothing is measured: the time of each is worked out from what a step of k
// asks of an SM, and how the tiles fill the GPU.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/ladder.hpp"

namespace cairn::dispatch {

// Clock cycles of an SM that a tile would take, and what they are made of.
struct Forecast {
  double step = 0;         // of one step of k: the slowest of tensor cores, shared memory and L2
  const char* limit = "";  // which of them
  double rounds = 0;       // tiles that the busiest SM makes; a part of one, where tiles are cut along k
  double cycles = 0;       // all of it
  double memory = 0;       // of which A, B and C take so many between memory and L2
  double energy = 0;       // all of it, in what the tensor cores take for a step of 128 x 256
};
// `cut`: the tiles that do not fill the last round are cut along k. `copying`: blocks that copy A or B just before.
Forecast forecast(const TileShape& shape, const Problem& row, int units, bool cut = false, std::int64_t copying = 0);

struct Choice {
  int tile = 0;
  std::string reason;  // in half a sentence
  std::string why;     // every tile with its forecast, a line each
};
// The tile with the fewest cycles of those that a rung with shapes has. Long work runs at the GPU's power limit,
// where the clock is what energy leaves: there it is the tile that takes the least, of those that need few more
// cycles.
Choice choose(const Rung& rung, const Problem& row, int units);

}  // namespace cairn::dispatch
