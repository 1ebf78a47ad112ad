// The rules that the arguments of a call must keep. Every entry into the library checks them before anything is
// planned, read or written, and every refusal names the argument, its value and the rule.
#pragma once

#include "src/call.hpp"

namespace cairn::dispatch {

// Sizes, leading dimensions, strides and types: everything but the pointers.
Status check(const Problem& problem);

// The pointers of a call whose problem has passed check(): present where they are read or written, and aligned to
// their element; and C shares no memory with A or B. A and B are not read if alpha or k is 0, or C is empty: then
// they may be anything.
Status check_pointers(const Problem& problem, double alpha, const void* A, const void* B, const void* C);
inline Status check_pointers(const Call& c) { return check_pointers(c.problem, c.alpha, c.A, c.B, c.C); }

}  // namespace cairn::dispatch
