// Calls the host function of kernel.cu as any program would; five more lines trace its kernels.
#include <cmath>
#include <cstdio>
#include <vector>

#ifdef CAIRN_TRACED
#include <emu/program/trace_session.hpp>
#endif

bool smooth(const float* image, const float* weights, float* result, int width, int height);  // kernel.cu

int main() {
  const int width = 300, height = 20;
  const std::vector<float> image(width * height, 2.0F), weights = {0.1F, 0.2F, 0.4F, 0.2F, 0.1F};
  std::vector<float> result(image.size());

#ifdef CAIRN_TRACED
  cairn::emu::TraceSession session;
#endif
  bool good = smooth(image.data(), weights.data(), result.data(), width, height);
  for (const float value : result) good = good && std::fabs(value - 2.0F) < 1e-5F;  // the weights add up to one
#ifdef CAIRN_TRACED
  std::fputs(session.report().c_str(), stdout);
  good = good && session.clean();
#endif
  std::puts(good ? "The image is smooth." : "WRONG");
  return good ? 0 : 1;
}
