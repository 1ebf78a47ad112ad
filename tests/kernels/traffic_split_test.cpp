// What three products instead of one do to memory: tensor/40 against tensor/38, on 128 cubed, where nothing is
// masked.
#include <utility>

#include <gtest/gtest.h>

#include "tests/kernels/traffic.hpp"

namespace cairn::lab::trace {
namespace {

constexpr std::uint64_t kSize = 128, kBlocks = 2, kWarps = 8;  // blocks of 128 x 64, warps of 64 x 32
constexpr std::pair<Op, Op> kLayouts[] = {
    {Op::none, Op::none}, {Op::none, Op::transpose}, {Op::transpose, Op::none}, {Op::transpose, Op::transpose}};
const char *const kOnce = "tensor/38_mma_block_order", *const kThrice = "tensor/40_mma_tf32x3";

Problem problem(std::pair<Op, Op> layout, Compute compute, std::int64_t size = kSize) {
  Problem p = Problem::packed(Type::f32, layout.first, layout.second, size, size, size);
  p.compute = compute;
  return p;
}

// The parts of a factor are made in registers: what is read and written is what one product takes. But both blocks
// read A, where 38 has one block.
TEST(TrafficSplit, ThreeProductsOfTheSameBytes) {
  for (const auto& layout : kLayouts) {
    const emu::Counters once = count(kOnce, problem(layout, Compute::tf32));
    const emu::Counters thrice = count(kThrice, problem(layout, Compute::split));
    EXPECT_EQ(once.mma_instructions, kSize * kSize * kSize / (16 * 8 * 8));
    EXPECT_EQ(thrice.mma_instructions, 3 * once.mma_instructions);
    EXPECT_EQ(once.async_copy_sectors, 2 * kSize * kSize * 4 / 32);
    EXPECT_EQ(thrice.async_copy_sectors, (kBlocks + 1) * kSize * kSize * 4 / 32);
    EXPECT_EQ(thrice.async_copy_requests * 2, once.async_copy_requests * (kBlocks + 1));
    EXPECT_EQ(thrice.global_load_requests, thrice.async_copy_requests);
    EXPECT_EQ(thrice.global_store_requests, once.global_store_requests);
    EXPECT_EQ(thrice.global_store_sectors, kSize * kSize * 4 / 32);
  }
}

// For 8 steps of k a warp reads four times 16 rows of A and twice 16 columns of B, four matrices an instruction; what
// ldmatrix cannot turn is read word by word. Once more than is multiplied, and at the end the strips of sums.
TEST(TrafficSplit, AnOperandIsReadOnceForItsThreeProducts) {
  constexpr std::uint64_t kReads = kWarps * (kSize / 8 + 1), kStrips = kSize * kSize / (4 * kWarp);
  for (const auto& layout : kLayouts) {
    const emu::Counters c = count(kThrice, problem(layout, Compute::split));
    const std::uint64_t by_matrices = (layout.first == Op::none ? 4 : 0) + (layout.second == Op::none ? 0 : 2);
    const std::uint64_t by_words = (layout.first == Op::none ? 0 : 16) + (layout.second == Op::none ? 8 : 0);
    EXPECT_EQ(c.shared_load_requests, kReads * (by_matrices + by_words) + kStrips);
    EXPECT_EQ(c.shared_load_bank_conflicts, 0u);
    EXPECT_EQ(c.shared_store_bank_conflicts, 0u);
    EXPECT_EQ(c.barriers, kBlocks * (kSize / 32 + 2));
  }
}

TEST(TrafficSplit, CleanUnderAllDetectors) {
  for (const auto& layout : kLayouts) {
    Problem inside = problem(layout, Compute::split);
    inside.n = 136, inside.k = 232;
    inside.pack();
    expect_clean(kThrice, 0, inside, 1);
    Problem odd = problem(layout, Compute::split, 30);
    odd.n = 150, odd.k = 101;
    odd.pack();
    odd.lda += 1, odd.ldc += 3;
    expect_clean(kThrice, 0, odd, 2);
  }
}

}  // namespace
}  // namespace cairn::lab::trace
