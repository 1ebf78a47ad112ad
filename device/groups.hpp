// Groups of rows, one behind the other, whose ends only the device knows. How many tiles there are follows from them, so a
// kernel is launched for as many as there may be, and finds its tiles itself.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "cairn/types.hpp"

namespace cairn {

// An argument of a kernel.
struct Groups {
  const std::int32_t* ends;  // one past the last row of each
  int count;                 // 0: there are none
  int rows;                  // of all of them, at most
};
template <class LaunchArgs> Groups groups_of(const LaunchArgs& args) {
  return {args.ends, static_cast<int>(args.problem.groups), static_cast<int>(args.problem.m)};
}

// Tiles one below the other: as many as there are or, of groups, as there may be, since each may end within one.
inline std::int64_t tiles_down(const Problem& p, std::int64_t size) {
  return p.is_grouped() ? p.m / size + p.groups : (p.m + size - 1) / size;
}
// Whether every group begins at a multiple of 16 bytes in A and in B, if these do.
inline bool groups_of_16_bytes(const Problem& p) {
  return !p.is_grouped() || (p.op_a == Op::none && p.stride_b * size_of(p.in) % 16 == 0);
}

// The group of a tile. Tiles are numbered group by group, and are looked for in ascending order.
struct GroupWalk {
  int group = -1, first = 0, end = 0;  // and its rows
  int before = 0, tiles = 0;           // of the groups before it, and its own

  // Goes on to the group of `tile`; false if there is none. Tiles have `size` rows, and `beside` of them are next to each
  // other. Ends are cut to what there is: no group ends before it begins, and none beyond the last row.
  __device__ __forceinline__ bool find(const Groups& groups, int size, int beside, int tile) {
    while (tile >= before + tiles) {
      if (++group >= groups.count) return false;
      before += tiles;
      first = end;
      end = min(max(groups.ends[group], first), groups.rows);
      tiles = (end - first + size - 1) / size * beside;
    }
    return true;
  }
};

}  // namespace cairn
