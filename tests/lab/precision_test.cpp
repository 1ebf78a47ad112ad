// What the experiment on errors concludes from planted ones.
#include <cmath>

#include <gtest/gtest.h>

#include "lab/experiments/precision_findings.hpp"

namespace cairn::lab {
namespace {

bool says(const Conclusions& concluded, const std::string& words) {
  for (const std::string& sentence : concluded.sentences) {
    if (sentence.find(words) != std::string::npos) return true;
  }
  return false;
}

std::string all_of(const Conclusions& concluded) {
  std::string text;
  for (const std::string& sentence : concluded.sentences) text += sentence + "\n";
  return text;
}

Erring one(const std::string& numbers, const std::string& name, const std::string& type, std::int64_t k, double error,
           double factors = 0) {
  return {numbers, name, type, k, error, factors, error - factors, 0};
}

TEST(Errors, GrowthIsThePowerOfK) {
  EXPECT_NEAR(growth({{256, 3 * 16}, {1024, 3 * 32}, {4096, 3 * 64}}), 0.5, 1e-12);
  EXPECT_NEAR(growth({{256, 2}, {1024, 2}}), 0, 1e-12);
  EXPECT_NEAR(growth({{10, 1e-7}, {1000, 1e-9}}), -1, 1e-12);
  EXPECT_EQ(growth({{256, 2}}), 0);
  EXPECT_EQ(growth({{256, 2}, {256, 4}}), 0);
  EXPECT_EQ(growth({{256, 0}, {1024, 4}}), 0) << "an error of 0 has no logarithm";
}

TEST(Errors, WaysAreComparedWhereNumbersAreTheSame) {
  const auto concluded = compare_errors(
      {one("N(0, 1)", "simt/22", "f32", 1024, 4e-7), one("N(0, 1)", "simt/22", "f32", 4096, 8e-7),
       one("N(0, 1)", "tensor/40", "split", 1024, 2e-7), one("N(0, 1)", "tensor/40", "split", 4096, 2e-7),
       one("N(0, 1)", "tensor/38", "tf32", 1024, 3e-4, 2e-4), one("N(0, 1)", "tensor/38", "tf32", 4096, 6e-4, 2e-4)});
  EXPECT_TRUE(concluded.holds);
  EXPECT_TRUE(says(concluded,
                   "grows as K^0.50 for simt/22 f32, K^0.00 for tensor/40 split and K^1.00 for "
                   "tensor/38 tf32"))
      << all_of(concluded);
  EXPECT_TRUE(says(concluded, "K = 4096: tensor/38 tf32 errs by 6.0e-04 (2.0e-04 if sums were exact)"))
      << all_of(concluded);
  EXPECT_TRUE(says(concluded, "of simt/22 f32 is 0.50 at K = 1024 and 0.25 at K = 4096")) << all_of(concluded);
  EXPECT_TRUE(says(concluded, "It holds.")) << all_of(concluded);
}

// Half again as much is allowed where all products have one sign, and nowhere else; and nothing is claimed of short
// sums.
TEST(Errors, AClaimThatDoesNotHoldIsSaid) {
  const auto judged = [](const std::string& numbers, std::int64_t k, double split) {
    return compare_errors({one(numbers, "simt/22", "f32", k, 4e-7), one(numbers, "tensor/40", "split", k, split)});
  };
  EXPECT_TRUE(judged("U(0, 1)", 1024, 5.9e-7).holds);
  EXPECT_FALSE(judged("U(0, 1)", 1024, 6.1e-7).holds);
  EXPECT_TRUE(judged("N(0, 1)", 1024, 3.9e-7).holds);
  EXPECT_FALSE(judged("N(0, 1)", 1024, 4.1e-7).holds);
  EXPECT_FALSE(judged("N(0, 1)", 1024, std::nan("")).holds);
  EXPECT_TRUE(says(judged("N(0, 1)", 2048, 5e-7), "It does not hold: N(0, 1), K = 2048: 5e-07, and f32 4e-07"))
      << all_of(judged("N(0, 1)", 2048, 5e-7));
  EXPECT_TRUE(judged("N(0, 1)", 512, 1).holds);
  EXPECT_FALSE(says(judged("N(0, 1)", 512, 1), "Claimed"));
}

}  // namespace
}  // namespace cairn::lab
