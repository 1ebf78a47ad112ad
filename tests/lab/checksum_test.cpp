// The check of large products: one wrong element anywhere is seen, and the right result is not accused.
#include "lab/verify/checksum.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "src/cpu/reference.hpp"
#include "src/dispatch/normalize.hpp"

namespace cairn::lab::verify {
namespace {

struct Worked {
  Case test;
  Data before;
  std::vector<float> C;  // the exact result, dense lines of ldc
  Call row;
};

// A product small enough to know its result, checked by the code for large ones.
Worked worked(Op op_a, Op op_b, Order order, double alpha, double beta) {
  Worked w;
  w.test.seed = 5;
  w.test.problem = Problem::packed(Type::f32, op_a, op_b, 23, 17, 31, order);
  w.test.alpha = alpha, w.test.beta = beta;
  w.before = make_data(w.test);
  const Call call{w.test.problem, alpha, w.before.A.matrix(), w.before.B.matrix(), beta, w.before.C.matrix()};
  w.row = dispatch::to_row(call);
  std::vector<double> hi(23 * 17), lo(23 * 17);
  cpu::exact(w.row, hi.data(), lo.data());
  for (const double x : hi) w.C.push_back(static_cast<float>(x));
  return w;
}

const std::byte* bytes(const std::vector<float>& C) { return reinterpret_cast<const std::byte*>(C.data()); }

TEST(Checksum, TheRightResultPassesInEveryLayout) {
  for (const Op a : {Op::none, Op::transpose}) {
    for (const Op b : {Op::none, Op::transpose}) {
      for (const Order order : {Order::row, Order::column}) {
        for (const double beta : {0.0, -1.0, 0.5}) {
          const Worked w = worked(a, b, order, 0.5, beta);
          EXPECT_EQ(first_wrong_row(w.row, bytes(w.C), 1), -1) << w.test.describe();
          EXPECT_EQ(judge_large(w.test, w.row, {bytes(w.C)}).outcome, Outcome::passed);
        }
      }
    }
  }
}

TEST(Checksum, OneWrongElementAnywhereIsSeenAndNamed) {
  const Worked right = worked(Op::none, Op::transpose, Order::row, 1, 1);
  for (const std::size_t at : {0u, 16u, 17u, 200u, 390u}) {
    for (const float by : {1.0f, -2.0f, std::numeric_limits<float>::quiet_NaN()}) {
      Worked w = right;
      w.C[at] += by;
      EXPECT_EQ(first_wrong_row(w.row, bytes(w.C), 2), static_cast<std::int64_t>(at / 17));
      const Verdict v = judge_large(w.test, w.row, {bytes(w.C)});
      EXPECT_EQ(v.outcome, Outcome::failed);
      EXPECT_NE(v.what.find("row " + std::to_string(at / 17)), std::string::npos) << v.what;
      EXPECT_NE(v.what.find("C[0, " + std::to_string(at % 17) + "]"), std::string::npos) << v.what;
    }
  }
}

TEST(Checksum, TwoElementsExchangedAreSeen) {
  Worked w = worked(Op::none, Op::none, Order::row, 1, 0);
  std::swap(w.C[40], w.C[45]);
  ASSERT_NE(w.C[40], w.C[45]);
  EXPECT_EQ(judge_large(w.test, w.row, {bytes(w.C)}).outcome, Outcome::failed);
}

TEST(Checksum, RealDataAreJudgedBySampledRows) {
  Worked w = worked(Op::none, Op::none, Order::row, 1, 0);
  w.test.mode = Mode::rounding;
  EXPECT_EQ(judge_large(w.test, w.row, {bytes(w.C)}).outcome, Outcome::passed);
  for (float& x : w.C) x += 1;
  EXPECT_EQ(judge_large(w.test, w.row, {bytes(w.C)}).outcome, Outcome::failed);
}

TEST(Checksum, EpiloguesAreJudgedBySampledRows) {
  for (const Bias side : {Bias::rows, Bias::columns}) {
    Worked w = worked(Op::none, Op::transpose, Order::row, 1, 0);
    Problem& p = w.test.problem;
    p.bias = side, p.activation = Activation::relu, p.before = Before::stored;
    w.row.problem = p;
    std::vector<float> bias, before = w.C;
    for (int i = 0; i < 23; ++i) bias.push_back(static_cast<float>(i % 7 - 3));
    w.row.bias = bias.data();
    for (std::size_t at = 0; at < w.C.size(); ++at) {
      before[at] += bias[side == Bias::rows ? at / 17 : at % 17];
      w.C[at] = std::max(before[at], 0.0f);
    }
    EXPECT_EQ(judge_large(w.test, w.row, {bytes(w.C), bytes(before)}).outcome, Outcome::passed);
    EXPECT_EQ(judge_large(w.test, w.row, {bytes(before), bytes(before)}).outcome, Outcome::failed);
    for (float& x : before) x += 1;
    const Verdict wrong = judge_large(w.test, w.row, {bytes(w.C), bytes(before)});
    EXPECT_EQ(wrong.outcome, Outcome::failed);
    EXPECT_NE(wrong.what.find("before["), std::string::npos) << wrong.what;
  }
}

TEST(Checksum, IsForProductsTheOracleIsTooSlowFor) {
  EXPECT_FALSE(is_large(Problem::packed(Type::f32, Op::none, Op::none, 1024, 1024, 1024)));
  EXPECT_TRUE(is_large(Problem::packed(Type::f32, Op::none, Op::none, 4096, 4096, 4096)));
}

}  // namespace
}  // namespace cairn::lab::verify
