// What fragments of f64, loaded by the lanes themselves, ask of shared memory: tensor/42 on one block's tile, where
// nothing is masked; and what rows of odd length cost.
#include <utility>

#include <gtest/gtest.h>

#include "tests/kernels/traffic.hpp"

namespace cairn::lab::trace {
namespace {

constexpr std::uint64_t kRows = 128, kCols = 64, kDepth = 64, kSteps = kDepth / 16, kWarps = 4;  // each 64 x 32
constexpr std::pair<Op, Op> kLayouts[] = {
    {Op::none, Op::none}, {Op::none, Op::transpose}, {Op::transpose, Op::none}, {Op::transpose, Op::transpose}};
const char* const kRung = "tensor/42_mma_f64";

Problem problem(std::pair<Op, Op> layout) {
  return Problem::packed(Type::f64, layout.first, layout.second, kRows, kCols, kDepth);
}

// For 16 of k a warp loads four fragments of A, eight doubles a lane, and four of B, four doubles. A load of 8 bytes is
// two wavefronts. The strips of the epilogue are read by 16 bytes.
TEST(TrafficF64, FragmentsAreReadWithoutConflictsInEveryLayout) {
  constexpr std::uint64_t kReads = kWarps * kSteps * (4 * 8 + 4 * 4), kStrips = kRows * kCols / 2 / kWarp;
  for (const auto& layout : kLayouts) {
    const emu::Counters c = count(kRung, problem(layout));
    EXPECT_EQ(c.mma_instructions, kWarps * kSteps * 4 * 4);
    EXPECT_EQ(c.shared_load_wavefronts - c.shared_load_requests, kReads + 3 * kStrips);
    EXPECT_LT(c.shared_load_requests, kReads + kStrips + 40 * kWarps) << "and some of the block's position";
    EXPECT_EQ(c.shared_load_bank_conflicts, 0u);
    EXPECT_EQ(c.global_store_requests, kStrips);
    EXPECT_EQ(c.shared_store_bank_conflicts, 0u);
  }
}

// By 16 bytes a lane, or by 8 where rows are odd: twice the requests, and the sectors that rows share.
TEST(TrafficF64, OddRowsTakeTwiceTheCopies) {
  constexpr std::uint64_t kElements = (kRows + kCols) * kDepth;
  for (const auto& layout : kLayouts) {
    const emu::Counters even = count(kRung, problem(layout));
    EXPECT_EQ(even.async_copy_requests, kElements / 2 / kWarp);
    EXPECT_EQ(even.async_copy_sectors, kElements * 8 / 32);
    Problem p = problem(layout);
    p.lda += 1, p.ldb += 1;
    const emu::Counters odd = count(kRung, p);
    EXPECT_EQ(odd.async_copy_requests, kElements / kWarp);
    EXPECT_LT(per(odd.async_copy_sectors, even.async_copy_sectors), 1.4);
    EXPECT_EQ(odd.shared_load_wavefronts, even.shared_load_wavefronts);
  }
}

// One a k-step, one after the last and one for the position.
TEST(TrafficF64, Barriers) { EXPECT_EQ(count(kRung, problem(kLayouts[0])).barriers, kSteps + 2); }

// All tiles in all layouts: blocks inside of C and at its edges, a part of a k-step, odd rows, and batches. Split tiles of
// each layout with another tile, since a long k takes long.
TEST(TrafficF64, CleanUnderAllDetectors) {
  int split = 0;
  for (const auto& layout : kLayouts) {
    for (int tile = 0; tile < 4; ++tile) {
      Problem inside = problem(layout);
      inside.n = 72, inside.k = 100;
      inside.pack();
      expect_clean(kRung, tile, inside, 1);
      Problem odd = Problem::packed(Type::f64, layout.first, layout.second, 31, 150, 101, Order::row, 2);
      odd.lda += 1, odd.ldc += 3;
      odd.stride_a = 160 * odd.lda + 1, odd.stride_c = 31 * odd.ldc + 1;
      expect_clean(kRung, tile, odd, 2);
    }
    const Problem deep = Problem::packed(Type::f64, layout.first, layout.second, 30, 14, 4001, Order::row, 2);
    EXPECT_EQ(trace_rung(kRung, split, deep, 1, kCounters).trace.kernels.size(), 2u);
    expect_clean(kRung, split++, deep, 2);
  }
}

}  // namespace
}  // namespace cairn::lab::trace
