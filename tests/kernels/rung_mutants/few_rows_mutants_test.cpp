// The same for the rung of few rows: what is peeled off at the head of lines, and what is divided along k.
#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/kernels/rung_mutants/run.hpp"

namespace cairn {
namespace {

constexpr std::string_view kHonest = "simt/24_few_rows";
constexpr int kUnits = 8;  // SMs

// What is wrong with a product of matrices that begin `offset` elements behind a multiple of 16 bytes.
std::string wrong_from(std::string_view id, const Shape& s, int tile, std::uint64_t seed, std::int64_t offset) {
  const Rung& chosen = rung(plain_of(id), id);
  return run(plain_of(id), chosen, problem_for(chosen, s), tile, seed, Values::integers, kUnits, offset);
}

bool is_divided(const Shape& s, int tile) {
  const Rung& honest = rung(plain_of(kHonest), kHonest);
  return honest.choose({problem_for(honest, s), {90, kUnits}, tile}).scratch_bytes > 0;
}

// A vector of k elements, whose first ones are peeled off.
TEST(FewRowsMutants, RowsThatAreNotPeeledAsTheLargeMatrixIsMeetOtherElements) {
  constexpr Shape kVectors = {3, 1, 100};
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NE(wrong_from("mutant/few_head", kVectors, 2, seed, 1), "");
    EXPECT_EQ(wrong_from("mutant/few_head", kVectors, 2, seed, 0), "") << "nothing is peeled off";
    for (const std::int64_t offset : {1, 2, 3}) EXPECT_EQ(wrong_from(kHonest, kVectors, 2, seed, offset), "");
  }
}

// 32 columns are those of a block of tile 0, if it begins with the first.
TEST(FewRowsMutants, ColumnsBehindTheLastBlockAreLeftOut) {
  constexpr Shape kBlock = {1, 32, 8}, kLess = {1, 28, 8};
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NE(wrong_from("mutant/few_edge", kBlock, 0, seed, 1), "");
    EXPECT_EQ(wrong_from("mutant/few_edge", kBlock, 0, seed, 0), "");
    EXPECT_EQ(wrong_from("mutant/few_edge", kLess, 0, seed, 1), "") << "the block has room for the head";
    EXPECT_EQ(wrong_from(kHonest, kBlock, 0, seed, 1), "");
  }
}

TEST(FewRowsMutants, SlicesThatOverlapOrAreLeftOutAreWrong) {
  constexpr Shape kDeep = {1, 16, 9000}, kFlat = {1, 16, 200};
  ASSERT_TRUE(is_divided(kDeep, 0));
  ASSERT_FALSE(is_divided(kFlat, 0));
  for (const std::uint64_t seed : kSeeds) {
    for (const char* id : {"mutant/few_border", "mutant/few_last_slice"}) {
      EXPECT_NE(wrong_from(id, kDeep, 0, seed, 0), "") << id;
      EXPECT_EQ(wrong_from(id, kFlat, 0, seed, 0), "") << id << ", one slice";
    }
    EXPECT_EQ(wrong_from(kHonest, kDeep, 0, seed, 0), "");
  }
}

// Of 16 rows, 1024 of k are in shared memory at a time.
TEST(FewRowsMutants, APartCopiedOverTheOneBeforeIsARace) {
  for (const std::uint64_t seed : kSeeds) {
    const Traced seen = traced("mutant/few_early_part", {2, 4, 9000}, seed, 12);
    ASSERT_FALSE(seen.findings.empty());
    EXPECT_EQ(seen.findings[0].fault, emu::Fault::race) << seen.all();
    EXPECT_EQ(traced("mutant/few_early_part", {2, 4, 900}, seed, 12).all(), "") << "one part";
    EXPECT_EQ(traced(kHonest, {2, 4, 9000}, seed, 12).all(), "");
  }
}

}  // namespace
}  // namespace cairn
