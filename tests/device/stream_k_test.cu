// Sharing out steps of k (device/stream_k.hpp), by its arithmetic alone: whatever the sizes, every step of every tile
// is made by exactly one block, no share is longer than another by more than a step, and the sums find each other
// again.
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "device/stream_k.hpp"

namespace cairn {
namespace {

constexpr int kBm = 128, kBn = 64, kGroup = 8;

struct Size {
  std::int64_t tiles_m, tiles_n, steps;
  int units, resident;
};

std::vector<Size> sizes() {
  std::vector<Size> all;
  for (const int units : {1, 2, 8, 132})
    for (const int resident : {1, 2})
      for (const std::int64_t tiles_m : {1, 2, 3, 9, 33})
        for (const std::int64_t tiles_n : {1, 2, 5})
          for (const std::int64_t steps : {1, 4, 17, 18, 49, 1024})
            all.push_back({tiles_m, tiles_n, steps, units, resident});
  return all;
}

// Laid end to end, and in equal shares.
std::vector<StreamK> divisions(const Size& s) {
  const std::int64_t tiles = s.tiles_m * s.tiles_n;
  return {split_tail_wave(tiles, s.steps, s.units, s.resident), split_evenly(tiles, s.steps, s.units * s.resident)};
}

void expect_every_step_once(const Size& s, const StreamK& stream_k, int& across) {
  ASSERT_EQ(stream_k.whole + stream_k.split, s.tiles_m * s.tiles_n);
  ASSERT_LE(stream_k.split, stream_k.blocks);
  ASSERT_LE(stream_k.blocks, s.units * s.resident);
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<int>> made;  // of each tile, by its corner
  std::map<std::int64_t, int> slots, steps_of_share;
  for (int block = 0; block < stream_k.grid(); ++block) {
    const Job job = job_of<kBm, kBn, kGroup>(stream_k, s.tiles_m * kBm, s.tiles_n * kBn - 1, block);
    if (job.slot < 0) continue;
    ASSERT_LT(job.begin, job.end);
    ASSERT_LE(job.end, s.steps);
    std::vector<int>& tile = made[{job.row, job.col}];
    tile.resize(static_cast<std::size_t>(s.steps));
    for (int step = job.begin; step < job.end; ++step) ++tile[static_cast<std::size_t>(step)];
    if (block < stream_k.whole) continue;
    ASSERT_EQ(++slots[job.slot], 1) << "two blocks leave their sums in one place";
    ASSERT_LT(static_cast<std::size_t>(job.slot), stream_k.partial_tiles());
    steps_of_share[job.slot / 2] += job.end - job.begin;
    across += job.slot % 2;
  }
  ASSERT_EQ(made.size(), static_cast<std::size_t>(s.tiles_m * s.tiles_n));
  for (const auto& [corner, tile] : made)
    for (const int times : tile) ASSERT_EQ(times, 1);
  for (const auto& [share, steps] : steps_of_share) {
    ASSERT_GE(steps, stream_k.each);
    ASSERT_LE(steps, stream_k.each + 1);
  }
}

TEST(StreamK, EveryStepIsMadeOnceAndNobodyMakesMoreThanOthers) {
  int splits = 0, shares = 0, across = 0, across_shares = 0;
  for (const Size& s : sizes()) {
    const std::vector<StreamK> ways = divisions(s);
    ASSERT_NO_FATAL_FAILURE(expect_every_step_once(s, ways[0], across));
    ASSERT_NO_FATAL_FAILURE(expect_every_step_once(s, ways[1], across_shares));
    splits += ways[0].split > 0 ? 1 : 0;
    shares += ways[1].split > 0 ? 1 : 0;
  }
  EXPECT_GT(splits, 50);  // else nothing was looked at
  EXPECT_GT(shares, 50);
  EXPECT_GT(across, 50);
  EXPECT_EQ(across_shares, 0) << "a share ends with its tile";
}

TEST(StreamK, AShareIsFoundByItsSteps) {
  for (const Size& s : sizes()) {
    for (const StreamK& stream_k : divisions(s)) {
      for (int i = 0; i < stream_k.blocks; ++i)
        for (const int step : {stream_k.first(i), stream_k.first(i + 1) - 1}) ASSERT_EQ(stream_k.range_of(step), i);
      ASSERT_EQ(stream_k.first(stream_k.blocks), stream_k.split * stream_k.steps);
    }
  }
}

// Full waves are left alone, and so is a last one that splitting would not shorten.
TEST(StreamK, TilesAreCutOnlyWhereThatSavesSteps) {
  EXPECT_EQ(split_tail_wave(264, 1000, 132, 2).split, 0);
  EXPECT_EQ(split_tail_wave(1, 7, 132, 2).split, 0) << "no k range is shorter than four k-steps";
  EXPECT_EQ(split_tail_wave(1, 8, 132, 2).split, 1);
  EXPECT_EQ(split_tail_wave(263, 64, 132, 2).split, 0) << "263 of 264 in the last wave: 64 k-steps each either way";
  EXPECT_EQ(split_tail_wave(1024, 64, 132, 2).split, 232) << "57 k-steps instead of 64";
  EXPECT_EQ(split_tail_wave(1, 1024, 132, 2).blocks, 132);
  EXPECT_EQ(split_tail_wave(1, 40, 132, 2).blocks, 10) << "no k range is shorter than four k-steps";
  const StreamK tail = split_tail_wave(265, 1000, 132, 2);
  EXPECT_EQ(tail.whole, 264);
  EXPECT_EQ(tail.split, 1);
  EXPECT_EQ(tail.blocks, 250);
  EXPECT_EQ(whole_tiles(265, 1000).whole, 265);
  EXPECT_EQ(whole_tiles(265, 1000).partial_tiles(), 0u);
}

// All tiles are at the same k at the same time, however many k-steps they have.
TEST(StreamK, SharesOfAllTilesHaveTheSameBorders) {
  const StreamK even = split_evenly(20, 953, 66);
  EXPECT_EQ(even.whole, 0);
  EXPECT_EQ(even.shares, 3);
  EXPECT_EQ(even.blocks, 60) << "six of 66 have nothing to do";
  EXPECT_EQ(partials_of_a_tile(even), 3);
  for (int i = 0; i < even.blocks; ++i) EXPECT_EQ(even.first(i) % 953, even.first(i % 3)) << i;
  EXPECT_EQ(split_evenly(40, 953, 66).split, 0) << "one share each";
  EXPECT_EQ(split_evenly(66, 953, 66).split, 0) << "a full wave";
  EXPECT_EQ(split_evenly(1, 15, 66).shares, 3) << "no share is shorter than four k-steps";
  const StreamK tail = split_evenly(70, 953, 66);
  EXPECT_EQ(tail.whole, 66);
  EXPECT_EQ(tail.shares, 16);
  // The product of k-steps and shares is beyond 32 bits.
  const StreamK deep = split_evenly(1, std::int64_t{1} << 30, 66);
  EXPECT_EQ(deep.first(66), 1 << 30);
  for (int i = 0; i < 66; ++i) EXPECT_NEAR(deep.first(i + 1) - deep.first(i), (1 << 30) / 66.0, 1) << i;
  EXPECT_EQ(deep.range_of(deep.first(65)), 65);
  EXPECT_EQ(deep.range_of(deep.first(65) - 1), 64);
}

}  // namespace
}  // namespace cairn
