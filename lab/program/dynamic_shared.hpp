// The block's dynamic shared memory in a program that is linked.
#pragma once

#include <string>

namespace cairn::lab::program {

// C++ source that defines every `extern __shared__ T name[]` of the objects whose symbols these are, as readelf -sW
// prints them; empty if there is none.
std::string dynamic_shared(const std::string& symbols);

}  // namespace cairn::lab::program
