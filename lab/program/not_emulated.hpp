// Which part of CUDA that is not emulated a program needs, by what the compiler does not know.
#pragma once

#include <string>
#include <vector>

namespace cairn::lab::program {

// A sentence for each part that g++'s errors name something of.
std::vector<std::string> parts_not_emulated(const std::string& errors);

}  // namespace cairn::lab::program
