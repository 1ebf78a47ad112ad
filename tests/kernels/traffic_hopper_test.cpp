// What the Hopper rungs ask of memory and of the tensor cores at 512 x 512 x 256, bf16, worked out by hand.
#include "tests/kernels/traffic.hpp"

namespace cairn::lab::trace {
namespace {

constexpr std::uint64_t kLine = 128, kSteps = 4;  // bytes of k in a step; 256 elements of k are so many

Problem problem(Op op_b = Op::transpose) { return Problem::packed(Type::bf16, Op::none, op_b, 512, 512, 256); }

struct Wanted {
  const char* id;
  std::uint64_t tiles, bytes;  // of C; that a tile brings in a step
  std::uint64_t columns;       // of an instruction
};
// A tile of bm x bn brings bm + bn lines. In 56 and 57 two tiles of 128 x 256 share 256 lines, in 58 two of 128 x 128
// share 128.
constexpr Wanted kWanted[] = {{"hopper/52_tma", 16, (128 + 128) * kLine, 128},
                              {"hopper/53_warp_specialized", 16, (128 + 128) * kLine, 128},
                              {"hopper/54_wide_tile", 8, (128 + 256) * kLine, 256},
                              {"hopper/55_persistent", 8, (128 + 256) * kLine, 256},
                              {"hopper/56_multicast", 8, (128 + 256 / 2) * kLine, 256},
                              {"hopper/57_tma_store", 8, (128 + 256 / 2) * kLine, 256},
                              {"hopper/58_pingpong", 16, (128 + 128 / 2) * kLine, 128},
                              {"hopper/59_summit", 8, (128 + 256) * kLine, 256}};

TEST(HopperTraffic, TilesComeByTheEngineAndOnce) {
  for (const Wanted& wanted : kWanted) {
    for (const Op op_b : {Op::transpose, Op::none}) {
      const emu::Counters seen = count(wanted.id, problem(op_b));
      EXPECT_EQ(seen.tma_load_bytes, wanted.tiles * kSteps * wanted.bytes) << wanted.id;
      EXPECT_EQ(seen.global_load_bytes, seen.tma_load_bytes) << wanted.id << ": nobody else loads";
      EXPECT_EQ(seen.mma_instructions, 512 / 64 * (512 / wanted.columns) * (256 / 16)) << wanted.id;
      EXPECT_EQ(seen.mma_flops, 2ull * 512 * 512 * 256) << wanted.id;
    }
  }
}

// 51 copies by threads: 128 + 128 lines of 16-byte pieces for a tile, and stores to shared memory meet in no bank.
TEST(HopperTraffic, ThreadsCopyPieceByPieceIn51) {
  const emu::Counters seen = count("hopper/51_wgmma", problem());
  EXPECT_EQ(seen.tma_load_bytes, 0u);
  EXPECT_EQ(seen.async_copy_requests, 16 * kSteps * (128 + 128) * kLine / 16 / kWarp);
  EXPECT_EQ(seen.global_load_bytes, 16 * kSteps * (128 + 128) * kLine);
  EXPECT_EQ(seen.shared_store_bank_conflicts, 0u);
}

// From 57 on the engine stores C, in boxes of 64 rows of 128 bytes; before, threads do, a row of 32 columns at a
// time.
TEST(HopperTraffic, TheEngineStoresCFrom57On) {
  constexpr std::uint64_t kC = 512 * 512 * 2;
  for (const char* id : {"hopper/57_tma_store", "hopper/58_pingpong", "hopper/59_summit"}) {
    const emu::Counters seen = count(id, problem());
    EXPECT_EQ(seen.tma_store_bytes, kC) << id;
    EXPECT_EQ(seen.tma_store_requests, kC / (64 * 128)) << id;
    EXPECT_EQ(seen.global_store_bytes, kC) << id;
    EXPECT_EQ(seen.shared_store_bank_conflicts, 0u) << id;
  }
  const emu::Counters before = count("hopper/56_multicast", problem());
  EXPECT_EQ(before.tma_store_bytes, 0u);
  EXPECT_EQ(before.global_store_requests, kC / 2 / 32);
  EXPECT_EQ(before.global_store_sectors, kC / 32);
}

// A matrix that ends within a piece of 16 bytes: its last columns are stored by threads, and only those.
TEST(HopperTraffic, ThreadsStoreColumnsThatEndWithinAPiece) {
  Problem p = Problem::packed(Type::bf16, Op::none, Op::transpose, 128, 257, 64);
  p.ldc = 264;
  const emu::Counters seen = count("hopper/57_tma_store", p);
  EXPECT_EQ(seen.tma_store_bytes, 2ull * 128 * 256 * 2);  // of both blocks of the pair; one has no rows
  EXPECT_EQ(seen.global_store_bytes, 128ull * 257 * 2);
}

// Operands that TMA cannot take are copied by a kernel of its own, both in one launch, and each is read once.
TEST(HopperTraffic, TheSummitCopiesWhatIsOffTheGridFirst) {
  const Problem odd = Problem::packed(Type::bf16, Op::none, Op::transpose, 128, 256, 65);
  const Traced traced = trace_rung("hopper/59_summit", 0, odd, 1, kCounters);
  ASSERT_EQ(traced.failure, "");
  ASSERT_EQ(traced.trace.kernels.size(), 2u);
  EXPECT_EQ(traced.trace.kernels[0].launches, 1u);
  EXPECT_EQ(traced.trace.kernels[0].counters.global_load_bytes, (128ull + 256) * 65 * 2);
}

}  // namespace
}  // namespace cairn::lab::trace
