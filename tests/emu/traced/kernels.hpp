// Runs the kernels of kernels.cu and of the other files here by name: the tests themselves
// are not compiled with tracing.
#pragma once

#include <string>

namespace cairn::planted {

inline constexpr int kFloats = 4096;  // of `in` and of `out`

void run(const std::string& name, bool bug, const float* in, float* out);
void run_async(const std::string& name, bool bug, const float* in, float* out);
void run_cuda(const std::string& name, bool bug, const float* in, float* out);
void run_groups(const std::string& name, bool bug, const float* in, float* out);
void run_order(const std::string& name, bool bug, const float* in, float* out);
void run_sm90(const std::string& name, bool bug, const float* in, float* out);
void run_tensor(const std::string& name, bool bug, const float* in, float* out);
void run_wgmma(const std::string& name, bool bug, const float* in, float* out);

}  // namespace cairn::planted
