// The judge's oracle against cpu/reference, and the excess of small factors against its definition.
#include "lab/verify/oracle.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "cairn/numbers.hpp"
#include "lab/verify/bound.hpp"
#include "lab/verify/data.hpp"
#include "src/cpu/epilogue.hpp"
#include "src/cpu/reference.hpp"
#include "src/dispatch/normalize.hpp"

namespace cairn::lab::verify {
namespace {

double element(Type type, const void* matrix, std::int64_t at) {
  return with_type(type, [&]<class T>() { return static_cast<double>(static_cast<const T*>(matrix)[at]); });
}

// |alpha| times the sum over k of a' b' - |a| |b|.
double excess_of(const Call& row, std::int64_t batch, std::int64_t i, std::int64_t j) {
  const Problem& p = row.problem;
  const auto aligned = [smallest = smallest_factor(p)](double x) {
    return x == 0 || std::isnan(x) ? std::fabs(x) : std::max(std::fabs(x), smallest);
  };
  double sum = 0;
  for (std::int64_t l = 0; l < p.k; ++l) {
    const double a = element(p.in, row.A, batch * p.stride_a + (p.op_a == Op::none ? i * p.lda + l : l * p.lda + i));
    const double b = element(p.in, row.B, batch * p.stride_b + (p.op_b == Op::none ? l * p.ldb + j : j * p.ldb + l));
    const std::int64_t block = l / Problem::kScaleBlock;
    const double scale = cpu::scale_a_at(row, batch, i, block) * cpu::scale_b_at(row, batch, j, block);
    sum += (aligned(a) * aligned(b) - std::fabs(a) * std::fabs(b)) * std::fabs(scale);
  }
  return std::fabs(row.alpha) * sum;
}

TEST(Oracle, AgreesWithTheReferenceForEveryKindOfCase) {
  int with_excess = 0;
  for (int index = 0; index < 600; ++index) {
    Space space;
    space.max_size = 150;
    const Case test = draw(case_seed(21, index), space);
    Data data = make_data(test);
    Call call{test.problem, test.alpha, data.A.matrix(), data.B.matrix(), test.beta, data.C.matrix()};
    call.bias = data.bias.matrix(), call.before = data.before.matrix();
    call.scale_a = data.scale_a.matrix(), call.scale_b = data.scale_b.matrix();
    const Call row = dispatch::to_row(call);
    const Problem& p = row.problem;
    const auto count = static_cast<std::size_t>(p.m * p.n * p.batch);
    if (count == 0) continue;
    std::vector<double> hi(count), lo(count), magnitude(count);
    cpu::exact(row, hi.data(), lo.data());
    cpu::magnitude(row, magnitude.data());
    const Oracle oracle = oracle_of(test, row);
    ASSERT_TRUE(test.mode != Mode::exact || oracle.unit == 0) << test.describe();
    std::size_t at = 0;
    for (std::int64_t b = 0; b < p.batch; ++b) {
      for (std::int64_t i = 0; i < p.m; ++i) {
        for (std::int64_t j = 0; j < p.n; ++j, ++at) {
          if (std::isnan(hi[at])) {
            ASSERT_TRUE(std::isnan(oracle.hi[at])) << test.describe();
            continue;
          }
          if (std::isinf(hi[at])) {
            ASSERT_EQ(oracle.hi[at], hi[at]) << test.describe();
            continue;
          }
          const double off = (oracle.hi[at] - hi[at]) + (oracle.lo[at] - lo[at]);
          ASSERT_LE(std::fabs(off), oracle.unit * magnitude[at]) << test.describe();
          if (test.mode == Mode::exact) continue;
          ASSERT_NEAR(oracle.magnitude[at], magnitude[at], 1e-13 * magnitude[at]) << test.describe();
          if (!test.reads_inputs() || smallest_factor(p) == 0 || at % 7 != 0) continue;
          const double excess = excess_of(row, b, i, j), found = oracle.excess.empty() ? 0 : oracle.excess[at];
          ASSERT_NEAR(found, excess, 1e-12 * (excess + magnitude[at])) << test.describe();
          with_excess += excess > 0;
        }
      }
    }
  }
  EXPECT_GT(with_excess, 1000);
}

}  // namespace
}  // namespace cairn::lab::verify
