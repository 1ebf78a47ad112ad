// Which tile simt/22 takes for a problem, worked out by hand: the one whose busiest SM is done first.
#include <gtest/gtest.h>

#include "kernels/ladder.hpp"
#include "kernels/rung.hpp"

namespace cairn {
namespace {

int picked(std::int64_t m, std::int64_t n, std::int64_t batch, int units, Type type = Type::f32) {
  for (const Rung* rung : emulated_ladder()) {
    if (rung->id != "simt/22_pipelined") continue;
    return rung->pick(Problem::packed(type, Op::none, Op::none, m, n, 1024, Order::row, batch), units);
  }
  return -1;
}

TEST(Pick, LargeMatricesTakeTheLargeTile) {
  // 512 blocks of 128x256 are 4 for the busiest of 132 SMs, 1024 of 128x128 are 8: as much work, a little slower.
  EXPECT_EQ(picked(4096, 4096, 1, 132), 0);
  EXPECT_EQ(picked(8192, 8192, 1, 132), 0);
}

TEST(Pick, SmallOnesTakeOneThatReachesMoreSMs) {
  // 512 x 512: 8 blocks, 16, or 64; nobody has two.
  EXPECT_EQ(picked(512, 512, 1, 132), 2);
  EXPECT_EQ(picked(64, 64, 1, 132), 2);
}

TEST(Pick, BetweenThemTheBusiestSMDecides) {
  // 264 products of 128 x 128: two blocks of 128x128 on each SM, where half of every block of 128x256 would be idle.
  EXPECT_EQ(picked(128, 128, 264, 132), 1);
  // The same 128 x 128 on one SM: of 128x128 four warps would keep half of its lanes busy, 64x64 uses all of them.
  EXPECT_EQ(picked(128, 128, 1, 1), 2);
}

TEST(Pick, DoublesHaveTilesOfTheirOwnSizes) {
  // Tiles of f64 are half as wide: 4096 x 2048 of them are as many blocks as 4096 x 4096 of f32.
  EXPECT_EQ(picked(4096, 2048, 1, 132, Type::f64), picked(4096, 4096, 1, 132));
  EXPECT_EQ(picked(512, 256, 1, 132, Type::f64), 2);
}

}  // namespace
}  // namespace cairn
