// The same for the rung that makes f32 of TF32: how far it is from the exact product, and how far its mutants are.
#include <cmath>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/kernels/rung_mutants/run.hpp"

namespace cairn {
namespace {

constexpr std::string_view kHonest = "tensor/40_mma_tf32x3";

// |C - A B| / |A B| in the Frobenius norm, tensor cores cutting sums off as the hardware's do; and the same for f32
// multiply-adds in order of k.
struct Errors {
  double of_rung, of_f32;
  double ratio() const { return of_rung / of_f32; }
};
Errors errors(std::string_view id, const Shape& s, Values values) {
  const emu::Entry& emulator = id == kHonest ? *cairn_emu_plain() : *cairn_emu_plain_mutants();
  emulator.configure({.faithful_tensor = true});
  const Rung& chosen = rung(emulator, id);
  const Problem p = problem_for(chosen, s);
  Matrix A(emulator, p.in, s.m * s.k), B(emulator, p.in, s.k * s.n), C(emulator, p.out, s.m * s.n);
  A.draw(1, values), B.draw(2, values);
  EXPECT_TRUE(chosen.launch({p, 1, A.device(), B.device(), 0, C.device()}, 0, nullptr).ok());
  EXPECT_TRUE(emulator.take_error().ok());
  emulator.configure({});
  C.fetch();
  double rung = 0, chain = 0, norm = 0;
  for (std::int64_t i = 0; i < s.m; ++i) {
    for (std::int64_t j = 0; j < s.n; ++j) {
      double exact = 0;  // to 53 bits, which is enough to judge 24
      float sum = 0;
      for (std::int64_t k = 0; k < s.k; ++k) {
        const double a = A.at(i * s.k + k), b = B.at(k * s.n + j);
        exact += a * b;
        sum = std::fmaf(static_cast<float>(a), static_cast<float>(b), sum);
      }
      rung += std::pow(C.at(i * s.n + j) - exact, 2);
      chain += std::pow(static_cast<double>(sum) - exact, 2);
      norm += exact * exact;
    }
  }
  return {std::sqrt(rung / norm), std::sqrt(chain / norm)};
}

// As good as f32 from K = 1024 on, and better the longer K is; with random signs and with one.
TEST(SplitMutants, TheRungErrsLessThanF32) {
  for (const Values values : {Values::real, Values::positive}) {
    const Errors shorter = errors(kHonest, {16, 16, 1024}, values), longer = errors(kHonest, {16, 16, 4096}, values);
    EXPECT_LT(shorter.ratio(), 1);
    EXPECT_LT(longer.ratio(), 0.6);
    EXPECT_LT(longer.of_rung, 1.5 * shorter.of_rung);
  }
}

TEST(SplitMutants, TwoProductsOfThreeLose12Bits) {
  EXPECT_GT(errors("mutant/split_two_products", {16, 16, 256}, Values::real).ratio(), 100);
}

// Every cut is towards zero, so where all products have one sign they add up.
TEST(SplitMutants, OneChainDriftsWithK) {
  const auto of = [](std::int64_t k) { return errors("mutant/split_one_chain", {16, 16, k}, Values::positive); };
  const Errors shorter = of(1024), longer = of(4096);
  EXPECT_GT(shorter.ratio(), 10);
  EXPECT_GT(longer.of_rung, 3 * shorter.of_rung);
  EXPECT_EQ(plain("mutant/split_one_chain", {16, 16, 256}, 1), "") << "integers have nothing to be cut off";
}

TEST(SplitMutants, InfinitiesAreMended) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NE(plain("mutant/split_infinities", {16, 16, 40}, seed, 0, Values::infinity), "");
    EXPECT_EQ(plain("mutant/split_infinities", {16, 16, 40}, seed), "") << "there are none";
    EXPECT_EQ(plain(kHonest, {16, 16, 40}, seed, 0, Values::infinity), "");
  }
  expect_honest(kHonest, {128, 128, 96});
}

}  // namespace
}  // namespace cairn
