// An epilogue as --epilogue gives it: words joined by "+".
#pragma once

#include <string>

#include "cairn/types.hpp"

namespace cairn::lab {

// "bias+gelu": a bias for each column of C, then GELU. The words are bias or row_bias, one of relu, gelu, gelu_tanh and
// silu, and before, which stores what the activation is applied to; "none" alone is no epilogue. The bias has C's type,
// or with ":f32" behind it the accumulator's. Sets them, and nothing else. Throws an Error for anything else.
void set_epilogue(const std::string& text, Problem& problem);

}  // namespace cairn::lab
