// Which of two kernels is faster, as far as their times can tell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn::lab {

// The times of one thing by one clock.
struct Timed {
  std::string name;
  std::vector<double> samples;
};

enum class Verdict { faster, slower, undecided };

// Is `a` faster than `b`? Undecided where the 95 % intervals of the two medians overlap.
Verdict compare(const Timed& a, const Timed& b);

// "c < a ≈ b", the fastest first; ≈ is between two that are undecided.
std::string order(std::vector<Timed> all);

// "transpose/1" for "transpose/1_write_coalesced".
std::string short_id(std::string_view id);

// "x", "x and y", "x, y and z".
std::string listed(const std::vector<std::string>& words);

}  // namespace cairn::lab
