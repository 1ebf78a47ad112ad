// Mutants of simt/23: what can go wrong where tiles are divided along k.
#include <bit>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/kernels/rung_mutants/run.hpp"

namespace cairn {
namespace {

constexpr std::string_view kHonest = "simt/23_stream_k";
constexpr int kTile = 3, kSide = 64, kStep = 16;  // 64x64x16

// What simt/23 keeps in its choice (device/stream_k.hpp, which only compiles for a device).
struct StreamK {
  int whole, split, steps, blocks, each, longer, shares;
};

// C = alpha A B of `tiles` tiles beside each other, of `steps` k-steps, divided as stream_k says.
struct Result {
  std::string wrong;  // of integers
  std::vector<std::uint32_t> bits;
};
Result product(std::string_view id, const StreamK& stream_k, double alpha, std::uint64_t seed, Values values) {
  const emu::Entry& emulator = plain_of(id);
  emulator.configure({.seed = seed, .threads = 1});
  const Problem p = Problem::packed(Type::f32, Op::none, Op::none, kSide, kSide * (stream_k.whole + stream_k.split),
                                    kStep * stream_k.steps);
  Matrix A(emulator, p.in, p.m * p.k), B(emulator, p.in, p.k * p.n), C(emulator, p.out, p.m * p.n);
  A.draw(1, values), B.draw(2, values);
  Choice choice;
  choice.tile = kTile, choice.keep(stream_k);
  const std::int64_t floats = std::int64_t{2} * stream_k.blocks * kSide * kSide;
  Matrix scratch(emulator, Type::f32, floats);
  const std::span memory(static_cast<std::byte*>(scratch.device()), static_cast<std::size_t>(floats) * sizeof(float));
  EXPECT_TRUE(rung(emulator, id)
                  .launch({p, alpha, A.device(), B.device(), 0, C.device(), 1, memory, &choice}, kTile, nullptr)
                  .ok());
  EXPECT_TRUE(emulator.take_error().ok());
  C.fetch();
  Result result;
  for (std::int64_t i = 0; i < p.m * p.n; ++i)
    result.bits.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(C.at(i))));
  for (std::int64_t i = 0; i < p.m && are_exact(values); ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < p.k; ++k) sum += A.at(i * p.k + k) * B.at(k * p.n + j);
      if (C.at(i * p.n + j) != alpha * sum) result.wrong = "C is not the product";
    }
  }
  return result;
}

// Three tiles of 8 k-steps laid end to end, in ranges of 6: two reach across a border. And two tiles in two shares each.
constexpr StreamK kLaid = {0, 3, 8, 4, 6, 0, 0}, kShared = {0, 2, 8, 4, 4, 0, 2};

TEST(F32Mutants, ARangeIsComputedBeyondTheBorderBetweenTiles) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NE(product("mutant/f32_one_tile", kLaid, 1, seed, Values::integers).wrong, "");
    EXPECT_EQ(product("mutant/f32_one_tile", kShared, 1, seed, Values::integers).wrong, "")
        << "no range has two tiles";
    EXPECT_EQ(product(kHonest, kLaid, 1, seed, Values::integers).wrong, "");
    EXPECT_EQ(product(kHonest, kShared, 1, seed, Values::integers).wrong, "");
  }
}

TEST(F32Mutants, PartialSumsAreAddedInTheSameOrderEveryTime) {
  constexpr StreamK deep = {0, 1, 64, 16, 4, 0, 16};  // 16 shares of a tile
  const auto bits = [&](std::string_view id, std::uint64_t seed) {
    return product(id, deep, 1, seed, Values::real).bits;
  };
  const auto first = bits("mutant/f32_order", 1), honest = bits(kHonest, 1);
  EXPECT_NE(bits("mutant/f32_order", 1), first);
  for (const std::uint64_t seed : kSeeds) EXPECT_EQ(bits(kHonest, seed), honest) << "blocks run in another order";
  EXPECT_EQ(product("mutant/f32_order", deep, 1, 1, Values::integers).wrong, "") << "integers add up in any order";
}

TEST(F32Mutants, AlphaIsAppliedOnce) {
  for (const StreamK& how : {kLaid, kShared}) {
    EXPECT_NE(product("mutant/f32_alpha_twice", how, 2, 1, Values::integers).wrong, "");
    EXPECT_EQ(product("mutant/f32_alpha_twice", how, 1, 1, Values::integers).wrong, "");
    EXPECT_EQ(product(kHonest, how, 2, 1, Values::integers).wrong, "");
  }
  EXPECT_EQ(product("mutant/f32_alpha_twice", StreamK{2, 0, 4, 0, 0, 0, 0}, 2, 1, Values::integers).wrong, "");
}

}  // namespace
}  // namespace cairn
