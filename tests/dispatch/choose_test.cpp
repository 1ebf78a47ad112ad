// Which tile of the summit a problem takes on 132 SMs, and that the forecast is the arithmetic it says it is.
#include "src/dispatch/choose.hpp"

#include <gtest/gtest.h>

namespace cairn::dispatch {
namespace {

const Rung& summit() {
  for (const Rung* rung : emulated_ladder())
    if (rung->shape != nullptr) return *rung;
  throw std::runtime_error("no rung has shapes");
}
TileShape chosen(std::int64_t m, std::int64_t n, std::int64_t k) {
  const Problem p = Problem::packed(Type::bf16, Op::none, Op::none, m, n, k);
  return summit().shape(choose(summit(), p, 132).tile);
}

TEST(Choose, AStepTakesWhatTheSlowestPartOfAnSMNeeds) {
  const Problem p = Problem::packed(Type::bf16, Op::none, Op::none, 4096, 4096, 4096);
  // 128 x 256: eight instructions of 128 cycles; 8 * 320 * 32 bytes read and 384 * 128 written, 128 a cycle: 1024; of
  // L2 384 * 128 bytes, 46.6 a cycle.
  const Forecast wide = forecast({128, 256, 1, false}, p, 132);
  EXPECT_NEAR(wide.step, 384 * 128 / 46.6, 0.01);
  EXPECT_STREQ(wide.limit, "L2");
  EXPECT_EQ(wide.rounds, 4);  // 512 tiles
  EXPECT_NEAR(wide.cycles, 4000 + 4 * 64 * wide.step + 4 * 1500, 1);
  // Shared by two: 256 * 128 / 46.6 = 703, and shared memory is as busy as the tensor cores.
  const Forecast pair = forecast({128, 256, 2, false}, p, 132);
  EXPECT_EQ(pair.step, 1024);
  EXPECT_STREQ(pair.limit, "tensor cores");
  // 64 x 128, side by side: eight instructions of 64 columns, 8 * 128 * 32 + 192 * 128 bytes of shared memory.
  EXPECT_NEAR(forecast({64, 128, 1, false}, p, 132).step, 192 * 128 / 46.6, 0.01);
}

TEST(Choose, CutsTilesWhereThatIsDoneSooner) {
  const Problem deep = Problem::packed(Type::bf16, Op::none, Op::none, 128, 128, 65536);
  const Forecast cut = forecast({128, 128, 1, true}, deep, 132), whole = forecast({128, 128, 1, false}, deep, 132);
  EXPECT_NEAR(cut.rounds, 1 / 132.0, 1e-9);
  EXPECT_LT(cut.cycles, whole.cycles / 20);
  // A short k is not worth it.
  const Problem short_k = Problem::packed(Type::bf16, Op::none, Op::none, 128, 128, 256);
  EXPECT_EQ(forecast({128, 128, 1, true}, short_k, 132).rounds, 1);
}

TEST(Choose, LargeProblemsTakeLargeTilesAndSmallOnesSmall) {
  EXPECT_EQ(chosen(8192, 8192, 8192).bm * chosen(8192, 8192, 8192).bn, 128 * 256);
  EXPECT_EQ(chosen(4096, 4096, 4096).bm * chosen(4096, 4096, 4096).bn, 128 * 256);
  EXPECT_EQ(chosen(1024, 1024, 1024).bm, 64);
  EXPECT_EQ(chosen(64, 4096, 512).bm, 64);
}

TEST(Choose, TellsWhatItWeighed) {
  const Problem p = Problem::packed(Type::bf16, Op::none, Op::none, 4096, 4096, 4096);
  const Choice choice = choose(summit(), p, 132);
  for (int tile = 0; tile < summit().tiles; ++tile)
    EXPECT_NE(choice.why.find(summit().tile_name(tile).text), std::string::npos) << choice.why;
  EXPECT_NE(choice.why.find("cycles a step"), std::string::npos) << choice.why;
}

}  // namespace
}  // namespace cairn::dispatch
