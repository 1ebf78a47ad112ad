// Verification of contenders that copy or transpose a matrix: C = op(A), m x n, written as a problem with k = n.
#pragma once

#include "lab/verify/case.hpp"
#include "lab/verify/data.hpp"
#include "lab/verify/judge.hpp"

namespace cairn::lab::verify {

// Has A and C only: the B of such a problem would be n x n, which for a large n fits no memory.
Data moving_data(const Case& test);

// C must be op(A) bit for bit, NaN and all, and nothing else in memory touched. Row-major.
Verdict judge_move(const Case& test, const Data& before, const Data& after);

}  // namespace cairn::lab::verify
