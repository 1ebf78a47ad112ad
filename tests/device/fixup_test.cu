// The blocks of the fix-up (device/fixup.hpp): what one has threads for, and that together they are no more than a wave.
#include <cstdint>

#include <gtest/gtest.h>

#include "device/fixup.hpp"

namespace cairn {
namespace {

constexpr int kSms = 132;

struct Tile {
  int rows, cols;
  std::size_t size;  // of an element
};
constexpr Tile kTiles[] = {{128, 256, 4}, {64, 64, 4},  {256, 32, 4}, {32, 256, 4},
                           {8, 112, 4},   {128, 64, 8}, {32, 128, 8}};

TEST(Fixup, ABlockHasRowsAndLayersOfThreadsWithinItsLimits) {
  for (const Tile& t : kTiles) {
    for (const int tiles : {1, 3, 36, 131, 5000}) {
      for (const std::int64_t steps : {8, 63, 4096}) {
        for (const StreamK& s : {split_tail_wave(tiles, steps, kSms, 1), split_evenly(tiles, steps, kSms)}) {
          if (s.split == 0) continue;
          const dim3 block = fixup_block(s, t.rows, t.cols * t.size, kSms);
          EXPECT_EQ(block.x * 16, t.cols * t.size) << "all of a row";
          EXPECT_GE(block.y, 1u);
          EXPECT_LE(block.y, static_cast<unsigned>(kFixupLayers));
          EXPECT_LE(block.y, static_cast<unsigned>(partials_of_a_tile(s))) << "no layer is without a range";
          EXPECT_GE(block.z, 1u);
          EXPECT_LE(block.z, static_cast<unsigned>(t.rows));
          EXPECT_LE(block.x * block.y * block.z, static_cast<unsigned>(kFixupThreads));
          // More than one layer only where all of them are threads for one wave.
          const std::int64_t threads = std::int64_t{block.x} * block.y * t.rows * s.split;
          EXPECT_TRUE(block.y == 1 || threads <= std::int64_t{kSms} * 1024) << threads;
        }
      }
    }
  }
}

TEST(Fixup, FewTilesWithManyRangesHaveLayers) {
  EXPECT_EQ(fixup_block(split_evenly(1, 4096, kSms), 128, 128 * 4, kSms).y, 16u);
  EXPECT_EQ(fixup_block(split_evenly(64, 63, 2 * kSms), 128, 128 * 4, kSms).y, 1u) << "its rows alone are two waves";
}

TEST(Fixup, ShortRowsShareABlock) {
  const dim3 block = fixup_block(split_evenly(64, 63, 2 * kSms), 64, 64 * 4, kSms);
  EXPECT_EQ(block.x, 16u);
  EXPECT_GT(block.z, 1u);
}

}  // namespace
}  // namespace cairn
