// An epilogue as --epilogue gives it, words joined by "+", and scales as --scales does.
#pragma once

#include <string>
#include <vector>

#include "cairn/types.hpp"

namespace cairn::lab {

// "bias+gelu": a bias for each column of C, then GELU. The words are bias or row_bias, one of relu, gelu, gelu_tanh and
// silu, and before, which stores what the activation is applied to; "none" alone is no epilogue. The bias has C's type,
// or with ":f32" behind it the accumulator's. Sets them, and nothing else. Throws an Error for anything else.
void set_epilogue(const std::string& text, Problem& problem);

// "tensor", "vector" or "none" for both operands; "blocks": of 128 of k, for each row of op(A) and for each 128 columns of
// op(B); or the names of both scales, as "tensor:vector". Sets them, and nothing else. Throws an Error for anything else,
// and where the problem cannot have them.
void set_scales(const std::string& text, Problem& problem);

// The problem with each of the epilogues and each of the scales; as it is where there are none of either.
std::vector<Problem> each_epilogue(const std::vector<std::string>& epilogues, const std::vector<std::string>& scales,
                                   const Problem& problem);

}  // namespace cairn::lab
