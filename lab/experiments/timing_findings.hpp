// Three clocks, and what depends on which of them one believes.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace cairn::lab {

inline constexpr std::array<const char*, 3> kClocks = {"events", "stopwatch", "profiler"};
inline constexpr std::size_t kEvents = 0, kStopwatch = 1, kProfiler = 2;

// One thing by every clock, in microseconds; no samples where a clock was not there.
struct Clocked {
  std::string name;   // "simt/04"
  std::string group;  // only what is in one group is compared: "products", "transposes"
  std::array<std::vector<double>, 3> us;
};

// Sentences: how far the clocks are apart, the order each finds, which conclusions differ between clocks, and which
// only some of them support.
std::vector<std::string> compare_clocks(const std::vector<Clocked>& all);

}  // namespace cairn::lab
