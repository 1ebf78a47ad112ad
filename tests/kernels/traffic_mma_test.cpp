// What ldmatrix, the order of pieces and the way C is stored do to memory, in rungs 35 to 38: counted on 128 cubed,
// one block, where nothing is masked.
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/kernels/traffic.hpp"

namespace cairn::lab::trace {
namespace {

constexpr std::uint64_t kSize = 128, kWarps = 4;  // of a block of 128 x 128, each 64 x 64
constexpr std::pair<Op, Op> kLayouts[] = {
    {Op::none, Op::none}, {Op::none, Op::transpose}, {Op::transpose, Op::none}, {Op::transpose, Op::transpose}};
const char *const kLdmatrix = "tensor/35_mma_ldmatrix", *const kSwizzle = "tensor/36_mma_swizzle";
const char *const kPipeline = "tensor/37_mma_register_pipeline", *const kOrder = "tensor/38_mma_block_order";

Problem problem(std::pair<Op, Op> layout, Type type = Type::bf16, std::int64_t size = kSize) {
  Problem p = Problem::packed(type, layout.first, layout.second, size, size, size);
  if (type == Type::f32) p.compute = Compute::tf32;
  return p;
}

// For 16 steps of k a warp reads four times 16 rows of A and four times 16 columns of B, four matrices an
// instruction, a wavefront each; 37 and 38 read once more than they multiply.
TEST(TrafficMma, EightLoadsOfFourMatricesServe32ProductsInEveryLayout) {
  constexpr std::uint64_t kSteps = kSize / 16;
  for (const auto& layout : kLayouts) {
    for (const char* id : {kLdmatrix, kSwizzle, kPipeline}) {
      const emu::Counters c = count(id, problem(layout));
      const std::uint64_t reads = kWarps * (kSteps + (id == kPipeline ? 1 : 0)) * 8;
      EXPECT_EQ(c.mma_instructions, kWarps * kSteps * 32) << id;
      EXPECT_EQ(c.shared_load_requests, reads) << id;
      EXPECT_EQ(c.shared_load_wavefronts, 4 * reads) << id;
      EXPECT_EQ(c.shared_load_bank_conflicts, 0u) << id;
      EXPECT_EQ(c.shared_store_bank_conflicts, 0u) << id;
    }
  }
}

// TF32, 8 steps of k for as many bytes. What ldmatrix cannot turn is read word by word: sixteen loads for an operand.
TEST(TrafficMma, Tf32IsReadByMatricesAlongKAndByWordsAcross) {
  constexpr std::uint64_t kReads = kWarps * (kSize / 8 + 1);
  for (const auto& layout : kLayouts) {
    const emu::Counters c = count(kPipeline, problem(layout, Type::f32));
    const std::uint64_t by_matrices = (layout.first == Op::none ? 4 : 0) + (layout.second == Op::none ? 0 : 4);
    const std::uint64_t by_words = (layout.first == Op::none ? 0 : 16) + (layout.second == Op::none ? 16 : 0);
    EXPECT_EQ(c.mma_instructions, kWarps * kSize / 8 * 32);
    EXPECT_EQ(c.shared_load_requests, kReads * (by_matrices + by_words));
    EXPECT_EQ(c.shared_load_wavefronts, kReads * (4 * by_matrices + by_words));
    EXPECT_EQ(c.shared_load_bank_conflicts, 0u);
    EXPECT_EQ(c.shared_store_bank_conflicts, 0u);
  }
}

// Every sector of A and B once, 16 bytes a lane, past the registers.
TEST(TrafficMma, EveryLayoutCopiesEachSectorOnce) {
  for (const auto& layout : kLayouts) {
    for (const char* id : {kLdmatrix, kSwizzle, kPipeline, kOrder}) {
      const emu::Counters c = count(id, problem(layout));
      EXPECT_EQ(c.async_copy_sectors, 2 * kSize * kSize * 2 / 32) << id;
      EXPECT_EQ(c.async_copy_requests, 2 * kSize * kSize * 2 / (16 * kWarp)) << id;
      EXPECT_EQ(c.global_load_requests, c.async_copy_requests) << id;
    }
  }
}

// Pairs of elements, eight rows a request: a sector for 8 bytes that are wanted now, and again for the other 8.
// Through shared memory whole sectors, 16 bytes a lane.
TEST(TrafficMma, ThroughSharedMemoryCIsStoredInWholeSectors) {
  const emu::Counters pairs = count(kPipeline, problem(kLayouts[1])), whole = count(kOrder, problem(kLayouts[1]));
  EXPECT_EQ(pairs.global_store_requests, kWarps * 4 * 32);
  EXPECT_EQ(per(pairs.global_store_sectors, pairs.global_store_requests), 8);
  EXPECT_EQ(whole.global_store_requests, kSize * kSize * 2 / (16 * kWarp));
  EXPECT_EQ(whole.global_store_sectors, kSize * kSize * 2 / 32);
  // The strips: a pair of sums a store, two wavefronts; and 16 bytes a load.
  EXPECT_EQ(whole.shared_store_requests - pairs.shared_store_requests, kSize * kSize / (2 * kWarp));
  EXPECT_EQ(whole.shared_store_wavefronts - pairs.shared_store_wavefronts, kSize * kSize / kWarp);
  EXPECT_EQ(whole.shared_load_requests - pairs.shared_load_requests, kSize * kSize / (4 * kWarp));
}

// One a tile; where operands are read ahead one before the first; before the stages become strips one more.
TEST(TrafficMma, Barriers) {
  EXPECT_EQ(count(kLdmatrix, problem(kLayouts[1])).barriers, kSize / 32);
  EXPECT_EQ(count(kSwizzle, problem(kLayouts[1])).barriers, kSize / 64);
  EXPECT_EQ(count(kPipeline, problem(kLayouts[1])).barriers, kSize / 64 + 1);
  EXPECT_EQ(count(kOrder, problem(kLayouts[1])).barriers, kSize / 64 + 2);
}

// All tiles in all layouts and types: blocks inside of C and at its edges, a part of a tile of k, and odd rows.
TEST(TrafficMma, CleanUnderAllDetectors) {
  for (const char* id : {kLdmatrix, kSwizzle, kPipeline, kOrder}) {
    const bool older = id == kLdmatrix || id == kSwizzle;
    const int tiles = older ? 2 : 1;
    for (const Type type : {Type::f16, Type::f32}) {
      if (type == Type::f32 && older) continue;
      for (const auto& layout : kLayouts) {
        for (int tile = 0; tile < tiles; ++tile) {
          Problem inside = problem(layout, type);
          inside.n = 136, inside.k = 232;
          inside.pack();
          expect_clean(id, tile, inside, 1);
          Problem odd = problem(layout, type, 30);
          odd.n = 150, odd.k = 101;
          odd.pack();
          odd.lda += 1, odd.ldc += 3;
          expect_clean(id, tile, odd, 2);
        }
      }
    }
  }
}

}  // namespace
}  // namespace cairn::lab::trace
