// Checks the result of a timed run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/contender.hpp"
#include "lab/measure/ring.hpp"

namespace cairn::lab::measure {

// What is wrong with the C of set 0, which a run has just written after Ring::reset(); empty if nothing is. No element
// may be NaN, and a few hundred, drawn from `seed`, must be within their error bounds. The proof is the exact check at
// the same size; this one shows that the timed graph did the work.
std::string wrong_outcome(const Ring& ring, Work work, std::uint64_t seed);

// The first three values of the C of set 0, fewer if it is smaller.
std::vector<double> first_values(const Ring& ring);

}  // namespace cairn::lab::measure
