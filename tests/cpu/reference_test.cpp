// cpu/reference against results worked by hand and against arithmetic without rounding.
#include "src/cpu/reference.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

#include "tests/cpu/exact_number.hpp"
#include "tests/cpu/matrices.hpp"

namespace cairn::cpu {
namespace {

// The exact result of one element.
ExactNumber exact_element(const Matrices& x, std::int64_t batch, std::int64_t i, std::int64_t j) {
  ExactNumber sum;
  for (std::int64_t kk = 0; kk < x.problem.k; ++kk) sum = sum + ExactNumber(x.a(batch, i, kk)) * x.b(batch, kk, j);
  sum = sum * x.alpha;
  return x.beta == 0 ? sum : sum + ExactNumber(x.c(batch, i, j)) * x.beta;
}

template <class T>
using Raw = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                               std::conditional_t<sizeof(T) == 4, std::uint32_t,
                                                  std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;
template <class T> constexpr std::uint64_t kSign = std::uint64_t{1} << (8 * sizeof(T) - 1);

// Finite values of a type in order: ..., -1 the largest below zero, 0, 1 the smallest above.
template <class T> std::int64_t rank(T x) {
  const std::uint64_t raw = std::bit_cast<Raw<T>>(x);
  return raw < kSign<T> ? static_cast<std::int64_t>(raw) : -static_cast<std::int64_t>(raw - kSign<T>);
}
template <class T> T of_rank(std::int64_t rank) {
  const std::uint64_t raw =
      rank >= 0 ? static_cast<std::uint64_t>(rank) : static_cast<std::uint64_t>(-rank) + kSign<T>;
  return std::bit_cast<T>(static_cast<Raw<T>>(raw));
}

// True if no value of T is nearer to `exact` than x is, and none as near unless x is even.
template <class T> bool is_nearest(T x, const ExactNumber& exact) {
  const std::int64_t at = rank(x);
  const ExactNumber here(static_cast<double>(x)), twice = exact + exact;
  const auto below = twice <=> here + ExactNumber(static_cast<double>(of_rank<T>(at - 1)));
  const auto above = twice <=> here + ExactNumber(static_cast<double>(of_rank<T>(at + 1)));
  return at % 2 == 0 ? below >= 0 && above <= 0 : below > 0 && above < 0;
}

void expect_rounded_once(const Matrices& before) {
  Matrices x = before;
  run_within_workspace(reference, x.call());
  with_type(x.problem.out, [&]<class T>() {
    x.each_c([&](std::int64_t batch, std::int64_t i, std::int64_t j) {
      const T c = reinterpret_cast<const T*>(x.C.data())[x.c_index(batch, i, j)];
      ASSERT_TRUE(is_nearest(c, exact_element(before, batch, i, j)))
          << x.problem.full() << " alpha " << x.alpha << " beta " << x.beta << ": C[" << i << "][" << j
          << "] = " << static_cast<double>(c);
    });
  });
}

// A 1 x 1 product of two vectors.
template <class T> Matrices dot(Type out, const std::vector<T>& a, const std::vector<T>& b) {
  Matrices x(make_problem({type_of<T>, out}, kOps[0], 1, 1, static_cast<std::int64_t>(a.size())));
  std::memcpy(x.A.data(), a.data(), x.A.size());
  std::memcpy(x.B.data(), b.data(), x.B.size());
  return x;
}
double result(Matrices x) {
  run_within_workspace(reference, x.call());
  return x.c(0, 0, 0);
}

TEST(Reference, multiplies_a_product_worked_by_hand) {
  // 2 * [1 2 3; 4 5 6] * [7 8; 9 10; 11 12] - [1 2; 3 4], C inside rows of three.
  Problem p = make_problem({Type::f32, Type::f32}, kOps[0], 2, 2, 3);
  p.ldc = 3;
  const float A[] = {1, 2, 3, 4, 5, 6}, B[] = {7, 8, 9, 10, 11, 12};
  float C[] = {1, 2, -100, 3, 4, -100};
  run_within_workspace(reference, {p, 2, A, B, -1, C});
  const float expected[] = {115, 126, -100, 275, 304, -100};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(C[i], expected[i]) << i;
}

TEST(Reference, transposes_as_worked_by_hand) {
  // A stored as its transpose, 3 x 2; B likewise, 2 x 3: the same product as above.
  const Problem p = make_problem({Type::f64, Type::f64}, kOps[3], 2, 2, 3);
  const double A[] = {1, 4, 2, 5, 3, 6}, B[] = {7, 9, 11, 8, 10, 12};
  double C[4] = {};
  run_within_workspace(reference, {p, 1, A, B, 0, C});
  const double expected[] = {58, 64, 139, 154};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(C[i], expected[i]) << i;
}

TEST(Reference, rounds_once_for_every_type_op_ld_and_batch) {
  unsigned seed = 0;
  for (const TypePair& types : kTypePairs)
    for (const auto& ops : kOps)
      for (const double beta : {0.0, -0.7})
        for (const double alpha : {1.0, 0.3}) {
          Matrices x(make_problem(types, ops, 3, 4, 7, static_cast<std::int64_t>(seed % 3), 2));
          x.fill_real(++seed);
          x.alpha = static_cast<float>(alpha), x.beta = static_cast<float>(beta);
          expect_rounded_once(x);
          if (HasFatalFailure()) return;
        }
}

// One past a tile in m, n and k, so that every edge of every loop is met.
TEST(Reference, rounds_once_beyond_the_edges_of_its_tiles) {
  for (const auto& ops : kOps) {
    for (const auto& [m, n, k] : {std::array{33, 3, 5}, std::array{2, 129, 3}, std::array{2, 3, 261}}) {
      Matrices x(make_problem({Type::f32, Type::f32}, ops, m, n, k, 1));
      x.fill_real(static_cast<unsigned>(m));
      x.alpha = -1, x.beta = 1;
      expect_rounded_once(x);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Reference, rounds_once_for_f32_of_every_exponent) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Matrices x(make_problem({Type::f32, Type::f32}, kOps[0], 2, 2, 3));
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> mantissa(1, 2);
    std::uniform_int_distribution<int> exponent(-149, 60);
    x.fill([&] { return std::ldexp(mantissa(random), exponent(random)) * (random() % 2 == 0 ? 1 : -1); });
    x.alpha = static_cast<float>(mantissa(random)), x.beta = 0.5;
    expect_rounded_once(x);
    if (HasFatalFailure()) return;
  }
}

TEST(Reference, rounds_once_where_double_would_have_lost_the_deciding_term) {
  // 1 + 2^-24 is half way between two floats; the last term is too small for a double beside 1, and
  // decides.
  const std::vector<float> ones = {1, 1, 1};
  EXPECT_EQ(result(dot<float>(Type::f32, {1, 0x1p-24f, 0x1p-60f}, ones)), 1 + 0x1p-23);
  EXPECT_EQ(result(dot<float>(Type::f32, {1, 0x1p-24f, -0x1p-60f}, ones)), 1.0);
  EXPECT_EQ(result(dot<float>(Type::f32, {1, 0x1p-24f, 0}, ones)), 1.0);
  EXPECT_EQ(result(dot<float>(Type::f32, {-1, -0x1p-24f, -0x1p-60f}, ones)), -1 - 0x1p-23);
  const f16 one(1.0f), tiny(0x1p-24f), half_ulp(0x1p-11f);  // tiny * tiny is 2^-48
  EXPECT_EQ(result(dot<f16>(Type::f16, {one, half_ulp, tiny}, {one, one, tiny})), 1 + 0x1p-10);
  EXPECT_EQ(result(dot<f16>(Type::f16, {one, half_ulp, tiny}, {one, one, f16(-0x1p-24f)})), 1.0);
  EXPECT_EQ(result(dot<double>(Type::f64, {1, 0x1p-53, 0x1p-90}, {1, 1, 1})), 1 + 0x1p-52);
  EXPECT_EQ(result(dot<double>(Type::f64, {1, 0x1p-53, -0x1p-90}, {1, 1, 1})), 1.0);
}

TEST(Reference, keeps_what_cancellation_and_rounded_products_would_have_taken) {
  EXPECT_EQ(result(dot<float>(Type::f32, {0x1p60f, 1, -0x1p60f}, {0x1p60f, 1, 0x1p60f})), 1.0);
  EXPECT_EQ(result(dot<double>(Type::f64, {1e16, 1, -1e16}, {1, 1, 1})), 1.0);
  const double x = 1 + 0x1p-30;  // x * x = 1 + 2^-29 + 2^-60
  EXPECT_EQ(result(dot<double>(Type::f64, {x, -1}, {x, 1 + 0x1p-29})), 0x1p-60);
  Matrices y = dot<double>(Type::f64, {x}, {x});  // and the same with the product cancelled by beta * C
  set(Type::f64, y.C.data(), 0, 1 + 0x1p-29);
  y.beta = -1;
  EXPECT_EQ(result(y), 0x1p-60);
}

TEST(Reference, overflows_as_the_output_type_does) {
  EXPECT_EQ(result(dot<float>(Type::f32, {0x1p127f, 0x1p127f}, {1, 1})), HUGE_VAL);
  EXPECT_EQ(result(dot<float>(Type::f32, {0x1p127f, 0x1p127f}, {1, -1})), 0.0);
  EXPECT_EQ(result(dot<float>(Type::f32, {0x1p127f, 0x1p127f, -0x1p127f}, {2, 1, 2})), 0x1p127);
  EXPECT_EQ(result(dot<double>(Type::f64, {1e308, 1e308}, {1, 1})), HUGE_VAL);
  EXPECT_EQ(result(dot<double>(Type::f64, {-1e200}, {1e200})), -HUGE_VAL);
  const f16 big(65504.0f);
  EXPECT_EQ(result(dot<f16>(Type::f16, {big}, {f16(2.0f)})), HUGE_VAL);
  EXPECT_EQ(result(dot<f16>(Type::f32, {big}, {f16(2.0f)})), 131008.0);
  const e4m3 most(448.0f);
  EXPECT_EQ(result(dot<e4m3>(Type::e4m3, {most}, {most})), 448.0);
  EXPECT_EQ(result(dot<e4m3>(Type::f16, {most}, {most})), HUGE_VAL);
  EXPECT_EQ(result(dot<e4m3>(Type::bf16, {most}, {most})), 200704.0);
}

TEST(Reference, takes_tf32_and_split_with_full_accuracy) {
  for (const Compute compute : {Compute::tf32, Compute::split}) {
    Matrices x(make_problem({Type::f32, Type::f32}, kOps[1], 3, 4, 9));
    x.problem.compute = compute;
    x.fill_real(5);
    EXPECT_EQ(reference.refuses(x.problem), "");
    expect_rounded_once(x);
  }
}

TEST(Reference, takes_fast_e4m3_with_full_accuracy) {
  for (const Type out : {Type::e4m3, Type::f32}) {
    Matrices x(make_problem({Type::e4m3, out}, kOps[1], 3, 4, 300));
    x.problem.compute = Compute::fast;
    x.fill_real(5);
    EXPECT_EQ(reference.refuses(x.problem), "");
    expect_rounded_once(x);
  }
}

TEST(Reference, exact_gives_the_unrounded_result_and_leaves_C_alone) {
  for (const TypePair& types : kTypePairs) {
    Matrices x(make_problem(types, kOps[2], 5, 4, 6, 2, 3));
    x.fill_real(11);
    x.alpha = 0.25, x.beta = -3;
    const Matrices before = x;
    std::vector<double> hi(60), lo(60);
    exact(x.call(), hi.data(), lo.data());
    EXPECT_EQ(x.C, before.C);
    std::size_t at = 0;
    x.each_c([&](std::int64_t batch, std::int64_t i, std::int64_t j) {
      const ExactNumber want = exact_element(before, batch, i, j);
      ASSERT_TRUE(is_nearest(hi[at], want));
      // What is left over is no more than a few units of the 106th bit of numbers around 1.
      const ExactNumber error = want + -ExactNumber(hi[at]) + -ExactNumber(lo[at]);
      ASSERT_TRUE(error <= ExactNumber(0x1p-98) && error >= ExactNumber(-0x1p-98)) << x.problem.full();
      ++at;
    });
  }
}

TEST(Reference, exact_gives_infinities_and_nans_whole) {
  Matrices x = dot<double>(Type::f64, {1e200, 1}, {1e200, 1});
  double hi = 0, lo = 1;
  exact(x.call(), &hi, &lo);
  EXPECT_EQ(hi, HUGE_VAL);
  EXPECT_EQ(lo, 0);
  x.beta = std::numeric_limits<double>::quiet_NaN();
  exact(x.call(), &hi, &lo);
  EXPECT_TRUE(std::isnan(hi));
  EXPECT_EQ(lo, 0);
}

TEST(Reference, exact_and_magnitude_never_read_what_counts_for_nothing) {
  Problem p = make_problem({Type::f32, Type::f32}, kOps[0], 1, 2, 0);
  float C[] = {3, -4};
  double hi[2], lo[2], size[2];
  const double nan = std::numeric_limits<double>::quiet_NaN();
  exact({p, nan, nullptr, nullptr, 0.5, C}, hi, lo);
  magnitude({p, nan, nullptr, nullptr, 0.5, C}, size);
  EXPECT_EQ(hi[0], 1.5);
  EXPECT_EQ(hi[1], -2);
  EXPECT_EQ(size[1], 2);
  p = make_problem({Type::f32, Type::f32}, kOps[0], 1, 2, 3);
  exact({p, 0, nullptr, nullptr, 0, nullptr}, hi, lo);
  magnitude({p, 0, nullptr, nullptr, 0, nullptr}, size);
  EXPECT_EQ(hi[0], 0);
  EXPECT_EQ(size[0], 0);
}

TEST(Reference, magnitude_is_the_sum_of_sizes) {
  Matrices x(make_problem({Type::f16, Type::f32}, kOps[3], 3, 4, 5, 1, 2));
  x.fill_integers(3, 9);
  x.alpha = -2, x.beta = -0.5;
  std::vector<double> size(24);
  magnitude(x.call(), size.data());
  std::size_t at = 0;
  x.each_c([&](std::int64_t batch, std::int64_t i, std::int64_t j) {
    double want = 0.5 * std::fabs(x.c(batch, i, j));
    for (std::int64_t kk = 0; kk < 5; ++kk) want += 2 * std::fabs(x.a(batch, i, kk)) * std::fabs(x.b(batch, kk, j));
    EXPECT_EQ(size[at++], want);
  });
}

}  // namespace
}  // namespace cairn::cpu
