// A 2x3 matrix times a 3x2 one, through an installed Cairn.
#include <cstdio>

#include <cairn/cairn.hpp>
#include <cairn/version.h>

int main() {
  const float A[] = {1, 2, 3, 4, 5, 6};     // (2, 3)
  const float B[] = {7, 8, 9, 10, 11, 12};  // (3, 2)
  const float expected[] = {58, 64, 139, 154};
  float C[] = {0, 0, 0, 0};  // (2, 2)

  cairn::Handle handle;
  auto status = cairn::Handle::open(cairn::kCpu, handle);
  if (status.ok())
    status = cairn::gemm(handle, cairn::Op::none, cairn::Op::none, 2, 2, 3, 1.0f, A, 3, B, 2, 0.0f, C, 2);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.message().c_str());
    return 1;
  }

  // The plan as well, so that more of the library is linked than one call.
  const auto problem = cairn::Problem::packed(cairn::Type::f32, cairn::Op::none, cairn::Op::none, 2, 2, 3);
  cairn::Plan plan;
  status = cairn::plan(handle, problem, plan);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.message().c_str());
    return 1;
  }
  std::printf("cairn %s, %s by %s: %g %g / %g %g\n", cairn::version(), problem.brief().c_str(), plan.id().c_str(),
              C[0], C[1], C[2], C[3]);

  for (int i = 0; i < 4; ++i)
    if (C[i] != expected[i]) return 1;

  // A refused call says why and writes nothing.
  status = cairn::gemm(handle, cairn::Op::none, cairn::Op::none, 2, 2, 3, 1.0f, A, 2, B, 2, 0.0f, C, 2);
  std::printf("refused: %s\n", status.message().c_str());
  return status.code() == cairn::Code::invalid_argument && C[0] == expected[0] ? 0 : 1;
}
