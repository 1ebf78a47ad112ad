// What the order of words in shared memory, and a warp's tile of C, do to its traffic: rungs 12 to 18, counted by the
// traced emulator. Every number is worked out by hand; the trail pages show how.
//
// One block of 128 x 128 does all of a product of 128 cubed. A "step" is one warp at one kk: it reads its part of a
// row of sA and of a row of sB.
#include <array>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "kernels/ladder.hpp"
#include "tests/kernels/traffic.hpp"

namespace cairn::lab::trace {
namespace {

constexpr std::int64_t kSize = 128;
constexpr std::uint64_t kEightWarps = 128 * 8;  // steps of a block of 256 threads
constexpr std::uint64_t kFourWarps = 128 * 4;   // of 128 threads

// Wavefronts a step, and the conflicts among them.
void expect_reads(const emu::Counters& c, std::uint64_t steps, std::uint64_t requests, std::uint64_t wavefronts,
                  std::uint64_t conflicts) {
  EXPECT_EQ(c.shared_load_requests, steps * requests);
  EXPECT_EQ(c.shared_load_wavefronts, steps * wavefronts);
  EXPECT_EQ(c.shared_load_bank_conflicts, steps * conflicts);
}

// The same for filling the tiles, for every eight columns of A and rows of B: 1024 words each, 32 warps' worth.
void expect_writes(const emu::Counters& c, std::uint64_t requests, std::uint64_t wavefronts,
                   std::uint64_t conflicts) {
  EXPECT_EQ(c.shared_store_requests, 16 * requests);
  EXPECT_EQ(c.shared_store_wavefronts, 16 * wavefronts);
  EXPECT_EQ(c.shared_store_bank_conflicts, 16 * conflicts);
}

// rA: two float4 that sixteen lanes share, so one word for each half of the warp. rB: two float4 from lanes 32 bytes
// apart, 2 wavefronts a quarter where 1 would do. A column of A is stored by 16 rows of lanes into 16 banks, two
// lanes each; a row of B by 32 lanes as it is.
TEST(Banks, AsTheyComeReadsOfBConflict) {
  const emu::Counters c = count("simt/12_a_transposed_vec4", kSize);
  expect_reads(c, kEightWarps, 2 + 2, 2 * 2 + 2 * 8, 2 * 4);
  expect_writes(c, 32 + 8, 32 * 2 + 8 * 4, 32);
}

TEST(Banks, LinearReadsOfBDoNot) {
  const emu::Counters four = count("simt/13_bank_linear", kSize), one = count("simt/13_bank_linear", kSize, 1);
  expect_reads(four, kEightWarps, 2 + 2, 2 * 2 + 2 * 4, 0);
  // The conflicts have moved to the stores of B: neighbouring lanes store 64 words apart, two to a group of banks.
  expect_writes(four, 32 + 8, 32 * 2 + 8 * 8, 32 + 8 * 4);
  // Word by word, as published: as many wavefronts, in four times the requests, here too pairs of lanes in a bank.
  expect_reads(one, kEightWarps, 2 + 8, 2 * 2 + 8, 0);
  expect_writes(one, 32 + 32, 32 * 2 + 32 * 2, 32 + 32);
}

TEST(Banks, PaddingCuresTheStoresOfAAndNoReads) {
  const emu::Counters a4 = count("simt/14_bank_pad", kSize, 0), b4 = count("simt/14_bank_pad", kSize, 1);
  expect_reads(a4, kEightWarps, 2 + 2, 2 * 2 + 2 * 8, 2 * 4);
  expect_writes(a4, 32 + 8, 32 + 8 * 4, 0);
  expect_reads(b4, kEightWarps, 2 + 2, 2 * 2 + 2 * 8, 2 * 4);
  expect_writes(b4, 32 + 8, 32 * 2 + 8 * 4, 32);

  // Five words forbid float4: reads of rB are 8 words, four to a bank; stores of B 4 words, four to a bank.
  const emu::Counters b5 = count("simt/14_bank_pad", kSize, 2), both = count("simt/14_bank_pad", kSize, 3);
  expect_reads(b5, kEightWarps, 2 + 8, 2 * 2 + 8 * 4, 8 * 3);
  expect_writes(b5, 32 + 32, 32 * 2 + 32 * 4, 32 + 32 * 3);
  // And after A's rows they do not even cure the stores: 16 banks and 16 banks, 20 further on, still share four.
  expect_reads(both, kEightWarps, 8 + 8, 8 + 8 * 4, 8 * 3);
  expect_writes(both, 32 + 32, 32 * 2 + 32 * 4, 32 + 32 * 3);
}

TEST(Banks, ASplitThreadTileReadsLinearlyAndStoresWholeSectors) {
  const emu::Counters before = count("simt/12_a_transposed_vec4", kSize), after = count("simt/15_bank_split", kSize);
  expect_reads(after, kEightWarps, 2 + 2, 2 * 2 + 2 * 4, 0);
  expect_writes(after, 32 + 8, 32 * 2 + 8 * 4, 32);
  // C: lanes 32 bytes apart touch a sector each and fill half of it; side by side they fill sixteen.
  EXPECT_EQ(before.global_store_requests, after.global_store_requests);
  EXPECT_DOUBLE_EQ(per(before.global_store_sectors, before.global_store_requests), 32);
  EXPECT_DOUBLE_EQ(per(after.global_store_sectors, after.global_store_requests), 16);
  EXPECT_EQ(count("simt/13_bank_linear", kSize).global_store_sectors, before.global_store_sectors);
}

// Sixteen words a thread, each of them one wavefront for the warp: eight lanes' words lie 4 apart, in eight banks.
TEST(Banks, AWarpTileReadsWordsWithoutConflicts) {
  for (const int tile : {0, 1}) {
    const emu::Counters c = count("simt/16_warp_tile", kSize, tile);
    expect_reads(c, kEightWarps, 8 + 8, 8 + 8, 0);
    expect_writes(c, 32 + 32, 32 + 32, 0);
  }
}

// A float4 takes two wavefronts where neighbouring lanes want the same one, as the four of a row of the warp want of
// rA, and four where they do not: of rB. In 15, too, rB takes four, but there a request brings twice as many words.
TEST(Banks, AWarpTileTakesTwoWavefrontsForAFloat4OfAAndFourOfB) {
  const emu::Counters square = count("simt/17_warp_tile_vec4", kSize),
                      oblong = count("simt/17_warp_tile_vec4", kSize, 1);
  expect_reads(square, kFourWarps, 2 + 4, 2 * 2 + 4 * 4, 0);
  expect_reads(oblong, kEightWarps, 2 + 2, 2 * 2 + 2 * 4, 0);
  for (const emu::Counters& c : {square, oblong}) expect_writes(c, 32 + 8, 32 + 8 * 4, 0);
}

// Shared memory delivers a wavefront a cycle; an SM with 128 lanes does 128 multiply-adds. Above 1 the lanes wait.
TEST(Banks, WavefrontsForACycleOfMultiplyAddsFallRungByRung) {
  struct Row {
    std::string id;
    int tile;
    double cost;
  };
  const std::array<Row, 7> rows{{{"simt/12_a_transposed_vec4", 0, 1.25},
                                 {"simt/13_bank_linear", 0, 0.75},
                                 {"simt/14_bank_pad", 0, 1.25},
                                 {"simt/15_bank_split", 0, 0.75},
                                 {"simt/16_warp_tile", 0, 1},
                                 {"simt/17_warp_tile_vec4", 1, 0.75},
                                 {"simt/17_warp_tile_vec4", 0, 0.625}}};
  constexpr std::uint64_t kCycles = kSize * kSize * kSize / 128;
  for (const Row& row : rows) {
    const emu::Counters c = count(row.id, kSize, row.tile);
    EXPECT_DOUBLE_EQ(per(c.shared_load_wavefronts, kCycles), row.cost) << row.id << " tile " << row.tile;
  }
}

// Each of these has one barrier before and one after its multiply-adds, for every bk of k.
TEST(Banks, TwoBarriersForEveryTile) {
  EXPECT_EQ(count("simt/12_a_transposed_vec4", kSize).barriers, 2u * 128 / 8);
  EXPECT_EQ(count("simt/15_bank_split", kSize).barriers, 2u * 128 / 8);
  EXPECT_EQ(count("simt/15_bank_split", kSize, 1).barriers, 2u * 128 / 16);
  EXPECT_EQ(count("simt/16_warp_tile", kSize).barriers, 2u * 128 / 16);
  EXPECT_EQ(count("simt/17_warp_tile_vec4", kSize).barriers, 2u * 128 / 16);
}

// Whole tiles beside an edge below, one to the right and a bit of k, which the Clean suite is too small for. Where
// rows are multiples of 16 bytes the vector path runs, else the other.
class WholeTiles : public testing::TestWithParam<std::string> {};

TEST_P(WholeTiles, AreCleanUnderAllDetectors) {
  int tiles = 0;
  for (const Rung* rung : emulated_ladder()) {
    if (!rung->id.starts_with(GetParam())) continue;
    tiles += rung->tiles;
    for (int tile = 0; tile < rung->tiles; ++tile) {
      for (const Problem& p : {Problem::packed(Type::f32, Op::none, Op::none, 130, 260, 36),
                               Problem::packed(Type::f32, Op::none, Op::none, 130, 261, 35)}) {
        expect_clean(std::string(rung->id), tile, p, 1);
      }
    }
  }
  EXPECT_GT(tiles, 0);
}

INSTANTIATE_TEST_SUITE_P(Banks, WholeTiles,
                         testing::Values("simt/12", "simt/13", "simt/14", "simt/15", "simt/16", "simt/17", "simt/18"),
                         [](const auto& rung) { return "simt_" + rung.param.substr(5); });

// Whatever the search picks, it meets no conflict: the laws of a tile see to it.
TEST(Banks, NoTileOfTheSearchConflicts) {
  const Rung* rung = nullptr;
  for (const Rung* each : emulated_ladder())
    if (each->id == "simt/18_autotuned") rung = each;
  ASSERT_NE(rung, nullptr);
  for (int tile = 0; tile < rung->tiles; ++tile) {
    const emu::Counters c = count(std::string(rung->id), kSize, tile);
    EXPECT_EQ(c.shared_load_bank_conflicts + c.shared_store_bank_conflicts, 0u) << rung->tile_name(tile).text;
  }
}

}  // namespace
}  // namespace cairn::lab::trace
