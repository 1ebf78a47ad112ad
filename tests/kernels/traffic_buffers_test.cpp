// What two buffers and asynchronous copies change, and what they leave as it was: barriers fall, the copies leave the
// registers, and memory is asked for the same sectors.
#include <string>

#include <gtest/gtest.h>

#include "tests/kernels/traffic.hpp"

namespace cairn::lab::trace {
namespace {

// 256 cubed in tiles of 128 x 128: 4 blocks of 8 warps.
constexpr std::uint64_t kSize = 256, kBlocks = 4, kWarps = 8;

TEST(Buffers, OneBarrierAStepInsteadOfTwo) {
  EXPECT_EQ(count("simt/12_a_transposed_vec4", kSize).barriers, 2 * kBlocks * (kSize / 8));
  EXPECT_EQ(count("simt/19_double_buffer", kSize).barriers, kBlocks * (kSize / 8));
  EXPECT_EQ(count("simt/20_double_buffer_k16", kSize).barriers, kBlocks * (kSize / 16));
  EXPECT_EQ(count("simt/21_cp_async", kSize).barriers, kBlocks * (kSize / 16));
}

// 136 = 17 * 8 = 8.5 * 16, with 4 blocks that hang over the edges.
TEST(Buffers, OneBarrierAStepForAnOddNumberOfTilesAndAPartOfOne) {
  EXPECT_EQ(count("simt/19_double_buffer", 136).barriers, kBlocks * 17);
  EXPECT_EQ(count("simt/20_double_buffer_k16", 136).barriers, kBlocks * 9);
  for (const int tile : {0, 1, 2}) EXPECT_EQ(count("simt/21_cp_async", 136, tile).barriers, kBlocks * 9) << tile;
  EXPECT_EQ(count("simt/21_cp_async", 136, 3).barriers, kBlocks * 17);
}

// For 8 steps of k a block needs a sector of each of 128 rows of A, and 8 rows of B of 16 sectors.
TEST(Buffers, TheSameSectorsWhoeverCopies) {
  constexpr std::uint64_t kSectors = kBlocks * (kSize / 8) * (128 + 8 * 16);
  for (const char* id :
       {"simt/17_warp_tile_vec4", "simt/19_double_buffer", "simt/20_double_buffer_k16", "simt/21_cp_async"}) {
    const emu::Counters c = count(id, kSize);
    EXPECT_EQ(c.global_load_sectors, kSectors) << id;
    EXPECT_EQ(c.global_store_sectors, kSize * kSize / 8) << id;
    EXPECT_DOUBLE_EQ(per(c.global_store_sectors, c.global_store_requests), 16) << id;
  }
}

// A thread fetches 4 words of A and 4 of B for 8 steps of k: a request each, of 16 sectors. It puts A down word by
// word, a wavefront each, and B in one piece, four.
TEST(Buffers, FetchedInTwoRequestsAndPutDownInFive) {
  constexpr std::uint64_t kTimes = kBlocks * kWarps * (kSize / 8);
  for (const char* id : {"simt/19_double_buffer", "simt/20_double_buffer_k16"}) {
    const emu::Counters c = count(id, kSize);
    EXPECT_EQ(c.global_load_requests, 2 * kTimes) << id;
    EXPECT_EQ(c.shared_store_requests, (4 + 1) * kTimes) << id;
    EXPECT_EQ(c.shared_store_wavefronts, (4 + 4) * kTimes) << id;
    EXPECT_EQ(c.async_copy_requests, 0u) << id;
  }
}

// The same words by copies: A in requests of 4 bytes a lane, 4 sectors and a wavefront each, B in requests of 16.
TEST(Buffers, CopiedInFiveRequestsThatPassNoRegister) {
  constexpr std::uint64_t kTimes = kBlocks * kWarps * (kSize / 8);
  for (const int tile : {0, 1, 2, 3}) {
    const emu::Counters c = count("simt/21_cp_async", kSize, tile);
    EXPECT_EQ(c.async_copy_requests, (4 + 1) * kTimes) << tile;
    EXPECT_EQ(c.async_copy_sectors, (4 * 4 + 16) * kTimes) << tile;
    EXPECT_EQ(c.global_load_requests, c.async_copy_requests) << tile;
    EXPECT_EQ(c.global_load_sectors, c.async_copy_sectors) << tile;
    EXPECT_EQ(c.shared_store_requests, c.async_copy_requests) << tile;
    EXPECT_EQ(c.shared_store_wavefronts, (4 + 4) * kTimes) << tile;
  }
}

// In a step of k a warp reads two pieces of sA and two of sB, 16 bytes a lane. The first are shared by neighbouring
// lanes, and a half of the warp is served at once; the second are not, and it is a quarter.
TEST(Buffers, NoBankConflictAnywhere) {
  for (const char* id : {"simt/19_double_buffer", "simt/20_double_buffer_k16", "simt/21_cp_async"}) {
    const emu::Counters c = count(id, kSize);
    EXPECT_EQ(c.shared_load_requests, 4 * kBlocks * kWarps * kSize) << id;
    EXPECT_DOUBLE_EQ(per(c.shared_load_wavefronts, c.shared_load_requests), (2 + 4) / 2.0) << id;
    EXPECT_EQ(c.shared_load_bank_conflicts, 0u) << id;
    EXPECT_EQ(c.shared_store_bank_conflicts, 0u) << id;
  }
}

// Blocks inside of C, where nothing is masked; an odd number of tiles, and a part of one.
TEST(Buffers, CleanInsideUnderAllDetectors) {
  const Problem p = Problem::packed(Type::f32, Op::none, Op::none, 128, 256, 3 * 16 + 8);
  for (const char* id : {"simt/19_double_buffer", "simt/20_double_buffer_k16", "simt/21_cp_async"}) {
    for (int tile = 0; tile < (std::string(id) == "simt/21_cp_async" ? 5 : 2); ++tile) {
      for (const std::uint64_t seed : {1, 2, 3}) expect_clean(id, tile, p, seed);
    }
  }
}

}  // namespace
}  // namespace cairn::lab::trace
