// The rules that the arguments of a call must keep. Every entry into the library checks them before anything is
// planned, read or written, and every refusal names the argument, its value and the rule.
#pragma once

#include "cairn/cairn.hpp"
#include "src/call.hpp"

namespace cairn::dispatch {

// Sizes, leading dimensions, strides and types: everything but the pointers.
Status check(const Problem& problem);

// The pointers of a call whose problem has passed check(): present where they are read or written, and aligned to
// their element; and what is written, C and the value before an activation, shares no memory with anything else. A and B
// are not read if alpha or k is 0, or C is empty: then they may be anything.
Status check_pointers(const Problem& problem, double alpha, const Operands& data);
inline Status check_pointers(const Call& c) {
  return check_pointers(c.problem, c.alpha, {c.A, c.B, c.C, c.bias, c.before, c.scale_a, c.scale_b, c.ends});
}

}  // namespace cairn::dispatch
