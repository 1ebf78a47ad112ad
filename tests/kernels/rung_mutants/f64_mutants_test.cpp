// The same for the rung that multiplies f64 on tensor cores, whose sums are known to the bit.
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/kernels/rung_mutants/run.hpp"

namespace cairn {
namespace {

constexpr std::string_view kHonest = "tensor/42_mma_f64";
constexpr int kSmallTile = 1;  // 64 x 64, k-steps of 16

// With a tile of 64 x 64 and 16 SMs, one tile of 64 k-steps is split into 16 ranges of 64 of k.
constexpr Shape kSplit = {64, 64, 1024};
constexpr int kUnits = 16, kRanges = 16, kLayers = 8;

std::string on_units(std::string_view id, const Shape& s, std::uint64_t seed, int units) {
  const Rung& chosen = rung(plain_of(id), id);
  return run(plain_of(id), chosen, problem_for(chosen, s), kSmallTile, seed, Values::integers, units);
}

// How many elements of C have other bits than chains of fused multiply-adds in ascending order of k, one for each range,
// whose sums are added as the fix-up says: every eighth by one layer, and then the layers in order.
int other_bits(std::string_view id) {
  const emu::Entry& emulator = plain_of(id);
  const Rung& chosen = rung(emulator, id);
  const Problem p = problem_for(chosen, kSplit);
  const Choice choice = chosen.choose({p, {90, kUnits}, kSmallTile});
  EXPECT_EQ(choice.scratch_bytes, 2u * kRanges * 64 * 64 * sizeof(double)) << "it is split";
  emulator.configure({.seed = 1, .threads = 1});
  Matrix A(emulator, p.in, p.m * p.k), B(emulator, p.in, p.k * p.n), C(emulator, p.out, p.m * p.n),
      scratch(emulator, Type::f64, static_cast<std::int64_t>(choice.scratch_bytes / sizeof(double)));
  A.draw(1, Values::real), B.draw(2, Values::real);
  const std::span memory(static_cast<std::byte*>(scratch.device()), choice.scratch_bytes);
  EXPECT_TRUE(
      chosen.launch({p, 1, A.device(), B.device(), 0, C.device(), kUnits, memory, &choice}, kSmallTile, nullptr)
          .ok());
  EXPECT_TRUE(emulator.take_error().ok());
  C.fetch();
  int others = 0;
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      double sums[kRanges] = {};
      for (std::int64_t k = 0; k < p.k; ++k) {
        double& sum = sums[k * kRanges / p.k];
        sum = std::fma(A.at(i * p.k + k), B.at(k * p.n + j), sum);
      }
      double all = 0;
      for (int layer = 0; layer < kLayers; ++layer) {
        double of_layer = 0;
        for (int range = layer; range < kRanges; range += kLayers) of_layer += sums[range];
        all = layer == 0 ? of_layer : all + of_layer;
      }
      others += std::bit_cast<std::uint64_t>(all) != std::bit_cast<std::uint64_t>(C.at(i * p.n + j));
    }
  }
  return others;
}

TEST(F64Mutants, ALostRangeOfKIsMissed) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NE(on_units("mutant/f64_lost_range", kSplit, seed, kUnits), "");
    EXPECT_EQ(on_units("mutant/f64_lost_range", {64, 64, 64}, seed, 1), "") << "four k-steps are not split";
    EXPECT_EQ(on_units(kHonest, kSplit, seed, kUnits), "");
  }
}

TEST(F64Mutants, AnotherOrderOfPartialSumsHasOtherBits) {
  EXPECT_EQ(other_bits(kHonest), 0);
  EXPECT_GT(other_bits("mutant/f64_other_order"), 64 * 64 / 4);
  for (const std::uint64_t seed : kSeeds)
    EXPECT_EQ(on_units("mutant/f64_other_order", kSplit, seed, kUnits), "") << "integers have exact sums";
}

TEST(F64Mutants, FactorsOfDifferentKAreSeen) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NE(plain("mutant/f64_k_order", {64, 64, 32}, seed, kSmallTile), "");
    EXPECT_NE(plain("mutant/f64_early_b", {64, 64, 32}, seed, kSmallTile), "");
    EXPECT_EQ(plain("mutant/f64_early_b", {64, 64, 16}, seed, kSmallTile), "") << "there is no next k-step";
  }
  expect_honest(kHonest, {64, 64, 32}, kSmallTile);
}

// Of four stages the first is filled anew for the fifth k-step.
TEST(F64Mutants, AStageThatOtherWarpsReadIsARace) {
  for (const std::uint64_t seed : kSeeds) {
    const Traced seen = traced("mutant/f64_syncwarp", {64, 64, 96}, seed, kSmallTile);
    ASSERT_FALSE(seen.findings.empty());
    EXPECT_EQ(seen.findings[0].fault, emu::Fault::race) << seen.all();
  }
  expect_honest(kHonest, {64, 64, 96}, kSmallTile);
}

TEST(F64Mutants, RowsThatBeginWithin16BytesAreMisaligned) {
  Problem odd = Problem::packed(Type::f64, Op::none, Op::none, 64, 64, 32);
  odd.lda = 33;
  const auto seen = [&](std::string_view id, std::uint64_t seed) {
    return run(plain_of(id), rung(plain_of(id), id), odd, kSmallTile, seed, Values::integers);
  };
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NE(seen("mutant/f64_odd_rows", seed).find("no multiple of 16"), std::string::npos);
    EXPECT_EQ(seen(kHonest, seed), "");
    EXPECT_EQ(plain("mutant/f64_odd_rows", {64, 64, 32}, seed, kSmallTile), "") << "rows are even";
  }
}

}  // namespace
}  // namespace cairn
