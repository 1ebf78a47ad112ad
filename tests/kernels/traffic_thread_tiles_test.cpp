// What simt/05 to simt/12 do to requests, sectors and wavefronts, as numbers worked out by hand from their sources.
// The problem is 128 x 128 x 128, so a tile of 128 x 128 is all of C and A goes through shared memory once; "a step"
// is one step of k in one warp.
#include <cstdint>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/kernels/traffic.hpp"

namespace cairn::lab::trace {
namespace {

constexpr std::int64_t kSize = 128;
constexpr std::uint64_t kMultiplies = kSize * kSize * kSize / kWarp;  // requests, if each were one
constexpr std::uint64_t kMatrix = kSize * kSize / kWarp;              // requests that touch each word of one, 4 bytes
constexpr std::uint64_t kSteps = kSize * 8;                           // of 8 warps

TEST(Traffic, AVectorCopyOfASmallTileIsMadeByAQuarterOfTheWarps) {
  struct Pair {
    const char *words, *vectors;
    std::uint64_t tiles, warps;  // how many tiles of A and B are copied, and by how many warps with one word a lane
  };
  for (const Pair& pair : {Pair{"simt/04_block_tile", "simt/05_block_tile_vec4", 2 * 16 * 4, 32},
                           Pair{"simt/06_thread_tile_1d", "simt/07_thread_tile_1d_vec4", 2 * 4 * 16, 16}}) {
    const emu::Counters words = count(pair.words, kSize), vectors = count(pair.vectors, kSize);
    EXPECT_EQ(words.global_load_requests, pair.tiles * pair.warps);
    EXPECT_EQ(vectors.global_load_requests, pair.tiles * pair.warps / 4);
    // The same bytes: four sectors a request, then sixteen; one wavefront for a store, then four.
    EXPECT_EQ(words.global_load_sectors, 4 * words.global_load_requests);
    EXPECT_EQ(vectors.global_load_sectors, 16 * vectors.global_load_requests);
    EXPECT_EQ(words.shared_store_wavefronts, words.shared_store_requests);
    EXPECT_EQ(vectors.shared_store_wavefronts, 4 * vectors.shared_store_requests);
    EXPECT_EQ(vectors.shared_store_wavefronts, words.shared_store_wavefronts);
    EXPECT_EQ(vectors.shared_store_bank_conflicts, 0u);
    // And the same multiplication.
    EXPECT_EQ(vectors.shared_load_requests, words.shared_load_requests);
    EXPECT_EQ(vectors.barriers, words.barriers);
  }
}

TEST(Traffic, AColumnPerThreadReadsOneSharedWordForEachMultiplyAddAndAnEighth) {
  const emu::Counters before = count("simt/04_block_tile", kSize), after = count("simt/06_thread_tile_1d", kSize);
  EXPECT_EQ(before.shared_load_requests, 2 * kMultiplies);
  EXPECT_EQ(after.shared_load_requests, kMultiplies + kMultiplies / 8);
  EXPECT_EQ(after.shared_load_bank_conflicts, 0u);  // a broadcast of sA, 32 neighbours of sB
  // Tiles of 64 x 64 instead of 32 x 32: half the words from global memory.
  EXPECT_EQ(before.global_load_sectors, 2 * after.global_load_sectors);
}

TEST(Traffic, ASquarePerThreadHalvesGlobalLoadsAndReadsTwoSharedWordsForEachMultiplyAdd) {
  const emu::Counters column = count("simt/06_thread_tile_1d", kSize),
                      square = count("simt/08_thread_tile_2d", kSize);
  EXPECT_EQ(column.global_load_sectors, 2 * square.global_load_sectors);
  EXPECT_EQ(square.global_load_requests, 2 * kMatrix);
  EXPECT_EQ(square.shared_load_requests, 2 * kMultiplies);
}

TEST(Traffic, RegistersCutSharedLoadsToAQuarterOfAWordForEachMultiplyAdd) {
  const emu::Counters before = count("simt/08_thread_tile_2d", kSize), after = count("simt/09_register_tile", kSize);
  EXPECT_EQ(after.global_load_requests, before.global_load_requests);
  EXPECT_EQ(after.shared_load_requests, kMultiplies / 4);
  EXPECT_EQ(after.shared_load_requests, kSteps * (8 + 8));
  // A word of rA: two rows of sA, in one bank. A word of rB: 16 words, 8 apart, in four banks.
  EXPECT_EQ(after.shared_load_wavefronts, kSteps * (8 * 2 + 8 * 4));
  EXPECT_EQ(after.shared_load_bank_conflicts, kSteps * (8 * 1 + 8 * 3));
}

TEST(Traffic, ADeeperTileChangesOnlyTheNumberOfBarriers) {
  const emu::Counters bk8 = count("simt/09_register_tile", kSize, 0);
  for (const int tile : {1, 2}) {
    const emu::Counters deep = count("simt/09_register_tile", kSize, tile);
    EXPECT_EQ(deep.global_load_sectors, bk8.global_load_sectors);
    EXPECT_EQ(deep.shared_load_wavefronts, bk8.shared_load_wavefronts);
    EXPECT_EQ(deep.barriers, bk8.barriers >> tile);
  }
  EXPECT_EQ(bk8.barriers, 2u * 128 / 8);
}

TEST(Traffic, AVectorCopyOfALargeTileQuartersTheRequestsOfEveryWarp) {
  const emu::Counters words = count("simt/09_register_tile", kSize), vectors = count("simt/10_vector_copy", kSize);
  EXPECT_EQ(words.global_load_requests, 2 * kMatrix);
  EXPECT_EQ(vectors.global_load_requests, 2 * kMatrix / 4);
  EXPECT_EQ(vectors.global_load_requests, 2u * (128 / 8) * 8);  // every one of the 8 warps, each tile
  EXPECT_EQ(vectors.global_load_sectors, words.global_load_sectors);
  EXPECT_EQ(vectors.shared_store_requests, 2 * kMatrix / 4);
  EXPECT_EQ(vectors.shared_store_wavefronts, words.shared_store_wavefronts);
  // rA as before; rB in two reads of 16 bytes, 32 bytes apart, four wavefronts for each half of the warp.
  EXPECT_EQ(vectors.shared_load_requests, kSteps * (8 + 2));
  EXPECT_EQ(vectors.shared_load_wavefronts, kSteps * (8 * 2 + 2 * 8));
  EXPECT_EQ(vectors.shared_load_bank_conflicts, kSteps * (8 * 1 + 2 * 4));
}

TEST(Traffic, TransposedWordByWordSAIsReadWithoutAConflictAndWrittenWithSixteenWaysOfThem) {
  const emu::Counters bk16 = count("simt/11_a_transposed", kSize, 0), bk8 = count("simt/11_a_transposed", kSize, 1);
  for (const emu::Counters& c : {bk16, bk8}) {
    // A word of rA: two neighbouring groups of a row, in two banks. A word of rB as in 09.
    EXPECT_EQ(c.shared_load_requests, kSteps * (8 + 8));
    EXPECT_EQ(c.shared_load_wavefronts, kSteps * (8 * 1 + 8 * 4));
    EXPECT_EQ(c.shared_store_requests, 2 * kMatrix);
  }
  // Of a store to sA all lanes with the same row of A meet in one bank: 16 or 8 of them. sB as in 09.
  EXPECT_EQ(bk16.shared_store_wavefronts, kMatrix * 16 + kMatrix);
  EXPECT_EQ(bk16.shared_store_bank_conflicts, kMatrix * 15);
  EXPECT_EQ(bk8.shared_store_wavefronts, kMatrix * 8 + kMatrix);
}

TEST(Traffic, TransposedByVectorsEverythingIsReadFourWordsAtATime) {
  const emu::Counters bk8 = count("simt/12_a_transposed_vec4", kSize, 0);
  const emu::Counters bk16 = count("simt/12_a_transposed_vec4", kSize, 1);
  const emu::Counters words = count("simt/11_a_transposed", kSize);
  for (const emu::Counters& c : {bk8, bk16}) {
    EXPECT_EQ(c.global_load_requests, 2 * kMatrix / 4);
    EXPECT_EQ(c.shared_load_requests, kSteps * (2 + 2));
    EXPECT_EQ(4 * c.shared_load_requests, words.shared_load_requests);
    // A read of rA: one address for each half of the warp. A read of rB as in 10.
    EXPECT_EQ(c.shared_load_wavefronts, kSteps * (2 * 2 + 2 * 8));
    EXPECT_EQ(c.shared_load_bank_conflicts, kSteps * (2 * 0 + 2 * 4));
    // sA is still written word by word, sB four at a time.
    EXPECT_EQ(c.shared_store_requests, kMatrix + kMatrix / 4);
  }
  // Of a store to sA the lanes with the same row of A meet in a bank: bk / 4 of them.
  EXPECT_EQ(bk8.shared_store_wavefronts, kMatrix * 2 + kMatrix / 4 * 4);
  EXPECT_EQ(bk16.shared_store_wavefronts, kMatrix * 4 + kMatrix / 4 * 4);
}

// The lanes of a warp store 32 bytes apart, two rows of 16: a sector each, half full or an eighth.
TEST(Traffic, AVectorStoreTouchesASectorTwiceInsteadOfEightTimes) {
  const emu::Counters words = count("simt/11_a_transposed", kSize),
                      vectors = count("simt/12_a_transposed_vec4", kSize);
  EXPECT_EQ(words.global_store_requests, kMatrix);
  EXPECT_EQ(words.global_store_sectors, kMatrix * 32);
  EXPECT_EQ(vectors.global_store_requests, kMatrix / 4);
  EXPECT_EQ(vectors.global_store_sectors, kMatrix / 4 * 32);
}

// With rows off a boundary of 16 bytes the same rung moves four words one by one. The traced emulator reports an
// access that is not aligned, so a launcher that looks at too little is seen here.
TEST(Traffic, AnOddLeadingDimensionTakesTheScalarPath) {
  const Problem even = Problem::packed(Type::f32, Op::none, Op::none, kSize, kSize, kSize);
  for (const char* id : {"simt/05_block_tile_vec4", "simt/07_thread_tile_1d_vec4", "simt/10_vector_copy",
                         "simt/12_a_transposed_vec4"}) {
    const Traced vectors = trace_rung(id, 0, even, 1, {});
    EXPECT_EQ(vectors.failure, "") << id;
    const std::uint64_t requests = vectors.trace.kernels.at(0).counters.global_load_requests;
    for (std::int64_t Problem::*ld : {&Problem::lda, &Problem::ldb, &Problem::ldc}) {
      Problem odd = even;
      odd.*ld += 1;
      const Traced words = trace_rung(id, 0, odd, 1, {});
      EXPECT_EQ(words.failure, "") << id;
      for (const emu::Finding& finding : words.trace.findings) ADD_FAILURE() << id << ": " << finding.what;
      // C matters to the rung that stores it by vectors.
      const bool scalar = ld != &Problem::ldc || std::string_view(id).starts_with("simt/12");
      EXPECT_EQ(words.trace.kernels.at(0).counters.global_load_requests, scalar ? 4 * requests : requests) << id;
    }
  }
}

}  // namespace
}  // namespace cairn::lab::trace
