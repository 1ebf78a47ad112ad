// A mutant is looked at with one problem or two, and a rung has kernels for every type, order and tile. These stand in
// for what chooses among them (mutate.cmake): nn, of Hopper's rungs f16, one tile or a few, and nothing else is compiled.
#pragma once

#include "device/matrix_map.hpp"
#include "kernels/rung.hpp"

namespace cairn {

inline Status not_compiled() { return {Code::unsupported, "a mutant is not compiled for this type, layout or tile"}; }

template <class F> Status with_nn(Op op_a, Op op_b, F&& f) {
  if (op_a != Op::none || op_b != Op::none) return not_compiled();
  return f.template operator()<Major::k, Major::mn>();
}

template <int first, int... others, class F> Status with_one_of(int tile, F&& f) {
  if (tile == first) return f.template operator()<first>();
  if constexpr (sizeof...(others) > 0) return with_one_of<others...>(tile, f);
  return not_compiled();
}

}  // namespace cairn
