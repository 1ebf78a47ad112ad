// simt/23 against simt/22: what dividing tiles along k and copying rows of any alignment do to memory. The emulated GPU
// has 8 SMs.
#include <string>

#include <gtest/gtest.h>

#include "tests/kernels/traffic.hpp"

namespace cairn::lab::trace {
namespace {

constexpr std::uint64_t kM = 128, kN = 256, kDepth = 2048, kShares = 8;  // one tile of C, and a block on each SM
const char *const kWhole = "simt/22_pipelined", *const kStreamK = "simt/23_stream_k";

Problem parsed(const std::string& text) {
  Problem p;
  EXPECT_TRUE(parse(text, p).ok()) << text;
  return p;
}
Problem problem(std::int64_t k) { return Problem::packed(Type::f32, Op::transpose, Op::none, kM, kN, k); }

// As much is copied as by one block; what is new is a tile of sums from each range, and each is read once.
TEST(TrafficF32StreamK, RangesWriteTheirSumsOnceAndTheyAreReadOnce) {
  const emu::Counters one = count(kWhole, problem(kDepth));
  const Traced traced = trace_rung(kStreamK, 0, problem(kDepth), 1, kCounters);
  ASSERT_EQ(traced.failure, "");
  ASSERT_EQ(traced.trace.kernels.size(), 2u);
  const emu::Counters &made = traced.trace.kernels[0].counters, &added = traced.trace.kernels[1].counters;
  EXPECT_EQ(made.async_copy_sectors, one.async_copy_sectors);
  EXPECT_EQ(made.async_copy_requests, one.async_copy_requests);
  EXPECT_EQ(made.global_store_sectors, kShares * kM * kN * 4 / 32);
  EXPECT_EQ(added.global_load_sectors, made.global_store_sectors);
  EXPECT_EQ(added.global_store_sectors, kM * kN * 4 / 32);
  EXPECT_EQ(made.shared_load_bank_conflicts, 0u);
}

// A k too short to be worth it: one kernel.
TEST(TrafficF32StreamK, AShortKIsNotDivided) {
  EXPECT_EQ(trace_rung(kStreamK, 0, problem(64), 1, kCounters).trace.kernels.size(), 1u);
}

// Rows that begin anywhere: words instead of 16 bytes, four times as many requests, but little more than the same sectors.
// simt/22 stores four elements of each lane one after the other, and touches every sector of C four times and more.
TEST(TrafficF32StreamK, OddRowsTouchFewMoreSectors) {
  for (const char* layout : {"nn", "nt", "tn", "tt"}) {
    const std::string text = "f32 " + std::string(layout) + " 128x256x64";
    Problem even = parsed(text), odd = even;
    odd.lda += 1, odd.ldb += 1, odd.ldc += 1;
    const emu::Counters aligned = count(kStreamK, even), words = count(kStreamK, odd), before = count(kWhole, odd);
    EXPECT_LT(words.global_load_sectors, 3 * aligned.global_load_sectors / 2) << layout;
    EXPECT_LT(words.global_store_sectors, 5 * aligned.global_store_sectors / 4) << layout;
    EXPECT_GT(before.global_store_sectors, 4 * words.global_store_sectors) << layout;
    EXPECT_LE(words.global_load_requests, 4 * kM * 3 * 64 / (4 * kWarp)) << layout;
  }
}

// Rows of a multiple of 8 bytes are copied by 8 bytes, also where a tile reaches over the edge of the matrix.
TEST(TrafficF32StreamK, EvenRowsAreCopiedByPairs) {
  const emu::Counters inside = count(kStreamK, parsed("f32 tn 128x256x64 lda=130 ldb=258"));
  EXPECT_EQ(inside.async_copy_requests, (kM + kN) * 64 / (2 * kWarp));
  const emu::Counters edge = count(kStreamK, parsed("f32 tn 126x254x62"));
  EXPECT_EQ(edge.async_copy_requests, (kM + kN) * 62 / (2 * kWarp));
}

// Ranges that end with a tile and ranges that reach into the next; every alignment; edges of m, n and k; batches, of which
// all products share B, too; groups of rows.
TEST(TrafficF32StreamK, CleanUnderAllDetectors) {
  for (const char* layout : {"nn", "nt", "tn", "tt"}) {
    for (const char* shape : {" 64x128x640", " 70x190x601", " 130x62x1202", " 60x66x1200 batch=3 stride_b=0"}) {
      const Problem p = parsed("f32 " + std::string(layout) + shape);
      EXPECT_EQ(trace_rung(kStreamK, 3, p, 1, kCounters).trace.kernels.size(), 2u) << p.brief();
      expect_clean(kStreamK, 3, p, 1);
    }
    Problem odd = parsed("f32 " + std::string(layout) + " 150x270x333");
    odd.lda += 1, odd.ldb += 2, odd.ldc += 3;
    for (const int tile : {0, 1, 2}) expect_clean(kStreamK, tile, odd, 2);
  }
  expect_clean(kStreamK, 3, parsed("f32 nn 150x72x64 groups=3 bias=columns stride_bias=80"), 1);
}

// Where a tile is divided, the fix-up has the epilogue; where it is not, the block that computes it.
TEST(TrafficF32StreamK, EpiloguesAreCleanWhereTilesAreDivided) {
  for (const char* asks :
       {"bias=columns activation=gelu", "bias=rows before=stored", "scale_a=vector scale_b=vector activation=relu"}) {
    for (const char* shape : {"64x128x640 ", "70x190x601 "})
      expect_clean(kStreamK, 3, parsed("f32 nt " + std::string(shape) + asks), 1);
  }
}

}  // namespace
}  // namespace cairn::lab::trace
