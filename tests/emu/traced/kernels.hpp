// Runs the kernels of kernels.cu by name: the test itself is not compiled to be watched.
#pragma once

#include <string>

namespace cairn::emu::planted {

inline constexpr int kFloats = 4096;  // of `in` and of `out`

void run(const std::string& name, bool bug, const float* in, float* out);

}  // namespace cairn::emu::planted
