// The shares in which the blocks of a cluster load a tile that they have in common: together they are the tile, and
// none is empty. A block that loads nothing would learn that a stage is free from blocks that are a pass ahead of others.
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "kernels/hopper/59_summit/menu.hpp"
#include "kernels/hopper/parts/load.hpp"

namespace cairn::hopper {
namespace {

template <class T> void expect_shares(int blocks) {
  std::set<std::pair<int, int>> rows;  // of shared memory: box, and row of it
  for (int block = 0; block < blocks; ++block) {
    const Share share = share_of<T>(block, blocks, 0);
    const int all = T::major == Major::k ? T::parts * T::rows : kBoxDepth;
    const bool whole = T::major == Major::mn && divides_boxes(T::all_boxes, blocks);
    const int count = whole ? all : all / blocks;  // as the tensor map has it
    EXPECT_LT(share.first, share.end) << T::rows << ", block " << block << " of " << blocks;
    EXPECT_EQ(share.row * kRowBytes % 1024, 0) << "not where the swizzle begins anew";
    for (int box = share.first; box < share.end; ++box)
      for (int row = share.row; row < share.row + count; ++row)
        EXPECT_TRUE(rows.emplace(box, row).second) << "loaded twice: " << box << ", " << row;
  }
  EXPECT_EQ(rows.size(), T::major == Major::k ? T::parts * T::rows : T::all_boxes * kBoxDepth) << T::rows;
}

template <std::size_t... i> void expect_all(std::index_sequence<i...>) {
  const auto expect = []<std::size_t at>(std::integral_constant<std::size_t, at>) {
    constexpr Variant v = hopper_59::kVariants[at];
    constexpr int parts = v.tile.bn / v.tile.wn();
    if (v.down > 1) {
      expect_shares<OperandTile<parts, v.tile.wn(), Major::k>>(v.down);
      expect_shares<OperandTile<parts, v.tile.wn(), Major::mn>>(v.down);
    }
    if (v.across > 1) {
      expect_shares<OperandTile<1, v.tile.bm, Major::k>>(v.across);
      expect_shares<OperandTile<1, v.tile.bm, Major::mn>>(v.across);
    }
  };
  (expect(std::integral_constant<std::size_t, i>{}), ...);
}

TEST(Shares, OfEveryVariantAreItsTileAndNoneIsEmpty) {
  expect_all(std::make_index_sequence<hopper_59::kVariants.size()>{});
}

}  // namespace
}  // namespace cairn::hopper
