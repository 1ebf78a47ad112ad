// The cost model of a kernel whose teams of warps compute small tiles of C one after the other: the time that a team
// waits for its tiles, or that an SM takes to issue the instructions of its own, or DRAM's, whichever is longest. Each
// rung supplies what a tile takes.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/choice.hpp"

namespace cairn {

struct TeamCost {
  int teams, resident;  // teams of a block, blocks on an SM
  double launch;        // cycles of a grid
  double wait;          // of a team for a tile, from its first load to its last store
  double issue;         // of an SM for the instructions of a tile
};

inline Forecast forecast(const TeamCost& c, double tiles, const Problem& p, const Device& device) {
  constexpr double kClock = 0.98, kDramBytes = 18;  // of the highest clock; a cycle and SM, on an H200
  const double rounds = std::ceil(std::ceil(tiles / c.teams) / (device.sms * c.resident));
  const auto of = [](std::int64_t x) { return static_cast<double>(x); };
  const double bytes = (of(p.m) + of(p.n)) * of(p.k) * of(p.batch) * of(size_of(p.in)) +
                       of(p.m) * of(p.n) * of(p.batch) * of(size_of(p.out));
  const double wait = rounds * c.wait, issue = std::max(tiles / device.sms, 1.0) * c.issue,
               dram = bytes / (kDramBytes * device.sms), most = std::max({wait, issue, dram});
  // As long as the slowest, and a little longer where another is nearly as slow: the 4-norm.
  const auto fourth = [&](double x) { return std::pow(x / most, 4); };
  const double all = most * std::sqrt(std::sqrt(fourth(wait) + fourth(issue) + fourth(dram)));
  const double mhz = kClock * device.mhz;
  Forecast f;
  f.add("launch", c.launch / mhz);
  f.add(most == wait ? "tiles (latency)" : most == issue ? "tiles (instructions)" : "tiles (DRAM)", all / mhz);
  return f;
}

}  // namespace cairn
