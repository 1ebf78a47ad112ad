// C = beta * C and the epilogue, for calls without a product: alpha = 0 or k = 0.
#pragma once

#include "src/call.hpp"

namespace cairn::cpu {

// Whether A and B are read at all. If they are not, they may be null and alpha is ignored: for k = 0 the
// result is beta * C even if alpha is NaN (docs/numerics.md). NaN is not 0, so that alpha = NaN with k > 0
// reads them.
inline bool reads_inputs(const Call& call) {
  const Problem& p = call.problem;
  return p.m > 0 && p.n > 0 && p.batch > 0 && p.k > 0 && call.alpha != 0;
}

// C = beta * C, rounded once, after the epilogue if there is one. beta = 0 reads nothing of C; without an epilogue,
// beta = 1 leaves every bit, NaNs included.
void scale_c(const Call& call);

}  // namespace cairn::cpu
