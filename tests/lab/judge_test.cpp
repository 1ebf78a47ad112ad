// The judge and its data: bounds with known values, comparisons that can fail, ranges that cannot overflow.
#include "lab/verify/judge.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cairn/numbers.hpp"
#include "lab/random.hpp"
#include "lab/verify/healthy.hpp"
#include "lab/verify/limits.hpp"
#include "lab/verify/move.hpp"

namespace cairn::lab::verify {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

bool close(double found, double exact, double allowed, Type out = Type::f32) {
  double ratio = 0;
  return close_enough(found, {exact, 0}, allowed, out, ratio);
}

TEST(Judge, NanPassesOnlyWhereNanIsRight) {
  EXPECT_TRUE(close(kNan, kNan, 1));
  EXPECT_FALSE(close(kNan, 1, 1));
  EXPECT_FALSE(close(1, kNan, 1));
  EXPECT_FALSE(close(kNan, kInf, 1));
  EXPECT_FALSE(close(kNan, 1, kInf));
  EXPECT_FALSE(close(kNan, 0, kNan));
}

TEST(Judge, InfinityPassesOnlyWhereTheOutputOverflows) {
  EXPECT_TRUE(close(kInf, kInf, 1));
  EXPECT_FALSE(close(kInf, -kInf, 1));
  EXPECT_FALSE(close(kInf, 5, 1));
  EXPECT_FALSE(close(5, kInf, 1));
  EXPECT_TRUE(close(kInf, 70000, 1, Type::f16));
  EXPECT_TRUE(close(kInf, 65519, 2, Type::f16));  // within the bound of overflowing
  EXPECT_FALSE(close(kInf, 65000, 2, Type::f16));
  EXPECT_FALSE(close(-kInf, 70000, 1, Type::f16));
}

TEST(Judge, E4m3SaturatesInstead) {
  EXPECT_TRUE(close(448, 10000, 1, Type::e4m3));
  EXPECT_TRUE(close(-448, -kInf, 1, Type::e4m3));
  EXPECT_FALSE(close(448, -10000, 1, Type::e4m3));
  EXPECT_FALSE(close(kNan, 10000, 1, Type::e4m3));
}

TEST(Judge, ErrorsAreMeasuredAgainstBothHalvesOfTheExactValue) {
  double ratio = 0;
  // The exact value is 1 + 2^-60; a found 1 is off by 2^-60 and nothing else.
  EXPECT_TRUE(close_enough(1, {1, 0x1p-60}, 0x1p-59, Type::f64, ratio));
  EXPECT_EQ(ratio, 0.5);
  EXPECT_FALSE(close_enough(1, {1, 0x1p-60}, 0x1p-61, Type::f64, ratio));
  EXPECT_EQ(ratio, 2);
}

TEST(Judge, BoundsHaveTheirStatedValues) {
  const Problem p = Problem::packed(Type::f32, Op::none, Op::none, 1, 1, 100);
  const Bound b = bound(p, 1, 3.0, 2.0);
  const double eta = 0x1p-150 + 102 * 0x1p-149;
  EXPECT_DOUBLE_EQ(b.expected, 8 * 10 * 0x1p-24 * 3 + 0x1p-24 * 2 + eta);
  EXPECT_DOUBLE_EQ(b.rigorous, 102 * 0x1p-24 / (1 - 102 * 0x1p-24) * 3 + 0x1p-24 * 2 + eta);
  Problem h = p;
  h.in = h.out = Type::f16;
  // 13 instructions of 8 products; truncation may cost each twice as much as rounding would.
  EXPECT_DOUBLE_EQ(bound(h, 1, 3.0, 2.0).expected,
                   (8 * 10 * 0x1p-24 + 13 * 0x1p-23) * 3 + 0x1p-11 * 2 + 0x1p-25 + 102 * 0x1p-149);
  EXPECT_DOUBLE_EQ(bound(h, 1, 3.0, 2.0).rigorous,
                   102 * 0x1p-23 / (1 - 102 * 0x1p-23) * 3 + 0x1p-11 * 2 + 0x1p-25 + 102 * 0x1p-149);
  Problem t = p;
  t.compute = Compute::tf32;
  const double rest = 0x1.002p-10 * 3 + 0x1p-24 * 2 + 0x1p-150 + 102 * 0x1p-149;
  EXPECT_DOUBLE_EQ(bound(t, 1, 3.0, 2.0).expected, (8 * 10 * 0x1p-24 + 25 * 0x1p-23) * 3 + rest);
  EXPECT_DOUBLE_EQ(bound(t, 1, 3.0, 2.0).rigorous, 102 * 0x1p-23 / (1 - 102 * 0x1p-23) * 3 + rest);
}

// That of f32, and a constant: 8 u for the factors, and chains of up to 12 instructions.
TEST(Judge, SplitHasTheBoundOfF32AndAConstantMore) {
  for (const std::int64_t k : {5, 100, 1 << 20}) {
    Problem f = Problem::packed(Type::f32, Op::none, Op::none, 1, 1, k), s = f;
    s.compute = Compute::split;
    const Bound plain = bound(f, 1, 3.0, 2.0), split = bound(s, 1, 3.0, 2.0);
    const double chain = k == 5 ? 3 : 12, u = 0x1p-24;
    EXPECT_NEAR(split.expected - plain.expected, (8 + 2 * chain) * u * 3, 1e-18) << k;
    EXPECT_NEAR(split.rigorous - plain.rigorous, (8 + 6.5 * chain) * u * 3, 1e-16) << k;
  }
  // What underflow may cost, where nothing else does.
  Problem tiny = Problem::packed(Type::f32, Op::none, Op::none, 1, 1, 1);
  tiny.compute = Compute::split;
  EXPECT_DOUBLE_EQ(bound(tiny, 1, 0, 0).expected, 0x1p-150 + 3 * 0x1p-149);
}

// Tensor cores err most on a long sum of terms of equal sign. Truncated to 24 bits after every 8 products it must
// pass; with four bits of the accumulator lost it must not.
TEST(Judge, SumsThatAreCutOffPassAndCoarserOnesDoNot) {
  Problem p = Problem::packed(Type::f16, Op::none, Op::none, 1, 1, 1 << 15);
  p.out = Type::f32;
  const auto cut = [](double x, int bits) {
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);
    return std::ldexp(std::trunc(std::ldexp(fraction, bits)), exponent - bits);
  };
  const auto judged = [&](int bits) {
    Random random(5);
    double exact = 0, sum = 0;
    for (std::int64_t k = 0; k < p.k; k += 8) {
      double products = 0;
      for (int i = 0; i < 8; ++i) products += std::abs(random.real()) * std::abs(random.real());
      exact += products;
      sum = cut(sum + products, bits);
    }
    const Bound allowed = bound(p, 1, exact, exact);
    return close(sum, exact, allowed.expected) && close(sum, exact, allowed.rigorous);
  };
  EXPECT_TRUE(judged(24));
  EXPECT_FALSE(judged(20));
}

TEST(Judge, BucketsOfK) {
  EXPECT_EQ(bucket(0), 0);
  EXPECT_EQ(bucket(1), 0);
  EXPECT_EQ(bucket(2), 1);
  EXPECT_EQ(bucket(3), 1);
  EXPECT_EQ(bucket(4), 2);
  EXPECT_EQ(bucket(511), 8);
  EXPECT_EQ(bucket(512), 9);
  EXPECT_EQ(bucket(1 << 30), 9);
}

double value_at(const Guarded& g, std::int64_t index) {
  return with_type(g.type, [&]<class T>() {
    T x;
    std::memcpy(&x, g.matrix() + index * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    return static_cast<double>(x);
  });
}

// Every sum of magnitudes must fit: then every partial sum in any order does, and exact mode may compare bits.
TEST(Data, ExactModeNeverExceedsWhatTheTypesHold) {
  for (int i = 0; i < 3000; ++i) {
    Case c = draw(case_seed(3, i), Space{});
    c.mode = Mode::exact;
    const Problem& p = c.problem;
    const ExactRange r = exact_range(c);
    const auto size = [](double x) { return std::isnan(x) ? 1.0 : std::abs(x); };
    const double step = size(c.alpha) == 0.5 || size(c.beta) == 0.5 ? 0.5 : 1;
    const double largest = static_cast<double>(r.per_row * r.inputs * r.inputs) * size(c.alpha) +
                           static_cast<double>(r.outputs) * size(c.beta);
    ASSERT_LE(largest / step, std::ldexp(1.0, limits(p.out).precision)) << c.describe();
    ASSERT_LE(static_cast<double>(r.per_row * r.inputs * r.inputs), 0x1p24) << c.describe();
    // Tensor cores keep 14 significant bits, so sums below 2^14 are exact: all of a fast sum, 128 products of
    // another.
    const std::int64_t inside = p.compute == Compute::fast ? r.per_row : std::min<std::int64_t>(r.per_row, 128);
    ASSERT_TRUE(p.in != Type::e4m3 || inside * r.inputs * r.inputs < 1 << 14) << c.describe();
    ASSERT_GE(r.inputs, 1);
    ASSERT_TRUE(p.k == 0 || r.per_row >= 1) << c.describe();
  }
}

TEST(Data, SparseRowsKeepTheirPromise) {
  Case c;
  c.problem = Problem::packed(Type::e4m3, Op::transpose, Op::none, 40, 3, 200);
  c.seed = 9;
  const ExactRange r = exact_range(c);
  ASSERT_LT(r.per_row, 200);
  const Data d = make_data(c);
  std::set<std::int64_t> used;
  for (std::int64_t i = 0; i < 40; ++i) {
    std::int64_t nonzero = 0;
    for (std::int64_t kk = 0; kk < 200; ++kk) {
      if (value_at(d.A, kk * c.problem.lda + i) == 0) continue;
      ++nonzero;
      used.insert(kk);
    }
    EXPECT_LE(nonzero, r.per_row);
    EXPECT_GE(nonzero, 1);
  }
  EXPECT_GT(used.size(), 150u);  // the rows together use nearly every k
}

TEST(Data, EverythingOutsideTheMatrixIsPoison) {
  Case c;
  c.problem = Problem::packed(Type::f32, Op::none, Op::none, 3, 4, 5);
  c.problem.lda = 9;
  c.offset_a = 3;
  c.mode = Mode::rounding;
  const Data d = make_data(c);
  EXPECT_EQ(d.A.first % 256, 12u);
  int numbers = 0;
  for (std::int64_t i = -3; i < 3 * 9; ++i) {
    const bool inside = i >= 0 && i % 9 < 5;
    const double x = value_at(d.A, i);
    EXPECT_NE(inside, std::isnan(x)) << i;
    numbers += inside;
  }
  EXPECT_EQ(numbers, 15);
  EXPECT_TRUE(std::isnan(value_at(d.C, 0)));  // beta = 0: C holds NaN
}

// Bug 7 of the public ladders: A and B from one seed. B = A makes any kernel that mixes them up look right.
TEST(Data, AAndBAndCAreDifferentNumbers) {
  Case c;
  c.problem = Problem::packed(Type::f32, Op::none, Op::none, 16, 16, 16);
  c.mode = Mode::rounding;
  c.beta = 1;
  const Data d = make_data(c);
  int same = 0;
  for (std::int64_t i = 0; i < 256; ++i) {
    same += value_at(d.A, i) == value_at(d.B, i);
    same += value_at(d.A, i) == value_at(d.C, i);
  }
  EXPECT_EQ(same, 0);
}

TEST(Move, IsRightBitForBitOrNamedWrong) {
  Case c;
  c.problem = Problem::packed(Type::f32, Op::transpose, Op::none, 5, 3, 3);
  c.problem.ldc = 4;
  c.mode = Mode::special;
  const Data before = moving_data(c);
  Data right = before;
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      std::memcpy(right.C.matrix() + 4 * (i * 4 + j), before.A.matrix() + 4 * (j * c.problem.lda + i), 4);
    }
  }
  EXPECT_EQ(judge_move(c, before, right).outcome, Outcome::passed);
  EXPECT_NE(judge_move(c, before, before).what.find("C[0, 0]"), std::string::npos);  // nothing was moved
  Data wrong = right;
  wrong.C.matrix()[4 * (2 * 4 + 1)] ^= std::byte{1};
  EXPECT_NE(judge_move(c, before, wrong).what.find("C[2, 1]"), std::string::npos);
  Data outside = right;
  outside.C.matrix()[4 * 3] ^= std::byte{1};  // the padding of the first row
  EXPECT_NE(judge_move(c, before, outside).what.find("outside of C"), std::string::npos);
  Data input = right;
  input.A.matrix()[0] ^= std::byte{1};
  EXPECT_NE(judge_move(c, before, input).what.find("A was written"), std::string::npos);
}

// Three products of 2 x 3 side by side: product b has columns 4 b to 4 b + 2 of rows of 13. With k = 0 and beta = 1
// nothing may change.
TEST(Judge, AnythingWrittenOutsideOfCIsSeenAndItsPlaceNamed) {
  Case c;
  c.problem = Problem::packed(Type::f32, Op::none, Op::none, 2, 3, 0);
  c.problem.batch = 3, c.problem.ldc = 13, c.problem.stride_c = 4;
  c.mode = Mode::exact, c.beta = 1;
  const Data before = make_data(c);
  Oracle oracle;
  EXPECT_EQ(judge(c, before, before, oracle).outcome, Outcome::passed);
  const auto said = [&](std::int64_t element) {
    Data after = before;
    after.C.matrix()[4 * element] ^= std::byte{1};
    return judge(c, before, after, oracle).what;
  };
  for (const std::int64_t element : {-1, 3, 7, 11, 12, 13 + 3, 13 + 7, 13 + 11, 13 + 12}) {
    EXPECT_NE(said(element).find(fmt::format("outside of C was written at element {} ", element)), std::string::npos)
        << said(element);
  }
  for (const std::int64_t element : {0, 2, 4, 10, 13, 13 + 10})
    EXPECT_EQ(said(element).find("outside of C"), std::string::npos) << said(element);
}

TEST(Cases, AreDrawnFromTheirSeedAlone) {
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t seed = case_seed(5, i);
    EXPECT_EQ(draw(seed, Space{}).describe(), draw(seed, Space{}).describe());
  }
  EXPECT_NE(case_seed(5, 0), case_seed(5, 1));
  EXPECT_NE(case_seed(5, 0), case_seed(6, 0));
}

TEST(Cases, CoverWhatTheyShould) {
  std::set<std::string> layouts;
  std::set<double> alphas, betas;
  int nan_alpha = 0, zero_k = 0, one_off = 0, shared = 0, aliased = 0, null_inputs = 0;
  for (int i = 0; i < 5000; ++i) {
    const Case c = draw(case_seed(7, i), Space{});
    const Problem& p = c.problem;
    ASSERT_LE(std::max({p.m, p.n, p.k}), 300);
    layouts.insert(std::string(name(p.in)) + std::string(name(p.out)) + std::string(name(p.order)) +
                   std::string(name(p.op_a)) + std::string(name(p.op_b)));
    if (std::isnan(c.alpha))
      ++nan_alpha;
    else
      alphas.insert(c.alpha);
    if (!std::isnan(c.beta)) betas.insert(c.beta);
    zero_k += p.k == 0;
    one_off += p.m % 32 == 1 || p.m % 32 == 31;
    shared += p.batch > 1 && p.stride_a == 0;
    aliased += c.alias;
    null_inputs += c.null_inputs;
  }
  EXPECT_EQ(layouts.size(), 10u * 2 * 4);
  EXPECT_EQ(alphas, (std::set<double>{-1, 0, 0.5, 1}));
  EXPECT_EQ(betas, (std::set<double>{-1, 0, 0.5, 1}));
  for (const int count : {nan_alpha, zero_k, one_off, shared, aliased, null_inputs}) EXPECT_GT(count, 20);
}

}  // namespace
}  // namespace cairn::lab::verify
