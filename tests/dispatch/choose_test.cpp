// Which tile of the summit a problem takes on 132 SMs, and that the forecast is the arithmetic it says it is.
#include "src/dispatch/choose.hpp"

#include <gtest/gtest.h>

#include "tests/support/summit.hpp"

namespace cairn::dispatch {
namespace {

using test::summit;

TileShape chosen(std::int64_t m, std::int64_t n, std::int64_t k) {
  const Problem p = Problem::packed(Type::bf16, Op::none, Op::none, m, n, k);
  return summit().shape(choose(summit(), p, 132).tile);
}

TEST(Choose, AStepTakesWhatTheSlowestPartOfAnSMNeeds) {
  const Problem p = Problem::packed(Type::bf16, Op::none, Op::none, 4096, 4096, 4096);
  // 128 x 256: eight instructions of 128 cycles, at two thirds; 8 * 320 * 32 bytes read and 384 * 128 written, 128 a
  // cycle: 1024; of L2 384 * 128 bytes, 53.5 a cycle: 919.
  const Forecast wide = forecast({128, 256, 1, false}, p, 132);
  EXPECT_NEAR(wide.step, 1024 * 1.5, 0.01);
  EXPECT_STREQ(wide.limit, "tensor cores");
  EXPECT_EQ(wide.rounds, 4);                                  // 512 tiles
  EXPECT_NEAR(wide.memory, 3 * 4096.0 * 4096 * 2 / 2500, 1);  // A, B and C
  EXPECT_NEAR(wide.cycles, 2400 + 4 * 64 * wide.step + 4 * (740 + 2700), 1);
  // In turns half of the ends of tiles go by while others multiply. Shared by two, B comes once: 192 * 128 / 53.5 =
  // 459 a step.
  const Forecast turns = forecast({128, 128, 2, true}, p, 132);
  EXPECT_NEAR(turns.step, 512 * 1.5, 0.01);
  EXPECT_EQ(turns.rounds, 8);
  EXPECT_NEAR(turns.cycles, 3750 + 8 * 64 * turns.step + (1 + 0.57 * 7) * (740 + 1350), 1);
  // 64 x 128, side by side: eight instructions of 64 columns, 8 * 128 * 32 + 192 * 128 bytes of shared memory.
  const Forecast small = forecast({64, 128, 1, false}, p, 132);
  EXPECT_NEAR(small.step, 192 * 128 / 53.5, 0.01);
  EXPECT_STREQ(small.limit, "L2");
}

TEST(Choose, LinesThatStraddleAreAskedForTwice) {
  const TileShape shape{64, 128, 1, false};
  const Problem even = Problem::packed(Type::bf16, Op::none, Op::none, 2048, 2048, 2048);
  const Problem odd = Problem::packed(Type::bf16, Op::none, Op::none, 2000, 2000, 2000);
  EXPECT_NEAR(forecast(shape, odd, 132).step, 2.2 * forecast(shape, even, 132).step, 0.01);
  // Where 44 of 132 SMs ask, a third of that is felt.
  const Problem few = Problem::packed(Type::bf16, Op::none, Op::none, 64, 44 * 128 - 8, 2000);
  EXPECT_NEAR(forecast(shape, few, 132).step, 1.4 * forecast(shape, even, 132).step, 0.01);
}

TEST(Choose, FewSMsHaveMoreEach) {
  // A third of the SMs: their tensor cores reach eight ninths instead of two thirds.
  const Problem p = Problem::packed(Type::bf16, Op::none, Op::none, 128, 44 * 256, 1024);
  EXPECT_NEAR(forecast({128, 256, 1, false}, p, 132).step, 1024 * 9 / 8.0, 0.01);
  // Cut, all of them work.
  EXPECT_NEAR(forecast({128, 256, 1, false}, p, 132, true).step, 1024 * 1.5, 0.01);
  // And less of memory: half of the SMs take 22.5 % longer. All 66 ask for A at the same time, a quarter in vain.
  const Problem deep = Problem::packed(Type::bf16, Op::none, Op::transpose, 128, 66 * 128, 65536);
  const Forecast half = forecast({128, 128, 1, false}, deep, 132);
  const double again = 0.27 * 65 * 128 * 65536 * 2 / 2500;
  EXPECT_NEAR(half.cycles, 2400 + 1.225 * (half.memory + again) + 740 + 1350, 1);
}

// Boxes bring no lines that a matrix does not have: one row of A instead of 64. Along the rows they do, and a cluster
// shares out whole tiles of B.
TEST(Choose, LinesThatAreNotThereAreNotAskedFor) {
  const TileShape one{64, 128, 1, false}, two{64, 128, 2, false};
  const auto step = [](const TileShape& shape, Op op_a, Op op_b, std::int64_t m, std::int64_t n) {
    Problem p = Problem::packed(Type::bf16, op_a, op_b, m, n, 4096, Order::row, 200);  // more than all SMs have
    p.lda = p.ldb = 4104;                                                              // L2 is the slowest
    return forecast(shape, p, 132).step;
  };
  constexpr Op n = Op::none, t = Op::transpose;
  EXPECT_NEAR(step(one, n, t, 64, 128), 2.2 * 192 * 128 / 53.5, 0.01);
  EXPECT_NEAR(step(one, n, t, 40, 128), 2.2 * 168 * 128 / 53.5, 0.01);
  EXPECT_NEAR(step(one, n, t, 64, 100), 2.2 * 164 * 128 / 53.5, 0.01);
  EXPECT_NEAR(step(one, t, n, 40, 100), 2.2 * 192 * 128 / 53.5, 0.01);
  EXPECT_NEAR(step(two, n, t, 64, 100), 2.2 * 128 * 128 / 53.5, 0.01);
}

// What is copied lies as the copy does: at multiples of 16 bytes, and of 128 where lines are long.
TEST(Choose, ReckonsWithWhereCopiesLie) {
  Problem p = Problem::packed(Type::e4m3, Op::none, Op::none, 1000, 1040, 1000);
  p.out = Type::bf16, p.compute = Compute::fast;
  EXPECT_EQ(summit().copied(p).problem.lda, 1008);
  EXPECT_EQ(summit().copied(p).problem.ldb, 1008);  // turned round
  EXPECT_EQ(summit().copied(p).problem.op_b, Op::transpose);
  p = Problem::packed(Type::e4m3, Op::none, Op::none, 1000, 1040, 1040);
  EXPECT_EQ(summit().copied(p).problem.lda, 1040);  // as it lies
  EXPECT_EQ(summit().copied(p).problem.ldb, 1152);
  Problem batch = Problem::packed(Type::bf16, Op::transpose, Op::transpose, 2001, 30, 2001, Order::row, 3);
  batch.stride_b = 0;
  EXPECT_EQ(summit().copied(batch).problem.lda, 2048);
  EXPECT_EQ(summit().copied(batch).problem.op_a, Op::transpose);
  EXPECT_EQ(summit().copied(batch).problem.stride_a, 2001 * 2048);
  EXPECT_EQ(summit().copied(batch).problem.stride_b, 0);
  // Asked for once, 192 lines of 128 bytes take 459 cycles; those of the caller straddle.
  const Problem odd = Problem::packed(Type::bf16, Op::none, Op::transpose, 4095, 4096, 4095);
  EXPECT_NE(choose(summit(), odd, 132).why.find("64x128, 7 stages, cluster 1: 459 cycles a step"), std::string::npos);
  EXPECT_NEAR(forecast({64, 128, 1, false}, odd, 132).step, 2.2 * 192 * 128 / 53.5, 0.01);
}

// Blocks that copy A and B are on their SMs to the end: those that multiply find room beside them, or wait.
TEST(Choose, BlocksThatFindNoRoomBesideACopyBeginLate) {
  Problem p = Problem::packed(Type::e4m3, Op::none, Op::none, 1024, 1024, 1024);
  p.out = Type::bf16, p.compute = Compute::fast;
  EXPECT_EQ(summit().copied(p).blocks, 64);  // of 128 x 128 of B
  const Problem read = summit().copied(p).problem;
  const auto late = [&](const TileShape& shape, bool cut, std::int64_t copying) {
    return forecast(shape, read, 132, cut, copying).cycles - forecast(shape, read, 132, cut).cycles;
  };
  const TileShape square{128, 128, 1, false};  // 64 blocks
  EXPECT_EQ(late(square, false, 64), 0);
  EXPECT_EQ(late(square, false, 68), 0);
  EXPECT_EQ(late(square, false, 69), 6500);
  EXPECT_EQ(late(square, true, 64), 6500);  // shares of all SMs
  // 128 blocks, or 132, that leave room for one more on each SM. On one that copies they begin a little later, which
  // is hidden where there is another tile to make.
  const TileShape alone{64, 128, 2, false}, beside{64, 128, 2, false, true}, turns{64, 64, 1, true, true};
  EXPECT_EQ(late(alone, false, 64), 6500);
  EXPECT_EQ(late(beside, false, 4), 0);
  EXPECT_EQ(late(beside, false, 64), 1000);
  EXPECT_EQ(late(beside, false, 136), 1000);
  EXPECT_EQ(late(beside, false, 137), 6500);
  EXPECT_EQ(late(turns, false, 64), 0);
  EXPECT_EQ(late(turns, false, 133), 6500);
  EXPECT_TRUE(summit().shape(choose(summit(), p, 132).tile).beside);
  // Of two that are alike but for that, the one that leaves no room is taken where there is nothing to leave it for:
  // it has a stage more.
  const auto taken = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    const Problem q = Problem::packed(Type::bf16, Op::none, Op::transpose, m, n, k);
    return std::string(summit().tile_name(choose(summit(), q, 132).tile).text);
  };
  EXPECT_EQ(taken(64, 4096, 4096), "64x64 in turns, 12 stages, cluster 1");
  EXPECT_EQ(taken(16, 2048, 8192), "64x64 in turns, 11 stages, cluster 1");  // cut
}

// Late ones come one after the other. Lines that straddle are felt where all ask at once: in a second tile, or a
// share.
TEST(Choose, BlocksThatBeginLateDoNotAskTogether) {
  const TileShape shape{64, 128, 1, false, true};
  const auto step = [&](std::int64_t n, bool cut, std::int64_t copying) {
    const Problem p = Problem::packed(Type::f32, Op::none, Op::transpose, 1024, n, 1000);  // lines of 4000 bytes
    return forecast(shape, p, 132, cut, copying).step;
  };
  constexpr double once = 192 * 128 / 53.5;
  EXPECT_NEAR(step(1024, false, 0), once * (1 + 1.2 * 128 / 132), 0.01);
  EXPECT_NEAR(step(1024, false, 64), once * (1 + 1.2 * 128 / 132), 0.01);
  EXPECT_NEAR(step(1024, false, 256), once, 0.01);
  EXPECT_NEAR(step(1024, true, 256), 2.2 * once, 0.01);
  EXPECT_NEAR(step(2048, false, 256), 2.2 * once, 0.01);
}

// The copy that the product follows: of B, or of A alone.
TEST(Choose, CountsTheBlocksOfTheLastCopy) {
  Problem p = Problem::packed(Type::e4m3, Op::none, Op::transpose, 1024, 1024, 1024);
  EXPECT_EQ(summit().copied(p).blocks, 0);
  p.op_a = Op::transpose;
  EXPECT_EQ(summit().copied(p).blocks, 64);
  // Lines that stay lines: 2048 elements to a block, a line of it; and every product of a batch, unless they are one.
  Problem batch = Problem::packed(Type::bf16, Op::none, Op::none, 30, 2049, 41, Order::row, 3);
  EXPECT_EQ(summit().copied(batch).blocks, 3 * 41 * 2);
  batch.stride_b = 0;
  EXPECT_EQ(summit().copied(batch).blocks, 41 * 2);
  batch.ldb = 2056;  // as it lies
  EXPECT_EQ(summit().copied(batch).blocks, 3 * 30);
}

TEST(Choose, WhatTheEngineCannotStoreTakesLonger) {
  const TileShape shape{128, 256, 1, false};
  Problem p = Problem::packed(Type::bf16, Op::none, Op::transpose, 128, 256, 64);
  const double even = forecast(shape, p, 132).cycles;
  p.ldc = 257;
  EXPECT_NEAR(forecast(shape, p, 132).cycles - even, 3 * 2700, 0.01);
  // In turns a warpgroup stores a tile alone.
  const TileShape turns{128, 128, 2, true};
  const double odd = forecast(turns, p, 132).cycles;
  p.ldc = 256;
  EXPECT_NEAR(odd - forecast(turns, p, 132).cycles, 3.8 * 1350, 0.01);
  p.out = Type::f32;
  EXPECT_NEAR(forecast(shape, p, 132).cycles - even, 2700, 0.01);
}

TEST(Choose, PromotedSumsAreNotMadeInTurns) {
  Problem p = Problem::packed(Type::e4m3, Op::none, Op::transpose, 8192, 8192, 8192);
  p.out = Type::bf16;
  const TileShape turns{128, 128, 2, true};
  p.compute = Compute::fast;
  const double fast = forecast(turns, p, 132).step;
  EXPECT_NEAR(fast, 512 * 1.5, 0.01);
  p.compute = Compute::native;
  EXPECT_NEAR(forecast(turns, p, 132).step, 2 * fast, 0.01);
  EXPECT_FALSE(summit().shape(choose(summit(), p, 132).tile).turns);
}

TEST(Choose, ReckonsWithTilesThatAreCut) {
  const TileShape shape{128, 128, 1, false};
  const Problem deep = Problem::packed(Type::bf16, Op::none, Op::none, 128, 128, 65536);
  const Forecast cut = forecast(shape, deep, 132, true);
  EXPECT_NEAR(cut.rounds, 1 / 132.0, 1e-9);
  EXPECT_NEAR(cut.memory, (2 * 128.0 * 65536 * 2 + 128 * 128 * 2) / 2500, 1);
  // 128 rows of half the width, of which each has 132 shares, and eight count.
  EXPECT_NEAR(cut.cycles, 2400 + cut.memory + 740 + 1350 + 4800 + 4750 + 1.5 * 128 * 8 / 2, 1);
  // Two tiles of 64 rows ask for B twice, at the same time: some of it comes from memory again.
  // Small ones leave room for the kernel that adds.
  const Forecast twice = forecast({64, 128, 1, false, true}, deep, 132, true);
  const double again = 0.27 * 128 * 65536 * 2 / 2500;
  EXPECT_NEAR(twice.cycles, 2400 + cut.memory + again + 740 + 675 + 4000 + 2375 + 1.5 * 128 * 8 / 2, 1);
  // Rows that are not there are not added up; 88 tiles on 132 SMs have two shares and a half each.
  const auto added = [&](std::int64_t m) {
    const Problem p = Problem::packed(Type::bf16, Op::none, Op::transpose, m, 88 * 128, 65536);
    const Forecast all = forecast(shape, p, 132, true);
    const double more = 0.27 * 87 * static_cast<double>(m) * 65536 * 2 / 2500;  // of A
    return all.cycles - all.memory - more - (2400 + 740 + 1350 + 4800 + 4750);
  };
  EXPECT_NEAR(added(16), 1.5 * 88 * 16 * 2.5 / 2, 0.01);
  EXPECT_NEAR(added(128), 1.5 * 88 * 128 * 2.5 / 2, 0.01);
  EXPECT_EQ(forecast(shape, deep, 132).rounds, 1);
  // Whether it is worth it the rung says, in the forecast of every tile: a share of one for all, or whole ones.
  const auto times = [](const std::string& text, const char* word) {
    int count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(times(choose(summit(), deep, 132).why, ", 0.0"), summit().tiles) << choose(summit(), deep, 132).why;
  const Problem short_k = Problem::packed(Type::bf16, Op::none, Op::none, 128, 128, 256);
  EXPECT_EQ(times(choose(summit(), short_k, 132).why, ", 1.00 tiles"), summit().tiles);
  // A copy has scratch memory too, but cuts nothing.
  const Problem odd = Problem::packed(Type::bf16, Op::none, Op::none, 127, 127, 255);
  EXPECT_EQ(times(choose(summit(), odd, 132).why, ", 1.00 tiles"), summit().tiles);
}

TEST(Choose, LargeProblemsTakeLargeTilesAndSmallOnesSmall) {
  EXPECT_EQ(chosen(8192, 8192, 8192).bn, 256);
  EXPECT_TRUE(chosen(4096, 4096, 512).turns);                                     // short tiles have many ends
  EXPECT_EQ(chosen(2048, 2048, 512).bm * chosen(2048, 2048, 512).bn, 128 * 256);  // 128 tiles: one round
  EXPECT_EQ(chosen(1024, 1024, 1024).bm, 64);
  EXPECT_EQ(chosen(16, 4096, 4096).bn, 64);
}

// What a byte of shared memory and one of L2 cost beside the products decides where the clock is bound by power.
TEST(Choose, LongWorkTakesTheTileWithTheLeastEnergy) {
  const Problem large = Problem::packed(Type::bf16, Op::none, Op::none, 4096, 4096, 4096);
  const TileShape wide{128, 256, 2, false}, turns{128, 128, 2, true};
  // 512 tiles of 64 steps. 8 * 320 * 32 bytes read and 384 * 128 written; 256 * 128 from L2.
  EXPECT_NEAR(forecast(wide, large, 132).energy, 512 * 64 * (1 + 6.9e-7 * 131072 + 11.7e-7 * 32768), 1e-6);
  // 1024 tiles. 8 * 192 * 32 bytes read and 256 * 128 written; 192 * 128 from L2.
  EXPECT_NEAR(forecast(turns, large, 132).energy, 1024 * 64 * (0.5 + 6.9e-7 * 81920 + 11.7e-7 * 24576), 1e-6);
  EXPECT_LT(forecast(turns, large, 132).cycles, forecast(wide, large, 132).cycles);
  const TileShape taken = chosen(4096, 4096, 4096);
  EXPECT_EQ(taken.bn, 256);
  EXPECT_EQ(taken.cluster, 2);
  EXPECT_NE(choose(summit(), large, 132).reason.find("least energy of those that are done within 2.5 %"),
            std::string::npos);
  // Not quite as long as long work: the fewest cycles, though 128 x 256 would spend less.
  EXPECT_TRUE(chosen(4096, 4096, 1408).turns);
  const Problem shorter = Problem::packed(Type::bf16, Op::none, Op::none, 4096, 4096, 1408);
  EXPECT_NE(choose(summit(), shorter, 132).reason.find("done first"), std::string::npos);
  // Eight rounds of 128 x 256 take 3.5 % longer than sixteen of 128 x 128 in turns: too many more.
  EXPECT_TRUE(chosen(4096, 8192, 1024).turns);
  // Longer still: 128 x 256 may take 3.3 % more cycles.
  Problem longer = Problem::packed(Type::e4m3, Op::none, Op::transpose, 8192, 8192, 8192);
  longer.out = Type::bf16, longer.compute = Compute::fast;
  EXPECT_GT(forecast(wide, longer, 132).cycles, 1.025 * forecast(turns, longer, 132, true).cycles);
  EXPECT_EQ(summit().shape(choose(summit(), longer, 132).tile).bn, 256);
  EXPECT_NE(choose(summit(), longer, 132).reason.find("within 3.5 %"), std::string::npos);
  // Long, and bound by memory: power is not what limits it.
  const Problem flat = Problem::packed(Type::bf16, Op::none, Op::transpose, 64, 24576, 16384);
  const Choice choice = choose(summit(), flat, 132);
  EXPECT_TRUE(summit().shape(choice.tile).turns);
  EXPECT_GT(forecast(summit().shape(choice.tile), flat, 132).cycles, 150'000);
  EXPECT_NE(choice.reason.find("done first"), std::string::npos);
}

TEST(Choose, TellsWhatItWeighed) {
  const Problem p = Problem::packed(Type::bf16, Op::none, Op::none, 4096, 4096, 4096);
  const Choice choice = choose(summit(), p, 132);
  for (int tile = 0; tile < summit().tiles; ++tile)
    EXPECT_NE(choice.why.find(summit().tile_name(tile).text), std::string::npos) << choice.why;
  EXPECT_NE(choice.why.find("cycles a step"), std::string::npos) << choice.why;
}

}  // namespace
}  // namespace cairn::dispatch
