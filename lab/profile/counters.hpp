// The hardware counters that are read: our name for each, and Nsight Compute's metric. The emulator uses the same
// names, so that its counts can be compared with those of a GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/profile/ncu_output.hpp"

namespace cairn::lab::profile {

// How the values of a counter are combined when one run launches several kernels.
enum class Fold : std::uint8_t {
  sum,
  most,  // the largest
  mean   // weighted by the kernels' times
};

struct Counter {
  std::string_view name;       // in records
  std::string_view title;      // for people
  std::string_view metric;     // of Nsight Compute; two with a '+' are added
  std::string_view otherwise;  // its name in other versions of it, to be asked for where `metric` is unknown
  Fold fold = Fold::sum;
  double scale = 1;  // from its base unit to ours
  int decimals = 0;  // for people
};

// In the order tables show them.
std::span<const Counter> counters();

// The one of that name; throws std::out_of_range if there is none.
const Counter& counter(std::string_view name);

// "a+b" as its parts; nothing for an empty text.
std::vector<std::string> parts(std::string_view metrics);

// By our names. Beside what is in the table: "launches", the number of kernels, "grid_blocks" and "block_threads".
using Values = std::map<std::string, double>;

// The launches of one run, as one. A counter that any of them lacks is left out.
Values fold(std::span<const Launch> launches);

// The median of each counter over the runs; one that any of them lacks is left out.
Values median(const std::vector<Values>& runs);

}  // namespace cairn::lab::profile
