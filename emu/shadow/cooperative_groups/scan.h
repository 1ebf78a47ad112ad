// Stands in for CUDA's header of this name, but for what needs cuda::atomic.
#pragma once

#include "emu/shadow/cooperative_groups/reduce.h"

namespace cooperative_groups {

// Of the values of the threads up to and with the caller, in the order of their ranks.
template <class T, class Op>
T inclusive_scan(const details::lane_group& group, T value, Op&& op,
                 cairn::emu::Site site = cairn::emu::Site::current()) {
  const cairn::emu::Lanes lanes = details::lanes_of(group);
  const unsigned rank = group.thread_rank();
  for (unsigned by = 1; by < group.size(); by *= 2) {
    const T other = cairn::emu::take("inclusive_scan", lanes, value, rank < by ? rank : rank - by, site);
    if (rank >= by) value = op(other, value);
  }
  return value;
}
template <class T>
T inclusive_scan(const details::lane_group& group, T value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return inclusive_scan(group, value, plus<T>(), site);
}

// Of those before the caller. There are none for rank 0, which gets T{}.
template <class T, class Op>
T exclusive_scan(const details::lane_group& group, T value, Op&& op,
                 cairn::emu::Site site = cairn::emu::Site::current()) {
  const T up_to_me = inclusive_scan(group, value, op, site);
  const unsigned rank = group.thread_rank();
  const T before =
      cairn::emu::take("exclusive_scan", details::lanes_of(group), up_to_me, rank == 0 ? 0 : rank - 1, site);
  return rank == 0 ? T{} : before;
}
template <class T>
T exclusive_scan(const details::lane_group& group, T value, cairn::emu::Site site = cairn::emu::Site::current()) {
  return exclusive_scan(group, value, plus<T>(), site);
}

}  // namespace cooperative_groups
