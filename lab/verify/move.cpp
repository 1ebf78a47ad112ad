#include "lab/verify/move.hpp"

#include <cstring>

#include <fmt/format.h>

namespace cairn::lab::verify {

Data moving_data(const Case& test) {
  Case of_a = test, of_c = test;
  of_a.problem.n = of_a.problem.ldb = 1;
  of_c.problem.k = 0;
  Data data = make_data(of_a);
  data.C = make_data(of_c).C;
  return data;
}

Verdict judge_move(const Case& test, const Data& before, const Data& after) {
  const Problem& p = test.problem;
  const auto size = static_cast<std::size_t>(size_of(p.in));
  Guarded wanted = before.C;
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      const std::int64_t from = p.op_a == Op::none ? i * p.lda + j : j * p.lda + i;
      const auto to = static_cast<std::size_t>(i * p.ldc + j) * size;
      std::memcpy(wanted.matrix() + to, before.A.matrix() + static_cast<std::size_t>(from) * size, size);
      if (std::memcmp(wanted.matrix() + to, after.C.matrix() + to, size) == 0) continue;
      return {Outcome::failed, fmt::format("C[{}, {}] is not the element of A that belongs there", i, j), 0, 0};
    }
  }
  if (after.C.bytes != wanted.bytes) return {Outcome::failed, "memory outside of C was written", 0, 0};
  if (after.A.bytes != before.A.bytes) return {Outcome::failed, "A was written; inputs are only read", 0, 0};
  return {};
}

}  // namespace cairn::lab::verify
