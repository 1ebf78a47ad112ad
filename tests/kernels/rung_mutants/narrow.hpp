// A mutant is looked at with one problem or two, and a Hopper rung has kernels for every type, order and tile. These
// stand in for what chooses among them (mutate.cmake): f16, nn, the first tile, and nothing else is compiled.
#pragma once

#include "device/matrix_map.hpp"
#include "kernels/rung.hpp"

namespace cairn {

inline Status not_compiled() {
  return {Code::unsupported, "a mutant is compiled for f16, nn and the first tile alone"};
}

template <class F> Status with_nn(Op op_a, Op op_b, F&& f) {
  if (op_a != Op::none || op_b != Op::none) return not_compiled();
  return f.template operator()<Major::k, Major::mn>();
}

template <class F> Status with_first_tile(int tile, F&& f) {
  return tile == 0 ? f.template operator()<0>() : not_compiled();
}

}  // namespace cairn
