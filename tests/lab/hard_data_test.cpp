// The data of split cases that are hard to multiply: what is in them, and that the rungs which scale their rows have to
// hold the bounds of f32 for all of it.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "lab/verify/bound.hpp"
#include "lab/verify/data.hpp"
#include "lab/verify/hard.hpp"
#include "lab/verify/judge.hpp"

namespace cairn::lab::verify {
namespace {

constexpr std::int64_t kRows = 40, kDepth = 96;

Case hard_case(std::uint64_t index) {
  Case test;
  test.problem = Problem::packed(Type::f32, Op::none, Op::transpose, kRows, kRows, kDepth);
  test.problem.compute = Compute::split;
  test.mode = Mode::rounding;
  test.seed = index << 6;
  return test;
}

// Line i of an operand whose lines are along k.
std::vector<double> line_of(const Guarded& g, std::int64_t i) {
  std::vector<float> line(kDepth);
  std::memcpy(line.data(), g.matrix() + static_cast<std::size_t>(i * kDepth) * sizeof(float), kDepth * sizeof(float));
  return {line.begin(), line.end()};
}

// Binades between the smallest element that is not 0 and the largest, and the exponent of that.
struct Range {
  int apart, top;
};
Range range_of(const std::vector<double>& line) {
  int low = 1000, high = -1000;
  for (const double x : line)
    if (x != 0) low = std::min(low, std::ilogb(x)), high = std::max(high, std::ilogb(x));
  return {high - low, high};
}

TEST(HardData, HaveRowsOfEverySizeAndSpread) {
  int with_none = 0, with_few = 0, with_many = 0, at_28 = 0, at_29 = 0, at_100 = 0, at_101 = 0, subnormal = 0;
  int lowest = 1000, highest = -1000;
  for (std::uint64_t index = 0; index < 300; ++index) {
    ASSERT_TRUE(is_hard(hard_case(index)));
    const Data data = make_data(hard_case(index));
    int wide = 0;
    for (const Guarded* g : {&data.A, &data.B}) {
      for (std::int64_t i = 0; i < kRows; ++i) {
        const auto [apart, top] = range_of(line_of(*g, i));
        wide += apart > 28;
        at_28 += apart == 28, at_29 += apart == 29, at_100 += apart == 100, at_101 += apart == 101;
        subnormal += top < -126;
        lowest = std::min(lowest, top), highest = std::max(highest, top);
      }
    }
    with_none += wide == 0, with_few += wide > 0 && wide <= 16, with_many += wide > 16;
  }
  // How many rows a rung finds that planes of f16 do not hold.
  EXPECT_GT(with_none, 50);
  EXPECT_GT(with_few, 50);
  EXPECT_GT(with_many, 50);
  for (const int rows : {at_28, at_29, at_100, at_101, subnormal}) EXPECT_GT(rows, 20);
  EXPECT_LT(lowest, -127);
  EXPECT_GT(highest, 118);
}

TEST(HardData, SumsAreFiniteInF32AndSomeCancel) {
  int cancelled = 0;
  for (std::uint64_t index = 0; index < 200; ++index) {
    const Data data = make_data(hard_case(index));
    for (std::int64_t i = 0; i < kRows; ++i) {
      const std::vector<double> a = line_of(data.A, i), b = line_of(data.B, (i * 7) % kRows);
      double sum = 0, magnitude = 0;
      for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k], magnitude += std::abs(a[k] * b[k]);
      ASSERT_LT(magnitude, 0x1p120);
      cancelled += magnitude > 0 && std::abs(sum) < 1e-6 * magnitude;
    }
  }
  EXPECT_GT(cancelled, 500);
}

TEST(HardData, AreForSplitAloneAndNeverWhereDataAreExact) {
  Case test = hard_case(1);
  test.problem.compute = Compute::native;
  EXPECT_FALSE(is_hard(test));
  test = hard_case(1);
  test.mode = Mode::exact;
  EXPECT_FALSE(is_hard(test));
  test = hard_case(1);
  test.seed |= 1u << 5;
  EXPECT_FALSE(is_hard(test));
}

// 2^-130 times 2^50, off by the last bits that a sum of two TF32 loses: what tensor/40 may return, and rungs that scale
// may not.
TEST(HardData, RungsThatScaleAreHeldToF32sBoundForSmallFactorsToo) {
  Case test;
  test.problem = Problem::packed(Type::f32, Op::none, Op::none, 1, 1, 1);
  test.problem.compute = Compute::split;
  test.mode = Mode::rounding;
  Data before = make_data(test);
  const float a = 0x1.004p-130F, b = 0x1p50F, found = 0x1p-80F;
  std::memcpy(before.A.matrix(), &a, sizeof a);
  std::memcpy(before.B.matrix(), &b, sizeof b);
  Data after = before;
  std::memcpy(after.C.matrix(), &found, sizeof found);
  for (const char* id : {"tensor/40_mma_tf32x3", "hopper/60_bf16x6", "hopper/61_f16x3"}) {
    test.scales_factors = scales_factors(id, test.problem);
    Oracle oracle;
    EXPECT_EQ(judge(test, before, after, oracle).outcome == Outcome::passed, id[0] == 't') << id;
  }
  Problem native = test.problem;
  native.compute = Compute::native;
  EXPECT_FALSE(scales_factors("hopper/59_summit", native));
}

}  // namespace
}  // namespace cairn::lab::verify
