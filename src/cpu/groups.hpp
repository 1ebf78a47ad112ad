// Groups of rows on the CPU: each is a product of its own.
#pragma once

#include <algorithm>

#include "src/call.hpp"

namespace cairn::cpu {

// One past the last row of a group whose first is `first`. What the ends say is cut to what there is, here and on a GPU:
// a group that would end before it begins is empty, and none goes beyond m.
inline std::int64_t end_of_group(const Call& call, std::int64_t group, std::int64_t first) {
  return std::clamp<std::int64_t>(call.ends[group], first, call.problem.m);
}

// The product of rows first … end - 1, those of a group.
Call group_call(const Call& call, std::int64_t group, std::int64_t first, std::int64_t end);

// f(product, first row) for each group that has rows.
template <class F> void each_group(const Call& call, F&& f) {
  std::int64_t first = 0;
  for (std::int64_t group = 0; group < call.problem.groups; ++group) {
    const std::int64_t end = end_of_group(call, group, first);
    if (end > first) f(group_call(call, group, first, end), first);
    first = end;
  }
}

}  // namespace cairn::cpu
