// What cutting a tile does to memory: tensor/39 against tensor/38, on one tile with a long k. The emulated GPU has 8
// SMs.
#include <gtest/gtest.h>

#include "tests/kernels/traffic.hpp"

namespace cairn::lab::trace {
namespace {

constexpr std::uint64_t kSize = 128, kDepth = 4096, kShares = 8, kWarps = 4;
const char *const kTiles = "tensor/38_mma_block_order", *const kStreamK = "tensor/39_mma_stream_k";

Problem problem(std::int64_t k) { return Problem::packed(Type::f16, Op::none, Op::transpose, kSize, kSize, k); }

// As much is multiplied and copied as by one block; what is new is a tile of f32 sums from each share.
TEST(TrafficStreamK, SharesWriteTheirSumsOnceAndTheyAreReadOnce) {
  const emu::Counters one = count(kTiles, problem(kDepth));
  const Traced traced = trace_rung(kStreamK, 0, problem(kDepth), 1, kCounters);
  ASSERT_EQ(traced.failure, "");
  ASSERT_EQ(traced.trace.kernels.size(), 2u);
  const emu::Counters &made = traced.trace.kernels[0].counters, &added = traced.trace.kernels[1].counters;
  EXPECT_EQ(made.mma_instructions, one.mma_instructions);
  EXPECT_EQ(made.async_copy_sectors, one.async_copy_sectors);
  EXPECT_EQ(made.async_copy_sectors, 2 * kSize * kDepth * 2 / 32);
  EXPECT_EQ(made.global_store_sectors, kShares * kSize * kSize * 4 / 32);
  EXPECT_EQ(added.global_load_sectors, made.global_store_sectors);
  EXPECT_EQ(added.global_store_sectors, one.global_store_sectors);
  EXPECT_EQ(added.global_store_sectors, kSize * kSize * 2 / 32);
  EXPECT_EQ(added.mma_instructions, 0u);
  // Each share has the steps of an eighth, two barriers to begin with and one to end with; 38 has one fewer.
  EXPECT_EQ(one.barriers, kDepth / 64 + 2);
  EXPECT_EQ(made.barriers, kShares * (kDepth / kShares / 64 + 3));
}

// A k too short to be worth it: one kernel, and what 38 does.
TEST(TrafficStreamK, AShortKIsNotCut) {
  const emu::Counters one = count(kTiles, problem(kSize));
  const Traced traced = trace_rung(kStreamK, 0, problem(kSize), 1, kCounters);
  ASSERT_EQ(traced.trace.kernels.size(), 1u);
  const emu::Counters& made = traced.trace.kernels[0].counters;
  EXPECT_EQ(made.mma_instructions, one.mma_instructions);
  EXPECT_EQ(made.async_copy_sectors, one.async_copy_sectors);
  EXPECT_EQ(made.global_store_sectors, one.global_store_sectors);
  EXPECT_EQ(made.global_store_requests, one.global_store_requests);
  EXPECT_EQ(made.shared_load_bank_conflicts, one.shared_load_bank_conflicts);
  EXPECT_EQ(made.barriers, one.barriers + 1);
}

// Four tiles of 40 steps for 8 shares, which begin where tiles do; and three of 51, where they do not.
TEST(TrafficStreamK, CleanUnderAllDetectors) {
  for (const Op op_a : {Op::none, Op::transpose}) {
    for (const Op op_b : {Op::none, Op::transpose}) {
      const Problem even = Problem::packed(Type::bf16, op_a, op_b, 200, 136, 2560);
      EXPECT_EQ(trace_rung(kStreamK, 0, even, 1, kCounters).trace.kernels.size(), 2u);
      expect_clean(kStreamK, 0, even, 1);
      Problem odd = Problem::packed(Type::f32, op_a, op_b, 270, 30, 1601);
      odd.compute = Compute::tf32;
      odd.lda += 1, odd.ldc += 3;
      EXPECT_EQ(trace_rung(kStreamK, 0, odd, 2, kCounters).trace.kernels.size(), 2u);
      expect_clean(kStreamK, 0, odd, 2);
    }
  }
}

}  // namespace
}  // namespace cairn::lab::trace
