// Factors below the smallest normal number, which tensor cores align as if they were that number: the term of the
// bounds that allows for it, and sums computed by hand that the judge must accept or reject.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "cairn/numbers.hpp"
#include "lab/verify/judge.hpp"
#include "lab/verify/limits.hpp"

namespace cairn::lab::verify {
namespace {

Problem problem(Type in, Compute compute, std::int64_t k) {
  Problem p = Problem::packed(in, Op::none, Op::none, 1, 1, k);
  p.out = Type::f32, p.compute = compute;
  return p;
}

TEST(Bounds, AnExcessCostsWhatOneInstructionCutsOffWhateverKIs) {
  const double excess = 0.75;
  const struct {
    Type in;
    Compute compute;
    double smallest, deep, bit, times, inputs;  // of an instruction: products, last bit kept; how many; of factors
  } kinds[] = {
      {Type::f16, Compute::native, 0x1p-14, 16, 0x1p-25, 1, 0},
      {Type::bf16, Compute::native, 0x1p-126, 16, 0x1p-25, 1, 0},
      {Type::f32, Compute::tf32, 0x1p-126, 8, 0x1p-25, 1, 0x1.002p-10},
      {Type::f32, Compute::split, 0x1p-113, 16, 0x1p-25, 3, 0x1p-21},
      {Type::e4m3, Compute::native, 0x1p-6, 32, 0x1p-13, 1, 0},
      {Type::e4m3, Compute::fast, 0x1p-6, 32, 0x1p-13, 1, 0},
      {Type::f32, Compute::native, 0, 0, 0, 0, 0},
      {Type::f64, Compute::native, 0, 0, 0, 0, 0},
  };
  for (const auto& kind : kinds) {
    for (const std::int64_t k : {1, 2, 9, 100, 1 << 16}) {
      const Problem p = problem(kind.in, kind.compute, k);
      EXPECT_EQ(smallest_factor(p), kind.smallest) << p.brief();
      const Bound without = bound(p, 1, 3, 2), with = bound(p, 1, 3, 2, excess);
      const double terms = std::min(static_cast<double>(k), kind.deep) + 1;
      const double more = (kind.times * terms * kind.bit + kind.inputs) * excess;
      EXPECT_NEAR(with.expected - without.expected, more, 1e-14) << p.brief();
      // Of e4m3 the products may have lost all they have already.
      if (k < 1 << 16) {
        EXPECT_NEAR(with.rigorous - without.rigorous, more, 1e-14) << p.brief();
      }
      EXPECT_LE(with.rigorous - without.rigorous, more + 1e-14) << p.brief();
    }
  }
}

// Whether the judge takes `found` for a[0] b[0] + a[1] b[1] + …
bool takes(const Problem& p, const std::vector<double>& a, const std::vector<double>& b, double found) {
  Case test;
  test.problem = p;
  test.mode = Mode::special;
  Data before = make_data(test);
  with_type(p.in, [&]<class T>() {
    for (std::size_t l = 0; l < a.size(); ++l) {
      const T of_a = static_cast<T>(a[l]), of_b = static_cast<T>(b[l]);
      EXPECT_EQ(static_cast<double>(of_a), a[l]);
      EXPECT_EQ(static_cast<double>(of_b), b[l]);
      std::memcpy(before.A.matrix() + l * sizeof(T), &of_a, sizeof(T));
      std::memcpy(before.B.matrix() + l * sizeof(T), &of_b, sizeof(T));
    }
  });
  Data after = before;
  const auto c = static_cast<float>(found);
  std::memcpy(after.C.matrix(), &c, sizeof c);
  Oracle oracle;
  return judge(test, before, after, oracle).outcome == Outcome::passed;
}

// 2^-24 * 2^15 is 2^-9, and is aligned as 2^-14 * 2^15 = 2. Of the other product, nothing is left of what lies 25
// bits behind the point of that: 2^-24. Without the first factor's excess the bounds are 2^-29.
TEST(Judge, AProductCutOffBehindASubnormalOneIsTakenAndCutTwoBitsEarlierIsNot) {
  const Problem p = problem(Type::f16, Compute::native, 2);
  const double below = 0x1.ff8p-25, four_times = 0x1.ff8p-23;
  EXPECT_TRUE(takes(p, {0x1p-24, 0x1p-14}, {0x1p15, below * 0x1p14}, 0x1p-9 + below));
  EXPECT_TRUE(takes(p, {0x1p-24, 0x1p-14}, {0x1p15, below * 0x1p14}, 0x1p-9));
  EXPECT_FALSE(takes(p, {0x1p-24, 0x1p-14}, {0x1p15, four_times * 0x1p14}, 0x1p-9));
  // The same numbers with the first product made of normal factors: nothing hides the other.
  EXPECT_FALSE(takes(p, {0x1p-14, 0x1p-14}, {0x1p5, below * 0x1p14}, 0x1p-9));
  // Nor does a zero, whatever it is multiplied by.
  EXPECT_FALSE(
      takes(problem(Type::f16, Compute::native, 3), {0, 0x1p-14, 0x1p-14}, {0x1p15, 0x1p5, below * 0x1p14}, 0x1p-9));
}

// 2^-9 * 2^8 is 1/2, aligned as 4, of which 2^-11 is the last bit kept: two products just below it are lost.
TEST(Judge, OfE4m3TheSameWith13Bits) {
  for (const Compute compute : {Compute::native, Compute::fast}) {
    const Problem p = problem(Type::e4m3, compute, 3);
    EXPECT_TRUE(takes(p, {0x1p-9, 0x1p-6, 0x1p-6}, {0x1p8, 1.875 * 0x1p-6, 1.875 * 0x1p-6}, 0.5));
    EXPECT_FALSE(takes(p, {0x1p-9, 0x1p-6, 0x1p-6}, {0x1p8, 1.875 * 0x1p-4, 1.875 * 0x1p-4}, 0.5));
    EXPECT_FALSE(takes(p, {0x1p-6, 0x1p-6, 0x1p-6}, {0x1p5, 1.875 * 0x1p-5, 1.875 * 0x1p-5}, 0.5));
  }
}

// TF32's denormals are 2^-136 apart: a factor may be off by half of that, and the product by as much times the other
// factor. A factor that becomes 0 is off by more.
TEST(Judge, ASubnormalFactorMayBeRoundedToTf32AndNotBeDropped) {
  const Problem t = problem(Type::f32, Compute::tf32, 1);
  EXPECT_TRUE(takes(t, {0x1.8p-136}, {0x1p50}, 0x1p-86));
  EXPECT_TRUE(takes(t, {0x1.8p-136}, {0x1p50}, 0x1p-85));
  EXPECT_FALSE(takes(t, {0x1.8p-136}, {0x1p50}, 0));
  EXPECT_FALSE(takes(problem(Type::f32, Compute::native, 1), {0x1.8p-136}, {0x1p50}, 0x1p-86));
  // Of a split factor, what is left may be below that.
  const Problem s = problem(Type::f32, Compute::split, 1);
  EXPECT_TRUE(takes(s, {0x1.004p-130}, {0x1p50}, 0x1p-80));
  EXPECT_FALSE(takes(s, {0x1.004p-130}, {0x1p50}, 0));
  EXPECT_FALSE(takes(s, {0x1.004p-110}, {0x1p50}, 0x1p-60));
}

// Special data of one seed, as numbers.
std::vector<double> drawn(Type type, std::uint64_t seed) {
  Case test;
  test.problem = problem(type, Compute::native, 4000);
  test.mode = Mode::special;
  test.seed = seed;
  const Data data = make_data(test);
  return with_type(type, [&]<class T>() {
    std::vector<T> of_type(4000);
    std::memcpy(of_type.data(), data.A.matrix(), of_type.size() * sizeof(T));
    std::vector<double> all;
    for (const T x : of_type) all.push_back(static_cast<double>(x));
    return all;
  });
}

// Bits 9 and 10 of the seed say which.
TEST(Data, OfOneSeedInTwoSpecialDataHaveDenormalsOfEverySize) {
  for (const Type type : {Type::f64, Type::f32, Type::f16, Type::bf16, Type::e4m3}) {
    const double smallest = std::ldexp(limits(type).tiny, limits(type).precision - 1);
    for (const std::uint64_t seed : {0u, 1u << 9, 1u << 10, 3u << 9}) {
      std::set<int> exponents;
      double largest = 0;
      for (const double x : drawn(type, seed)) {
        if (x != 0 && std::abs(x) < smallest) exponents.insert(std::ilogb(x));
        if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
      }
      const bool harsh = (seed & 1u << 9) == 0;
      if (harsh) {
        EXPECT_EQ(exponents.size(), static_cast<std::size_t>(limits(type).precision - 1)) << name(type);
      }
      EXPECT_EQ(largest > 1, seed == 0) << name(type);
    }
  }
}

}  // namespace
}  // namespace cairn::lab::verify
