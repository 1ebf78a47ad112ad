// The rules of a call. Every entry into the library passes through here before anything is planned or touched,
// and every refusal names the argument and the rule it broke, with the numbers.
#pragma once

#include "src/call.hpp"

namespace cairn::dispatch {

// Sizes, leading dimensions, strides, types: all that can be said without the data.
Status check(const Problem& problem);

// The pointers of a call whose problem has passed check(): present where they are read or written, and aligned
// to their element.
Status check_pointers(const Call& call);

// Does the call read A and B? Not if alpha or k is 0, or C is empty.
bool reads_inputs(const Call& call);

}  // namespace cairn::dispatch
