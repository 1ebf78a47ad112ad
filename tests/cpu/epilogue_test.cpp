// Epilogues on every CPU backend: bias along either side, every activation, the value before it, batches, and calls
// without a product.
#include "src/cpu/epilogue.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "tests/cpu/matrices.hpp"

namespace cairn::cpu {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Values that the functions have by definition, to 15 digits.
TEST(Activations, AreWhatTheirNamesSay) {
  const auto gelu = [](double x) { return x * (1 + std::erf(x / std::sqrt(2.0))) / 2; };
  const auto gelu_tanh = [](double x) {
    return x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))) / 2;
  };
  for (const double x : {-3.0, -1.0, -0.25, 0.0, 0.5, 1.0, 4.0}) {
    EXPECT_EQ(activated(Activation::none, x), x);
    EXPECT_EQ(activated(Activation::relu, x), std::max(x, 0.0));
    EXPECT_NEAR(activated(Activation::gelu, x), gelu(x), 1e-15 * std::max(std::abs(x), 1.0));
    EXPECT_NEAR(activated(Activation::gelu_tanh, x), gelu_tanh(x), 1e-15 * std::max(std::abs(x), 1.0));
    EXPECT_NEAR(activated(Activation::silu, x), x / (1 + std::exp(-x)), 1e-15 * std::max(std::abs(x), 1.0));
  }
  EXPECT_NEAR(activated(Activation::gelu, 1), 0.841344746068543, 1e-15);
  EXPECT_NEAR(activated(Activation::silu, 1), 0.731058578630005, 1e-15);
}

TEST(Activations, HaveTheirLimitsAndKeepNan) {
  for (const Activation a : {Activation::relu, Activation::gelu, Activation::gelu_tanh, Activation::silu}) {
    EXPECT_EQ(activated(a, -kInfinity), 0) << name(a);
    EXPECT_EQ(activated(a, kInfinity), kInfinity) << name(a);
    EXPECT_EQ(activated(a, 1e300), 1e300) << name(a);
    EXPECT_EQ(activated(a, -1e300), 0) << name(a);
    EXPECT_TRUE(std::isnan(activated(a, std::numeric_limits<double>::quiet_NaN()))) << name(a);
  }
}

class Epilogues : public testing::TestWithParam<BackendAndTypes> {
 protected:
  // Small integers, whose results every type holds but for the activation.
  void expect_right(Matrices x, std::vector<double> bias) const {
    const Backend& backend = *std::get<0>(GetParam());
    const Problem& p = x.problem;
    const Matrices before = x;
    std::vector<std::byte> vector(bias.size() * static_cast<std::size_t>(size_of(p.bias_type))), kept(x.C.size());
    for (std::size_t i = 0; i < bias.size(); ++i)
      set(p.bias_type, vector.data(), static_cast<std::int64_t>(i), bias[i]);
    Call call = x.call();
    call.bias = vector.data(), call.before = kept.data();
    ASSERT_EQ(backend.refuses(p), "") << p.full();  // both take every epilogue
    run_within_workspace(backend, call);
    x.each_c([&](std::int64_t batch, std::int64_t i, std::int64_t j) {
      double want = x.beta == 0 ? 0 : x.beta * before.c(batch, i, j);
      for (std::int64_t kk = 0; kk < p.k; ++kk) want += x.alpha * before.a(batch, i, kk) * before.b(batch, kk, j);
      if (p.bias != Bias::none)
        want += bias[static_cast<std::size_t>(batch * p.stride_bias + (p.bias == Bias::rows ? i : j))];
      if (p.before == Before::stored) {
        ASSERT_EQ(get(p.out, kept.data(), x.c_index(batch, i, j)), want) << p.full();
      }
      const double result = with_type(
          p.out, [&]<class T>() { return static_cast<double>(static_cast<T>(activated(p.activation, want))); });
      ASSERT_EQ(x.c(batch, i, j), result) << p.full();
    });
  }
};

TEST_P(Epilogues, AddTheBiasAndApplyTheActivation) {
  for (const Bias side : {Bias::none, Bias::rows, Bias::columns}) {
    for (const Activation activation :
         {Activation::none, Activation::relu, Activation::gelu, Activation::gelu_tanh, Activation::silu}) {
      for (const auto& [alpha, beta, k] : {std::tuple{1.0, 0.0, 6}, {-1.0, 2.0, 6}, {1.0, 1.0, 0}, {0.0, 0.0, 6}}) {
        Matrices x(make_problem(std::get<1>(GetParam()), kOps[1], 5, 7, k, 2, 3));
        Problem& p = x.problem;
        x.fill_integers(7, 1);
        x.alpha = alpha, x.beta = beta;
        p.bias = side, p.activation = activation, p.bias_type = alpha > 0 ? accumulator(p.in) : p.out;
        p.stride_bias = beta == 0 ? 0 : 8;
        if (activation != Activation::none) p.before = Before::stored;
        std::vector<double> bias(24);
        for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = static_cast<double>(i % 5) - 2;
        expect_right(x, bias);
        if (HasFatalFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Epilogues, every_backend(kTypePairs), backend_and_types);

}  // namespace
}  // namespace cairn::cpu
