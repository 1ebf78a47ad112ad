// simt/22: what the large thread tile, the ring of stages and the four layouts come to, counted on one block's tile.
#include <string>

#include <gtest/gtest.h>

#include "tests/kernels/traffic.hpp"

namespace cairn::lab::trace {
namespace {

constexpr std::uint64_t kM = 128, kN = 256, kK = 64;  // one block of tile 0
constexpr std::uint64_t kWarps = 8, kDepth = 16;      // of a block; steps of k in a tile
constexpr std::uint64_t kTiles = kK / kDepth;         // of k
constexpr std::uint64_t kReads = kWarps * (kK + 1);   // of operands: each step's, and one more for nothing
constexpr std::uint64_t kPieces = kM * kN / kWarp / kWarps / 16;  // 8 rows of 16

emu::Counters count_layout(Op op_a, Op op_b) {
  const Problem p = Problem::packed(Type::f32, op_a, op_b, kM, kN, kK);
  const Traced traced = trace_rung("simt/22_pipelined", 0, p, 1, {});
  EXPECT_EQ(traced.failure, "");
  EXPECT_TRUE(traced.trace.findings.empty());
  return traced.trace.kernels.at(0).counters;
}

TEST(TrafficPipelined, SixLoadsOfSharedMemoryServe128MultiplyAdds) {
  EXPECT_EQ(kPieces, 8u);
  const emu::Counters c = count_layout(Op::none, Op::none);
  EXPECT_EQ(c.shared_load_requests, kReads * 6);
  EXPECT_EQ(c.shared_load_bank_conflicts, 0u);
  EXPECT_EQ(c.barriers, kTiles + 1);  // one a tile, and one before the first
}

// Every word of A and B comes once, 16 bytes at a time, in any layout.
TEST(TrafficPipelined, EveryLayoutReadsEachSectorOnce) {
  for (const Op op_a : {Op::none, Op::transpose}) {
    for (const Op op_b : {Op::none, Op::transpose}) {
      const emu::Counters c = count_layout(op_a, op_b);
      EXPECT_EQ(c.global_load_requests, (kM + kN) * kK / (4 * kWarp));
      EXPECT_EQ(c.global_load_sectors, (kM + kN) * kK * 4 / 32);
      EXPECT_EQ(c.global_store_sectors, kM * kN * 4 / 32);
      // What need not be turned goes by asynchronous copies, the rest through registers.
      const std::uint64_t by_copy = (op_a == Op::none ? 0 : kM) + (op_b == Op::none ? kN : 0);
      EXPECT_EQ(c.async_copy_requests, by_copy * kK / (4 * kWarp));
      EXPECT_EQ(c.async_copy_sectors, by_copy * kK * 4 / 32);
    }
  }
}

// An operand that is turned is stored word by word, two lanes to a bank.
TEST(TrafficPipelined, TurningCostsTwoWavefrontsAStore) {
  const std::uint64_t copied = kK * kN * 4 / 128;  // B: 16 bytes a lane, four wavefronts a request
  const emu::Counters c = count_layout(Op::none, Op::none);
  EXPECT_EQ(c.shared_store_requests, kM * kK / kWarp + kN * kK / (4 * kWarp));
  EXPECT_EQ(c.shared_store_wavefronts, 2 * kM * kK / kWarp + copied);
}

}  // namespace
}  // namespace cairn::lab::trace
