// Mistakes of the rung for small products (mutants.cmake): tiles that nobody asked for, a k-step that is not divided,
// edges, and shared memory that is written too early.
#include <gtest/gtest.h>

#include "tests/kernels/rung_mutants/run.hpp"

namespace cairn {
namespace {

constexpr const char* kHonest = "simt/25_small_products";
constexpr int kWarps = 5, kTeams = 8;  // tiles: 16 x 16 by a warp, four a block; 32 x 32 by eight teams of a warp

TEST(ProductsMutants, AWarpWithoutAProductWritesPastTheBatch) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NE(traced("mutant/products_beyond", {16, 16, 16}, seed, kWarps).all(), "");
    EXPECT_EQ(traced("mutant/products_beyond", {64, 16, 16}, seed, kWarps).all(), "") << "a tile for each warp";
  }
  expect_honest(kHonest, {16, 16, 16}, kWarps);
}

// Eight teams take four of k each.
TEST(ProductsMutants, EveryTeamsSharesAreAddedOnce) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NE(plain("mutant/products_team_dropped", {32, 32, 32}, seed, kTeams), "");
    EXPECT_EQ(plain("mutant/products_team_dropped", {32, 32, 28}, seed, kTeams), "") << "nothing for the last team";
    EXPECT_NE(plain("mutant/products_team_twice", {32, 32, 32}, seed, kTeams), "");
    EXPECT_EQ(plain("mutant/products_team_twice", {32, 32, 4}, seed, kTeams), "") << "one team has something";
  }
  for (const std::int64_t k : {4, 28, 32, 200}) expect_honest(kHonest, {32, 32, k}, kTeams);
}

TEST(ProductsMutants, RowsOfAnEdgeAreNotCountedByFours) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NE(plain("mutant/products_edge_row", {18, 16, 16}, seed, kWarps), "");
    EXPECT_EQ(plain("mutant/products_edge_row", {20, 16, 16}, seed, kWarps), "") << "whole fours";
    EXPECT_EQ(plain("mutant/products_edge_row", {18, 15, 16}, seed, kWarps), "") << "stored one by one";
  }
  expect_honest(kHonest, {18, 16, 16}, kWarps);
}

// A k-step is 64 deep, and there are four stages: the first is filled anew when the second is multiplied.
TEST(ProductsMutants, AStageRefilledBeforeTheBarrierIsARace) {
  for (const std::uint64_t seed : kSeeds) {
    const Traced seen = traced("mutant/products_early_refill", {32, 32, 320}, seed, kTeams);
    ASSERT_FALSE(seen.findings.empty());
    EXPECT_EQ(seen.findings[0].fault, emu::Fault::race) << seen.all();
    EXPECT_EQ(traced("mutant/products_early_refill", {32, 32, 64}, seed, kTeams).all(), "") << "one k-step";
  }
  expect_honest(kHonest, {32, 32, 320}, kTeams);
}

TEST(ProductsMutants, SumsWrittenOverOperandsAreARace) {
  for (const std::uint64_t seed : kSeeds) {
    const Traced seen = traced("mutant/products_early_sums", {32, 32, 64}, seed, kTeams);
    ASSERT_FALSE(seen.findings.empty());
    EXPECT_EQ(seen.findings[0].fault, emu::Fault::race) << seen.all();
  }
  expect_honest(kHonest, {32, 32, 64}, kTeams);
}

}  // namespace
}  // namespace cairn
