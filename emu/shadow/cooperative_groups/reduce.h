// Stands in for CUDA's header of this name, but for what needs cuda::atomic.
#pragma once

#include "emu/shadow/cooperative_groups.h"

namespace cooperative_groups {

// `less` and `greater` give the lesser and the greater of two. T void: of any two values of a type.
#define CAIRN_GROUP_OPERATOR(name, result)                                                           \
  template <class T = void> struct name {                                                            \
    T operator()(const T& a, const T& b) const { return static_cast<T>(result); }                    \
  };                                                                                                 \
  template <> struct name<void> {                                                                    \
    template <class T> T operator()(const T& a, const T& b) const { return static_cast<T>(result); } \
  };
CAIRN_GROUP_OPERATOR(plus, a + b)
CAIRN_GROUP_OPERATOR(less, b < a ? b : a)
CAIRN_GROUP_OPERATOR(greater, a < b ? b : a)
CAIRN_GROUP_OPERATOR(bit_and, a& b)
CAIRN_GROUP_OPERATOR(bit_or, a | b)
CAIRN_GROUP_OPERATOR(bit_xor, a ^ b)
#undef CAIRN_GROUP_OPERATOR

// Of the values of all threads; each gets the result. In a tile both of a pair combine their values, the pairs farthest
// apart first; in a coalesced group neighbours first, for rank 0.
template <unsigned Size, class Parent, class T, class Op>
T reduce(const thread_block_tile<Size, Parent>& group, T value, Op&& op,
         cairn::emu::Site site = cairn::emu::Site::current()) {
  const cairn::emu::Lanes lanes = details::lanes_of(group);
  for (unsigned by = Size / 2; by > 0; by /= 2)
    value = op(value, cairn::emu::take("reduce", lanes, value, group.thread_rank() ^ by, site));
  return value;
}
template <class T, class Op>
T reduce(const coalesced_group& group, T value, Op&& op, cairn::emu::Site site = cairn::emu::Site::current()) {
  const cairn::emu::Lanes lanes = details::lanes_of(group);
  const unsigned rank = group.thread_rank(), size = group.size();
  for (unsigned by = 1; by < size; by *= 2) {
    const bool there = rank + by < size;
    const T other = cairn::emu::take("reduce", lanes, value, there ? rank + by : rank, site);
    if (there && rank % (2 * by) == 0) value = op(value, other);
  }
  return cairn::emu::take("reduce", lanes, value, 0, site);
}

}  // namespace cooperative_groups
