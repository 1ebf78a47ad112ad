// The same for rungs on tensor cores.
#include <cstdint>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/kernels/rung_mutants/run.hpp"

namespace cairn {
namespace {

// Where 33 copies four words.
constexpr Line kCopy33 = {"kernels/tensor/33_wmma_tf32_stage3.cu", "    async_copy<16>(to, from);"};

// A race of copies that were issued at `copy` with fragments that were loaded at `load`.
void expect_race(const Traced& seen, const Line& copy, const Line& load, std::string_view words) {
  EXPECT_TRUE(names(seen, emu::Fault::race, copy, load, words)) << seen.all();
}

// A tile of 32 is 8 deep.
TEST(TensorMutants, AFixedLastStageIsWrongForOddNumbersOfTiles) {
  for (const std::uint64_t seed : kSeeds) {
    for (const std::int64_t tiles : {1, 3})
      EXPECT_NE(plain("mutant/wmma_tail_stage", {128, 64, 8 * tiles}, seed), "");
    for (const std::int64_t tiles : {2, 4})
      EXPECT_EQ(plain("mutant/wmma_tail_stage", {128, 64, 8 * tiles}, seed), "");
  }
  for (const std::int64_t tiles : {1, 2, 3}) expect_honest("tensor/32_wmma_tf32_stage2", {128, 64, 8 * tiles});
}

// A tile of 33 is 16 deep, in three stages. With one tile the group that is left out is an empty one; with two stages
// none is left out.
TEST(TensorMutants, AWaitThatLeavesOutTheLastTileReadsWhatHasNotArrived) {
  constexpr Line kLoad = {"kernels/tensor/33_wmma_tf32_stage3.cu",
                          "wmma::load_matrix_sync(fA[i], &sA[now][row + i * kFragment][kk], t.bk + kPadA);"};
  for (const std::uint64_t seed : kSeeds) {
    for (const std::int64_t k : {32, 80}) EXPECT_NE(plain("mutant/wmma_short_wait", {128, 128, k}, seed), "") << k;
    expect_race(traced("mutant/wmma_short_wait", {128, 128, 32}, seed), kCopy33, kLoad, "has arrived");
    EXPECT_EQ(plain("mutant/wmma_short_wait", {128, 128, 16}, seed), "") << "one tile";
    EXPECT_EQ(plain("mutant/wmma_short_wait", {128, 128, 80}, seed, 1), "") << "two stages";
  }
  for (const std::int64_t k : {16, 32, 80}) expect_honest("tensor/33_wmma_tf32_stage3", {128, 128, k});
}

// A tile of 34 is 32 deep. Of four stages the first is filled anew for the fifth tile.
TEST(TensorMutants, AStageRefilledBeforeTheBarrierIsARace) {
  constexpr Line kCopy = {"kernels/tensor/34_wmma_multistage.cu",
                          "async_copy<16>(to + (row() + i) * kLd + col(), from + i * ld);"};
  constexpr Line kLoad = {
      "kernels/tensor/34_wmma_multistage.cu",
      "wmma::load_matrix_sync(fA[i], tileA + (row + i * kFragment) * LoaderA::kLd + kk, LoaderA::kLd);"};
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NE(plain("mutant/wmma_early_refill", {128, 128, 160}, seed), "");
    expect_race(traced("mutant/wmma_early_refill", {128, 128, 160}, seed), kCopy, kLoad,
                "nothing between them that orders the two");
    EXPECT_EQ(traced("mutant/wmma_early_refill", {128, 128, 128}, seed).all(), "") << "no stage is filled twice";
  }
  expect_honest("tensor/34_wmma_multistage", {128, 128, 160});
}

// 33 wants 56832 bytes and asks for 14208. A GPU stops at the first access behind them. (The plain emulator has all
// that a block can have, and lets it pass.)
TEST(TensorMutants, SharedMemoryAskedForInWordsIsTooLittle) {
  for (const std::uint64_t seed : kSeeds) {
    const Traced seen = traced("mutant/wmma_shared_words", {128, 128, 16}, seed);
    ASSERT_FALSE(seen.findings.empty()) << seen.all();
    EXPECT_EQ(seen.findings[0].fault, emu::Fault::out_of_bounds) << seen.all();
    EXPECT_EQ(text_of(seen.findings[0].place), kCopy33.place());
  }
  expect_honest("tensor/33_wmma_tf32_stage3", {128, 128, 16});
}

// C does not show it: the factors would be rounded anyway. And integers have no bits to lose, so it takes real
// numbers.
TEST(TensorMutants, InputsRoundedWhereTheyLieAreSeen) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_EQ(plain("mutant/wmma_rounds_in_place", {128, 64, 24}, seed, 0, Values::real), "A was written");
    EXPECT_EQ(plain("mutant/wmma_rounds_in_place", {128, 64, 24}, seed), "") << "integers";
    for (const char* id : {"tensor/32_wmma_tf32_stage2", "tensor/33_wmma_tf32_stage3"})
      EXPECT_EQ(plain(id, {128, 64, 24}, seed, 0, Values::real), "") << id;
  }
}

// A step of 41 is 32 deep.
TEST(TensorMutants, AStepWrittenOverTheOneBeforeIsARace) {
  for (const std::uint64_t seed : kSeeds) {
    const Traced seen = traced("mutant/small_one_half", {64, 64, 64}, seed);
    ASSERT_FALSE(seen.findings.empty());
    EXPECT_EQ(seen.findings[0].fault, emu::Fault::race) << seen.all();
    EXPECT_EQ(traced("mutant/small_one_half", {64, 64, 32}, seed).all(), "") << "one step";
  }
  expect_honest("tensor/41_mma_small", {64, 64, 64});
}

// With one step the sums are written where it was; with two, where nobody reads any more.
TEST(TensorMutants, SumsWrittenOverOperandsAreARace) {
  for (const std::uint64_t seed : kSeeds) {
    const Traced seen = traced("mutant/small_early_sums", {64, 64, 32}, seed);
    ASSERT_FALSE(seen.findings.empty());
    EXPECT_EQ(seen.findings[0].fault, emu::Fault::race) << seen.all();
  }
  expect_honest("tensor/41_mma_small", {64, 64, 32});
}

// Four teams of a warp are a block.
TEST(TensorMutants, TilesCountedByBlocksAreLeftOut) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NE(plain("mutant/small_teams", {160, 16, 32}, seed, 2), "");
    EXPECT_EQ(plain("mutant/small_teams", {64, 16, 32}, seed, 2), "") << "one block";
  }
  expect_honest("tensor/41_mma_small", {160, 16, 32}, 2);
}

// Lines of even length that begin at odd elements: 41 loads them one by one.
TEST(TensorMutants, LinesThatBeginWithinAWordAreMisaligned) {
  Problem p = Problem::packed(Type::bf16, Op::none, Op::none, 16, 16, 34);
  p.out = Type::f32;
  Problem odd = p;
  odd.lda = 35;
  for (const std::uint64_t seed : kSeeds) {
    const Traced seen = traced("mutant/small_odd_lines", odd, seed, 4, 1);
    ASSERT_FALSE(seen.findings.empty());
    EXPECT_EQ(seen.findings[0].fault, emu::Fault::misaligned) << seen.all();
    EXPECT_EQ(traced("mutant/small_odd_lines", p, seed, 4, 1).all(), "") << "even lines";
    EXPECT_EQ(traced("tensor/41_mma_small", odd, seed, 4, 1).all(), "");
  }
}

}  // namespace
}  // namespace cairn
