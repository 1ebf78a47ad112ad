// The semantics of every CPU backend besides accuracy: netlib's rules on what is read and what is
// written, infinities and NaNs, and small integers to the last bit. Every test runs for every backend
// and pair of types.
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "tests/cpu/matrices.hpp"

namespace cairn::cpu {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

class Semantics : public testing::TestWithParam<std::tuple<const Backend*, TypePair>> {
 protected:
  const Backend& backend() const { return *std::get<0>(GetParam()); }
  TypePair types() const { return std::get<1>(GetParam()); }

  Matrices integers(std::pair<Op, Op> ops, std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t padding = 0,
                    std::int64_t batch = 1) const {
    Matrices x(make_problem(types(), ops, m, n, k, padding, batch));
    x.fill_integers(static_cast<unsigned>(m + n + k), 1);
    return x;
  }
  void run(Matrices& x) const { run_within_workspace(backend(), x.call()); }
};

// Numbers of -1, 0 and 1 and k = 12: no sum exceeds 16, which e4m3 holds exactly.
TEST_P(Semantics, small_integers_come_out_exactly_for_every_op_ld_and_batch) {
  for (const auto& ops : kOps) {
    for (const std::int64_t padding : {0, 3}) {
      const Matrices before = integers(ops, 9, 10, 12, padding, 3);
      for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {-1.0, 1.0}, {1.0, 2.0}, {0.5, -4.0}}) {
        Matrices x = before;
        x.alpha = alpha, x.beta = beta;
        run(x);
        x.each_c([&](std::int64_t batch, std::int64_t i, std::int64_t j) {
          double want = x.beta * before.c(batch, i, j);
          for (std::int64_t kk = 0; kk < 12; ++kk) want += x.alpha * before.a(batch, i, kk) * before.b(batch, kk, j);
          ASSERT_EQ(x.c(batch, i, j), want) << x.problem.full();
        });
      }
    }
  }
}

TEST_P(Semantics, stride_zero_shares_one_matrix_among_a_batch) {
  Matrices x = integers(kOps[1], 4, 5, 6, 0, 3), one = x;
  x.problem.stride_b = 0;
  run(x);
  for (std::int64_t batch = 0; batch < 3; ++batch) {
    Call call = one.call();
    call.problem.batch = 1;
    call.A = one.A.data() + batch * one.problem.stride_a * size_of(one.problem.in);
    std::vector<std::byte> C(one.C.size());
    call.C = C.data();
    run_within_workspace(backend(), call);
    for (std::int64_t i = 0; i < 4; ++i)
      for (std::int64_t j = 0; j < 5; ++j)
        EXPECT_EQ(x.c(batch, i, j), get(x.problem.out, C.data(), i * x.problem.ldc + j));
  }
}

TEST_P(Semantics, B_may_be_A) {
  Matrices x = integers(kOps[1], 5, 5, 7), copy = x;
  copy.B = copy.A;
  run(copy);
  Call call = x.call();
  call.B = call.A;
  run_within_workspace(backend(), call);
  EXPECT_EQ(x.C, copy.C);
}

TEST_P(Semantics, nothing_outside_the_elements_of_C_is_written) {
  for (const std::int64_t n : {1, 7, 16}) {
    for (const double alpha : {0.0, 1.0}) {
      for (const double beta : {0.0, 1.0, 2.0}) {
        Matrices x = integers(kOps[0], 6, n, 5, 4, 2);
        x.alpha = alpha, x.beta = beta;
        const Matrices before = x;
        run(x);
        EXPECT_EQ(x.A, before.A);
        EXPECT_EQ(x.B, before.B);
        // Put the elements back: what is left must be as it was.
        x.each_c([&](std::int64_t batch, std::int64_t i, std::int64_t j) {
          set(x.problem.out, x.C.data(), x.c_index(batch, i, j), before.c(batch, i, j));
        });
        EXPECT_EQ(x.C, before.C) << x.problem.full();
      }
    }
  }
}

TEST_P(Semantics, beta_zero_never_reads_C) {
  for (const std::int64_t size : {1, 5, 33}) {
    for (const double alpha : {0.0, 1.0}) {
      Matrices clean = integers(kOps[0], size, size, 8, 1, 2), x = clean;
      clean.alpha = x.alpha = alpha;
      x.each_c([&](std::int64_t batch, std::int64_t i, std::int64_t j) {
        set(x.problem.out, x.C.data(), x.c_index(batch, i, j), kNan);
      });
      run(clean);
      run(x);
      x.each_c([&](std::int64_t batch, std::int64_t i, std::int64_t j) {
        ASSERT_EQ(x.c(batch, i, j), clean.c(batch, i, j)) << x.problem.full();
      });
    }
  }
}

TEST_P(Semantics, alpha_zero_or_k_zero_reads_neither_A_nor_B_and_scales_C) {
  for (const auto& [k, alpha] : {std::pair<std::int64_t, double>{8, 0.0}, {0, 1.0}, {0, kNan}, {8, -0.0}}) {
    for (const double beta : {0.0, 1.0, -2.0, kNan}) {
      const Matrices before = integers(kOps[0], 4, 5, k, 1, 2);
      Matrices x = before;
      Call call = x.call();
      call.A = call.B = nullptr;
      call.alpha = alpha, call.beta = beta;
      run_within_workspace(backend(), call);
      x.each_c([&](std::int64_t batch, std::int64_t i, std::int64_t j) {
        const double c = x.c(batch, i, j);
        ASSERT_TRUE(std::isnan(beta) ? std::isnan(c) : c == beta * before.c(batch, i, j)) << beta << " " << c;
      });
    }
  }
}

// Not even a NaN's payload or sign: the bytes are those that were there.
TEST_P(Semantics, beta_one_without_a_product_leaves_every_bit_of_C) {
  for (const auto& [k, alpha] : {std::pair<std::int64_t, double>{8, 0.0}, {0, kNan}}) {
    Matrices x = integers(kOps[0], 3, 3, k);
    std::fill(x.C.begin(), x.C.end(), std::byte{0xff});
    x.alpha = alpha, x.beta = 1;
    const Matrices before = x;
    run(x);
    EXPECT_EQ(x.C, before.C);
  }
}

TEST_P(Semantics, an_empty_C_touches_nothing) {
  for (const auto& [m, n, batch] : {std::tuple{0, 3, 1}, {3, 0, 1}, {0, 0, 4}, {3, 3, 0}}) {
    Problem p = make_problem(types(), kOps[0], m, n, 4);
    p.batch = batch;
    run_within_workspace(backend(), {p, 1, nullptr, nullptr, 2, nullptr});
  }
}

TEST_P(Semantics, a_nan_in_A_or_B_reaches_its_row_or_column_and_no_further) {
  for (const std::int64_t size : {4, 19}) {
    Matrices x = integers(kOps[0], size, size, size, 2);
    set(x.problem.in, x.A.data(), x.a_index(0, 1, 2), kNan);
    set(x.problem.in, x.B.data(), x.b_index(0, 0, 3), kNan);
    run(x);
    x.each_c([&](std::int64_t, std::int64_t i, std::int64_t j) {
      ASSERT_EQ(std::isnan(x.c(0, i, j)), i == 1 || j == 3) << i << " " << j;
    });
  }
}

TEST_P(Semantics, zeros_do_not_hide_a_nan) {
  Matrices x = integers(kOps[0], 3, 3, 3);
  x.fill([] { return 0.0; });
  set(x.problem.in, x.A.data(), x.a_index(0, 1, 1), kNan);
  run(x);
  x.each_c([&](std::int64_t, std::int64_t i, std::int64_t j) { EXPECT_EQ(std::isnan(x.c(0, i, j)), i == 1) << j; });
}

TEST_P(Semantics, infinities_follow_plain_arithmetic) {
  if (types().first == Type::e4m3) GTEST_SKIP() << "e4m3 has no infinities";
  Matrices x(make_problem(types(), kOps[0], 4, 2, 2));
  // Rows: inf * 1, inf * 0, inf - inf, -inf * 1.
  const double A[] = {kInfinity, 1, 1, kInfinity, kInfinity, -kInfinity, -kInfinity, 1};
  const double B[] = {1, 1, 0, 1};
  for (std::int64_t i = 0; i < 8; ++i) set(x.problem.in, x.A.data(), i, A[i]);
  for (std::int64_t i = 0; i < 4; ++i) set(x.problem.in, x.B.data(), i, B[i]);
  for (const double alpha : {1.0, -2.0}) {
    x.alpha = alpha;
    run(x);
    const double sign = std::copysign(kInfinity, alpha);
    EXPECT_EQ(x.c(0, 0, 0), sign);
    EXPECT_EQ(x.c(0, 0, 1), sign);
    EXPECT_TRUE(std::isnan(x.c(0, 1, 0)));
    EXPECT_EQ(x.c(0, 1, 1), sign);
    EXPECT_TRUE(std::isnan(x.c(0, 2, 1)));
    EXPECT_EQ(x.c(0, 3, 1), -sign);
  }
  // beta * C: the opposite infinity cancels to NaN, the same one stays.
  for (std::int64_t i = 0; i < 8; ++i) set(x.problem.out, x.C.data(), i, kInfinity);
  x.alpha = 1, x.beta = 1;
  run(x);
  EXPECT_EQ(x.c(0, 0, 0), kInfinity);
  EXPECT_TRUE(std::isnan(x.c(0, 3, 1)));
}

TEST_P(Semantics, alpha_or_beta_nan_gives_nan_everywhere) {
  for (const auto& [alpha, beta] : {std::pair{kNan, 0.0}, {1.0, kNan}, {kNan, 1.0}}) {
    Matrices x = integers(kOps[0], 3, 20, 4);
    x.fill([] { return 0.0; });
    x.alpha = alpha, x.beta = beta;
    run(x);
    x.each_c([&](std::int64_t, std::int64_t i, std::int64_t j) { ASSERT_TRUE(std::isnan(x.c(0, i, j))); });
  }
}

TEST_P(Semantics, results_repeat_bit_for_bit) {
  Matrices x(make_problem(types(), kOps[2], 37, 41, 53, 1, 2));
  x.fill_real(9);
  x.alpha = 0.75, x.beta = 0.5;
  Matrices y = x;
  run(x);
  run(y);
  EXPECT_EQ(x.C, y.C);
}

std::string test_name(const testing::TestParamInfo<Semantics::ParamType>& info) {
  const auto [backend, types] = info.param;
  const std::string id(backend->id);
  return id.substr(id.find('/') + 1) + "_" + std::string(name(types.first)) + "_" + std::string(name(types.second));
}

INSTANTIATE_TEST_SUITE_P(EveryBackend, Semantics,
                         testing::Combine(testing::ValuesIn(backends().begin(), backends().end()),
                                          testing::ValuesIn(kTypePairs)),
                         test_name);

}  // namespace
}  // namespace cairn::cpu
