// The same for the Hopper rungs: barriers in shared memory, copies by the engine, and blocks of a cluster. Those run
// on OS threads of their own, so that a seed does not fix what a mutant of 56 to 59 does; it is caught whatever it
// does.
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/kernels/rung_mutants/run.hpp"

namespace cairn {
namespace {

constexpr const char *k51 = "kernels/hopper/51_wgmma.cu", *k53 = "kernels/hopper/53_warp_specialized.cu",
                     *k57 = "kernels/hopper/57_tma_store.cu";
constexpr const char* kProduct =
    "wgmma<In, t.bn, a_major, b_major>(acc[i], a.at(i * 64 * kRowBytes + ka), b.at(kb), true);";

// f16, nn, which is what mutants are compiled for. A step of k is 64 deep.
Problem product(const Shape& s, Type out = Type::f32) {
  Problem p = Problem::packed(Type::f16, Op::none, Op::none, s.m, s.n, s.k);
  p.out = out;
  return p;
}
// On two SMs, as many as a cluster has blocks.
std::string plain_on(std::string_view id, const Problem& p, std::uint64_t seed, int sms = 2, int tile = 0) {
  return run(plain_of(id), rung(plain_of(id), id), p, tile, seed, Values::integers, sms);
}
Traced traced_on(std::string_view id, const Problem& p, std::uint64_t seed) { return traced(id, p, seed, 0, 2); }

void expect_honest_on(std::string_view id, const Problem& p, int sms = 2, int tile = 0) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_EQ(plain_on(id, p, seed, sms, tile), "") << id << ", seed " << seed;
    EXPECT_EQ(traced(id, p, seed, tile, sms).all(), "") << id << ", seed " << seed;
  }
}

// One of the texts is in the report.
void expect_one_of(const std::string& report, std::initializer_list<std::string> texts) {
  for (const std::string& text : texts)
    if (report.find(text) != std::string::npos) return;
  ADD_FAILURE() << *texts.begin() << " is not in the report:\n" << report;
}

// C is right: here a copy has landed when its thread has waited.
TEST(HopperMutants, ProductsOfWhatThreadsCopiedNeedAFence) {
  constexpr Line kCopy = {k51, "async_copy<16>(target, from, valid * static_cast<int>(sizeof(In)));"};
  for (const std::uint64_t seed : kSeeds) {
    const Traced seen = traced_on("mutant/hopper_no_fence", product({64, 64, 64}), seed);
    EXPECT_TRUE(names(seen, emu::Fault::race, kCopy, {k51, kProduct}, "with no fence_proxy_async()")) << seen.all();
    EXPECT_EQ(seen.failure, "");
  }
  expect_honest_on("hopper/51_wgmma", product({64, 64, 64}));
}

TEST(HopperMutants, ABarrierThatExpectsTooFewBytesIsReported) {
  for (const std::uint64_t seed : kSeeds) {
    expect_one_of(plain_on("mutant/hopper_few_bytes", product({64, 64, 64}), seed),
                  {"it expects 16384 bytes, and what has been issued"});
  }
  expect_honest_on("hopper/52_tma", product({64, 64, 64}));
}

// Of three stages the first is filled anew for the fourth step.
TEST(HopperMutants, AStageRefilledBeforeItIsEmptyIsReported) {
  constexpr Line kExpect = {k53, "mbarrier_arrive_expect_tx(full + stage, bytes);"};
  for (const std::uint64_t seed : kSeeds) {
    const std::string report = plain_on("mutant/hopper_early_refill", product({64, 64, 256}), seed);
    expect_one_of(report, {"mbarrier_arrive_expect_tx at " + kExpect.place()});
    expect_one_of(report, {"which still expects bytes"});
    EXPECT_EQ(plain_on("mutant/hopper_early_refill", product({64, 64, 192}), seed), "") << "no stage is filled twice";
  }
  expect_honest_on("hopper/53_warp_specialized", product({64, 64, 256}));
}

TEST(HopperMutants, AWaitForTheOtherParityReadsWhatHasNotArrived) {
  constexpr Line kLoad = {k53, "tma_load(to, map, {k0, row0}, full);"};
  for (const std::uint64_t seed : kSeeds) {
    expect_one_of(plain_on("mutant/hopper_parity", product({64, 64, 64}), seed),
                  {"waits for a copy that is in flight"});
    const Traced seen = traced_on("mutant/hopper_parity", product({64, 64, 64}), seed);
    EXPECT_TRUE(names(seen, emu::Fault::race, kLoad, {k53, kProduct}, "nothing between them that orders the two"))
        << seen.all();
  }
  expect_honest_on("hopper/53_warp_specialized", product({64, 64, 64}));
}

// Whichever is first: a block that leaves, or one that arrives at the barrier of a block that has left.
TEST(HopperMutants, ABlockThatLeavesBeforeItsPeerHasArrivedIsReported) {
  for (const std::uint64_t seed : kSeeds) {
    expect_one_of(plain_on("mutant/hopper_early_exit", product({64, 64, 64}), seed),
                  {"the block ends, and nothing makes it wait until", "has ended, and its shared memory with it"});
  }
  expect_honest_on("hopper/56_multicast", product({64, 64, 64}));
}

// C is right, as above.
TEST(HopperMutants, StoresOfWhatThreadsPutThereNeedAFence) {
  constexpr Line kPut = {
      k57, "store_matrices(box + box_row * kRowBytes + ((j * 2 + lane / 16) ^ box_row % 8) * 16, pairs);"};
  constexpr Line kStore = {k57, "tma_store(C, {col + c * 64, row}, box);"};
  for (const std::uint64_t seed : kSeeds) {
    const Traced seen = traced_on("mutant/hopper_store_no_fence", product({64, 64, 64}, Type::f16), seed);
    EXPECT_TRUE(names(seen, emu::Fault::race, kPut, kStore, "with no fence_proxy_async()")) << seen.all();
    EXPECT_EQ(seen.failure, "");
    EXPECT_EQ(traced_on("mutant/hopper_store_no_fence", product({64, 64, 64}), seed).all(), "")
        << "threads store f32";
  }
  expect_honest_on("hopper/57_tma_store", product({64, 64, 64}, Type::f16));
}

// 256 columns go through two staging boxes of 64, and so does what is outside of C.
TEST(HopperMutants, AStagingBoxFilledWhileItIsReadIsWrong) {
  constexpr Line kPut = {
      k57, "store_matrices(box + box_row * kRowBytes + ((j * 2 + lane / 16) ^ box_row % 8) * 16, pairs);"};
  constexpr Line kStore = {k57, "tma_store(C, {col + c * 64, row}, box);"};
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NE(plain_on("mutant/hopper_slab_in_use", product({64, 256, 64}, Type::f16), seed), "");
    const Traced seen = traced_on("mutant/hopper_slab_in_use", product({64, 256, 64}, Type::f16), seed);
    EXPECT_TRUE(names(seen, emu::Fault::race, kPut, kStore, "before it is done")) << seen.all();
    EXPECT_EQ(plain_on("mutant/hopper_slab_in_use", product({64, 256, 64}), seed), "") << "threads store f32";
  }
  expect_honest_on("hopper/57_tma_store", product({64, 256, 64}, Type::f16));
}

// Columns are 2 bytes wide: 60 of them end within a piece of 16, 64 do not.
TEST(HopperMutants, StoresOfWholePiecesWriteBehindTheRowsOfC) {
  for (const std::int64_t n : {60, 64}) {
    Problem p = product({64, n, 64}, Type::f16);
    p.ldb = p.ldc = 72;
    for (const std::uint64_t seed : kSeeds) {
      EXPECT_EQ(plain_on("mutant/hopper_last_piece", p, seed),
                n == 60 ? "C(0, 60) is 0.000000; it should be nan" : "");
    }
    expect_honest_on("hopper/57_tma_store", p);
  }
}

// Four tiles, two for each warpgroup. With 12 steps the second one begins where six stages have been filled twice,
// and waits for a parity that they have had before. With one step all have stages of their own.
TEST(HopperMutants, ATurnThatIsNotWaitedForIsLetThroughByAnEarlierPhase) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NE(plain_on("mutant/hopper_no_turn", product({4, 512, 12 * 64}), seed), "");
    EXPECT_EQ(plain_on("mutant/hopper_no_turn", product({4, 512, 64}), seed), "");
  }
  expect_honest_on("hopper/58_pingpong", product({4, 512, 12 * 64}));
}

// Two tiles of 121 steps on three SMs: 80 or 81 steps each, and the second share has some of either tile. On two SMs
// no tile is cut.
TEST(HopperMutants, SharesOfTwoTilesNeedTwoSlots) {
  const Problem p = product({1, 512, 121 * 64});
  for (const std::uint64_t seed : kSeeds) EXPECT_NE(plain_on("mutant/hopper_same_slot", p, seed, 3), "");
  EXPECT_EQ(plain_on("mutant/hopper_same_slot", p, 1, 2), "");
  expect_honest_on("hopper/59_summit", p, 3);
}

// Two tiles on one SM, or on two: there each is its block's last, and nothing comes after it. C of f32 is eight
// staging boxes, of which the stages take four.
TEST(HopperMutants, StagesAreFreeForCAfterTheLastTileOnly) {
  for (const Type out : {Type::f16, Type::f32}) {
    const Problem p = product({128, 512, 4 * 64}, out);
    for (const std::uint64_t seed : kSeeds) {
      expect_one_of(traced("mutant/hopper_stage_in_use", p, seed, 0, 1).all(), {"race: "});
      EXPECT_EQ(plain_on("mutant/hopper_stage_in_use", p, seed, 2), "");
    }
    expect_honest_on("hopper/59_summit", p, 1);
    expect_honest_on("hopper/59_summit", p, 2);
  }
}

// Eight tiles of 16 k-steps, in rings of 12 stages, on eight SMs: in a cluster of 4 x 2 each block loads a half of A for
// two, and a quarter of B for four. With a column of blocks there is no row to tell.
TEST(HopperMutants, AStageIsReleasedToAllThatLoadIntoIt) {
  constexpr int kColumn = 64, kRows = 65;  // 64 x 64, clusters of 4 and of 4 x 2
  const Problem p = product({256, 128, 16 * 64});
  expect_one_of(traced("mutant/hopper_no_row", p, kSeeds[0], kRows, 8).all(), {"race: "});
  EXPECT_EQ(traced("mutant/hopper_no_row", p, kSeeds[0], kColumn, 8).all(), "");
  EXPECT_EQ(traced("hopper/59_summit", p, kSeeds[0], kRows, 8).all(), "");
}

// One tile of 16 k-steps on four SMs: a cluster of four blocks shares it. On one SM none does.
TEST(HopperMutants, PartialSumsAreAddedWhenAllAreStored) {
  constexpr int kSmall = 10;  // 64 x 64
  const Problem p = product({16, 64, 32 * 64});
  for (const std::uint64_t seed : kSeeds)
    EXPECT_EQ(plain_on("mutant/hopper_early_sum", p, seed, 4, kSmall).find("launch"), std::string::npos);
  for (const std::uint64_t seed : kSeeds) EXPECT_NE(plain_on("mutant/hopper_early_sum", p, seed, 4, kSmall), "");
  expect_one_of(traced("mutant/hopper_early_sum", p, kSeeds[0], kSmall, 4).all(), {"race: "});
  EXPECT_EQ(plain_on("mutant/hopper_early_sum", p, 1, 1, kSmall), "");
  expect_honest_on("hopper/59_summit", p, 4, kSmall);
}

// The first fetched variant: rows of 2 k-steps and 13 elements, which TMA cannot read.
TEST(HopperMutants, WhatThreadsFetchIsFencedAndWhole) {
  constexpr int kFetched = 48;
  const Problem p = product({40, 23, 2 * 64 + 13});
  for (const std::uint64_t seed : kSeeds) {
    expect_one_of(traced("mutant/hopper_fetched_no_fence", p, seed, kFetched, 1).all(),
                  {"with no fence_proxy_async()"});
    expect_one_of(traced("mutant/hopper_fetched_early", p, seed, kFetched, 1).all(), {"race: "});
    EXPECT_EQ(traced("hopper/59_summit", p, seed, kFetched, 1).all(), "");
  }
}

}  // namespace
}  // namespace cairn
