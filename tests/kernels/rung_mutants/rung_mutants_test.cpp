// Rungs with a bug put back that was found in a published kernel (mutants.cmake), on both emulators: each must be
// caught, by a wrong C, by a report, or by a finding that names the lines of the rung; where the bug does not show,
// the mutant is right; and the rung as it is passes everything that its mutants fail.
#include <cstdint>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/kernels/rung_mutants/run.hpp"

namespace cairn {
namespace {

// Where 21 copies words of A, and where it reads them: by a helper of device/, which is not what a report should
// name.
constexpr Line kCopy = {"kernels/simt/21_cp_async.cu", "A + i * step_a * g.lda + 8 * j);"};
constexpr Line kLoad = {"kernels/simt/21_cp_async.cu", "load4(&rA[i], &sA[now][kk][row + i * lanes_m]);"};

// A tile of 17 is 16 deep: with one of them nothing is written over.
TEST(RungMutants, ABarrierOfTheWarpIsARace) {
  constexpr Line kStore = {"kernels/simt/17_warp_tile_vec4.cu", "to[0][col] = v.x;"};
  constexpr Line kRead = {"kernels/simt/17_warp_tile_vec4.cu", "load4(&rA[i], &sA[kk][row + i * lanes_m]);"};
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NE(plain("mutant/syncwarp", {128, 128, 48}, seed), "");
    EXPECT_EQ(plain("mutant/syncwarp", {128, 128, 16}, seed), "");
    const Traced seen = traced("mutant/syncwarp", {128, 128, 32}, seed);
    EXPECT_TRUE(names(seen, emu::Fault::race, kStore, kRead, "nothing between them that orders the two"))
        << seen.all();
    EXPECT_EQ(traced("mutant/syncwarp", {128, 128, 16}, seed).all(), "");
  }
  expect_honest("simt/17_warp_tile_vec4", {128, 128, 32});
}

// A tile of 19 is 8 deep.
TEST(RungMutants, AFixedLastBufferIsWrongForOddNumbersOfTiles) {
  for (const std::uint64_t seed : kSeeds) {
    for (const std::int64_t tiles : {1, 3, 5})
      EXPECT_NE(plain("mutant/tail_buffer", {128, 128, 8 * tiles}, seed), "");
    for (const std::int64_t tiles : {2, 4}) EXPECT_EQ(plain("mutant/tail_buffer", {128, 128, 8 * tiles}, seed), "");
  }
  for (const std::int64_t tiles : {1, 2, 3}) expect_honest("simt/19_double_buffer", {128, 128, 8 * tiles});
}

// A tile of 21 is 16 deep. With one tile the group that is left out is an empty one; with two stages none is left
// out.
TEST(RungMutants, AWaitThatLeavesOutTheLastTileReadsWhatHasNotArrived) {
  for (const std::uint64_t seed : kSeeds) {
    for (const std::int64_t k : {32, 80}) EXPECT_NE(plain("mutant/short_wait", {128, 128, k}, seed), "") << k;
    const Traced seen = traced("mutant/short_wait", {128, 128, 32}, seed);
    EXPECT_TRUE(names(seen, emu::Fault::race, kCopy, kLoad, "has arrived")) << seen.all();
    EXPECT_EQ(plain("mutant/short_wait", {128, 128, 16}, seed), "") << "one tile";
    EXPECT_EQ(plain("mutant/short_wait", {128, 128, 80}, seed, 1), "") << "two stages";
  }
  for (const std::int64_t k : {16, 32, 80}) expect_honest("simt/21_cp_async", {128, 128, k});
}

// Of three stages the first is filled anew for the fourth tile.
TEST(RungMutants, AStageRefilledBeforeTheBarrierIsARace) {
  for (const std::uint64_t seed : kSeeds) {
    EXPECT_NE(plain("mutant/early_refill", {128, 128, 64}, seed), "");
    const Traced seen = traced("mutant/early_refill", {128, 128, 64}, seed);
    EXPECT_TRUE(names(seen, emu::Fault::race, kCopy, kLoad, "nothing between them that orders the two"))
        << seen.all();
    EXPECT_EQ(traced("mutant/early_refill", {128, 128, 48}, seed).all(), "") << "no stage is filled twice";
  }
  expect_honest("simt/21_cp_async", {128, 128, 64});
}

// No address shows it: the words lie side by side on a stack. (So it is not run on the plain emulator.)
TEST(RungMutants, ARegisterTileOfAnotherTileIsIndexedPastItsEnd) {
  constexpr Line kSum = {"kernels/simt/17_warp_tile_vec4.cu", "acc[i][j] += rA[i] * rB[j];"};
  for (const std::uint64_t seed : kSeeds) {
    const Traced seen = traced("mutant/register_tile", {128, 128, 16}, seed);
    ASSERT_EQ(seen.findings.size(), 1u) << seen.all();
    EXPECT_EQ(seen.findings[0].fault, emu::Fault::register_array);
    EXPECT_EQ(text_of(seen.findings[0].place), kSum.place());
    EXPECT_NE(seen.all().find("index 8 is outside of float [8]"), std::string::npos) << seen.all();
    EXPECT_EQ(traced("mutant/register_tile", {128, 128, 16}, seed, 1).all(), "") << "the tile that it is right for";
  }
  expect_honest("simt/17_warp_tile_vec4", {128, 128, 16});
}

// Hardware often lets it pass: a GPU does not wait for threads that have returned.
TEST(RungMutants, AReturnBeforeABarrierIsReported) {
  constexpr Line kBarrier = {"kernels/simt/06_thread_tile_1d.cu", "__syncthreads();"};
  for (const std::uint64_t seed : kSeeds) {
    const std::string report = plain("mutant/early_return", {40, 64, 16}, seed);
    for (const std::string& words : {"waiting at __syncthreads, " + kBarrier.place() + " ", std::string("returned")})
      EXPECT_NE(report.find(words), std::string::npos) << report;
    const Traced seen = traced("mutant/early_return", {40, 64, 16}, seed);
    ASSERT_EQ(seen.findings.size(), 1u) << seen.all();
    EXPECT_EQ(seen.findings[0].fault, emu::Fault::barrier);
    EXPECT_EQ(plain("mutant/early_return", {64, 64, 16}, seed), "") << "whole tiles do not show it";
  }
  expect_honest("simt/06_thread_tile_1d", {40, 64, 16});
}

// One that is added to the table must be caught, here or in a test beside this one, and named here.
TEST(RungMutants, AreAllLookedAt) {
  std::set<std::string> there;
  for (const emu::Entry* emulator : {cairn_emu_plain_mutants(), &cairn_emu_traced_mutants()->emulator}) {
    std::size_t count = 0;
    const auto* first = static_cast<const Rung* const*>(emulator->ladder(&count));
    for (const Rung* rung : Ladder(first, count)) there.emplace(rung->id);
  }
  EXPECT_EQ(there, (std::set<std::string>{"mutant/syncwarp",
                                          "mutant/tail_buffer",
                                          "mutant/short_wait",
                                          "mutant/early_refill",
                                          "mutant/register_tile",
                                          "mutant/early_return",
                                          "mutant/products_beyond",
                                          "mutant/products_team_dropped",
                                          "mutant/products_team_twice",
                                          "mutant/products_edge_row",
                                          "mutant/products_early_refill",
                                          "mutant/products_early_sums",
                                          "mutant/wmma_tail_stage",
                                          "mutant/wmma_short_wait",
                                          "mutant/wmma_early_refill",
                                          "mutant/wmma_shared_words",
                                          "mutant/wmma_rounds_in_place",
                                          "mutant/split_two_products",
                                          "mutant/split_one_chain",
                                          "mutant/split_infinities",
                                          "mutant/planes_no_lo",
                                          "mutant/planes_one_product",
                                          "mutant/planes_no_middle",
                                          "mutant/planes_one_chain",
                                          "mutant/planes_scale",
                                          "mutant/planes_top",
                                          "mutant/planes_infinities",
                                          "mutant/planes_never_wild",
                                          "mutant/planes_not_skipped",
                                          "mutant/planes_of_all_rows",
                                          "mutant/planes_always_f16",
                                          "mutant/small_one_half",
                                          "mutant/small_early_sums",
                                          "mutant/small_teams",
                                          "mutant/small_odd_lines",
                                          "mutant/f32_one_tile",
                                          "mutant/f32_order",
                                          "mutant/f32_alpha_twice",
                                          "mutant/f64_lost_range",
                                          "mutant/f64_other_order",
                                          "mutant/f64_k_order",
                                          "mutant/f64_early_b",
                                          "mutant/f64_syncwarp",
                                          "mutant/f64_odd_rows",
                                          "mutant/few_head",
                                          "mutant/few_edge",
                                          "mutant/few_border",
                                          "mutant/few_last_slice",
                                          "mutant/few_early_part",
                                          "mutant/hopper_no_fence",
                                          "mutant/hopper_few_bytes",
                                          "mutant/hopper_early_refill",
                                          "mutant/hopper_parity",
                                          "mutant/hopper_early_exit",
                                          "mutant/hopper_store_no_fence",
                                          "mutant/hopper_slab_in_use",
                                          "mutant/hopper_last_piece",
                                          "mutant/hopper_no_turn",
                                          "mutant/hopper_same_slot",
                                          "mutant/hopper_stage_in_use",
                                          "mutant/hopper_no_row",
                                          "mutant/hopper_early_sum",
                                          "mutant/hopper_fetched_no_fence",
                                          "mutant/hopper_fetched_early"}));
}

}  // namespace
}  // namespace cairn
