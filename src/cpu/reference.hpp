// Products in double-double arithmetic (106 bits): the oracle of verification for f64, and what the
// backend "cpu/reference" rounds. Calls are checked and row-major, as for a backend.
#pragma once

#include "src/call.hpp"

namespace cairn::cpu {

// alpha * op(A) * op(B) + beta * C before it is rounded to the output type, as hi + lo: hi is the
// nearest double, and the whole value where it is not finite (lo is 0 then). Dense m x n rows, one
// batch after another; C itself is not written. The error is at most about k^2 * 2^-106 of
// magnitude(); a result closer than that to the middle between two numbers of the output type, and
// not on it, is the one case in which "cpu/reference" may round the wrong way. Sums whose terms all
// fit one number of 106 bits less log2(k) have no error.
void exact(const Call& call, double* hi, double* lo);

// |alpha| * |op(A)| * |op(B)| + |beta| * |C| in plain double, laid out as exact() does: error bounds
// are relative to it.
void magnitude(const Call& call, double* out);

}  // namespace cairn::cpu
