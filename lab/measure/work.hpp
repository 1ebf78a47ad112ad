// The operations and compulsory bytes of a problem.
#pragma once

#include "cairn/types.hpp"
#include "lab/contender.hpp"
#include "lab/scalars.hpp"

namespace cairn::lab::measure {

// 2·m·n·k, for every product of the batch.
double flops(const Problem& problem);

// What must be read and written at least once: A and C of a move, A, B and C of a product, and C twice if it is added
// to the product.
double bytes(const Problem& problem, Work work, const Scalars& scalars = {});

}  // namespace cairn::lab::measure
