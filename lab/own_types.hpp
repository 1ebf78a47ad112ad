// Problems without --type: each contender in a type that it takes.
#pragma once

#include <vector>

#include "lab/contender.hpp"
#include "lab/options.hpp"

namespace cairn::lab {

// Acceptable problems for one step of a climb or a trace, the preferred one first: one of each type if none was asked
// for, else just that one.
using Alternatives = std::vector<Problem>;
std::vector<Alternatives> choices(const ProblemOptions& asked);

// The first that the contender takes, or else just the first, as the contender runs it.
Problem chosen_by(const Contender& contender, const Alternatives& choice);

}  // namespace cairn::lab
