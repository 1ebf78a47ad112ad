// The rules of a call. Every entry into the library passes through here before anything is planned or touched,
// and every refusal names the argument and the rule it broke, with the numbers.
#pragma once

#include "src/call.hpp"

namespace cairn::dispatch {

// Sizes, leading dimensions, strides, types: all that can be said without the data.
Status check(const Problem& problem);

// The pointers of a call whose problem has passed check(): present where they are read or written, and aligned to
// their element. A and B are not read if alpha or k is 0, or C is empty.
Status check_pointers(const Problem& problem, double alpha, const void* A, const void* B, const void* C);
inline Status check_pointers(const Call& c) { return check_pointers(c.problem, c.alpha, c.A, c.B, c.C); }

}  // namespace cairn::dispatch
