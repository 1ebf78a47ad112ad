// Which loads are one, lane by lane.
#include "emu/trace/merged_loads.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace cairn::emu {
namespace {

// Of lanes 0 to 3, `step` bytes apart.
Request load(std::uint64_t from, unsigned bytes = 4, std::uint64_t step = 64, std::uint32_t lanes = 0xf) {
  Request request;
  request.lanes = lanes;
  request.bytes = bytes;
  for (unsigned lane = 0; lane < 4; ++lane) request.address[lane] = from + step * lane;
  return request;
}

struct Loads {
  MergedLoads merged;
  std::vector<MergedLoads::Load> out;
  std::uint32_t site = 0;

  void add(const Request& request) { merged.add(request, ++site, out); }
  void wall() { merged.wall(out); }
  // Their bytes per lane, in order, and the address of lane 0.
  std::vector<std::pair<unsigned, std::uint64_t>> seen() {
    wall();
    std::vector<std::pair<unsigned, std::uint64_t>> all;
    for (const auto& one : out) all.emplace_back(one.request.bytes, one.request.address[0]);
    return all;
  }
};
using Seen = std::vector<std::pair<unsigned, std::uint64_t>>;

TEST(MergedLoads, FourWordsAreOneLoadInWhateverOrder) {
  Loads loads;
  for (const std::uint64_t word : {8, 0, 12, 4}) loads.add(load(word));
  EXPECT_EQ(loads.seen(), (Seen{{16, 0}}));
  EXPECT_EQ(loads.out[0].site, 1u) << "the first of them";
  EXPECT_EQ(loads.out[0].request.lanes, 0xfu);
  EXPECT_EQ(loads.out[0].request.address[3], 192u);
}

TEST(MergedLoads, OthersCanComeBetween) {
  Loads loads;
  for (const std::uint64_t word : {0, 1024, 4, 2048, 8, 12}) loads.add(load(word));
  EXPECT_EQ(loads.seen(), (Seen{{16, 0}, {4, 1024}, {4, 2048}}));
}

TEST(MergedLoads, WhatIsReadTwiceIsReadOnce) {
  Loads loads;
  for (int i = 0; i < 3; ++i) loads.add(load(4));
  EXPECT_EQ(loads.seen(), (Seen{{4, 4}}));
}

TEST(MergedLoads, ThreeWordsAreTwoLoadsAndPairsMustBeAligned) {
  Loads three, pair;
  for (const std::uint64_t word : {0, 4, 8}) three.add(load(word));
  EXPECT_EQ(three.seen(), (Seen{{8, 0}, {4, 8}}));
  for (const std::uint64_t word : {4, 8}) pair.add(load(word));
  EXPECT_EQ(pair.seen(), (Seen{{4, 4}, {4, 8}}));
}

TEST(MergedLoads, SmallElementsAndPairsBecomeWideToo) {
  Loads halves, pairs;
  for (std::uint64_t at = 0; at < 16; at += 2) halves.add(load(at, 2));
  EXPECT_EQ(halves.seen(), (Seen{{16, 0}}));
  pairs.add(load(0, 8));
  pairs.add(load(8, 8));
  EXPECT_EQ(pairs.seen(), (Seen{{16, 0}}));
}

TEST(MergedLoads, NothingIsMovedAcrossAWall) {
  Loads loads;
  loads.add(load(0));
  loads.wall();
  loads.add(load(4));
  EXPECT_EQ(loads.seen(), (Seen{{4, 0}, {4, 4}}));
}

TEST(MergedLoads, LanesAreAllAtTheSamePlaceAndTheSameLanes) {
  Loads crooked, fewer;
  crooked.add(load(0, 4, 20));  // 20 bytes apart: a column of five words
  crooked.add(load(4, 4, 20));
  EXPECT_EQ(crooked.seen(), (Seen{{4, 0}, {4, 4}}));
  fewer.add(load(0));
  fewer.add(load(4, 4, 64, 0x7));
  EXPECT_EQ(fewer.seen(), (Seen{{4, 0}, {4, 4}}));
}

TEST(MergedLoads, WideLoadsAndMatricesStayAsTheyAre) {
  Loads loads;
  Request rows = load(32, 4, 16);
  rows.matrices = true;
  loads.add(load(0, 16));
  loads.add(load(0, 16));
  loads.add(rows);
  EXPECT_EQ(loads.seen(), (Seen{{16, 0}, {16, 0}, {4, 32}}));
  EXPECT_TRUE(loads.out[2].request.matrices);
}

TEST(MergedLoads, AThreadHoldsNoMoreThan64PiecesOpen) {
  Loads loads;
  loads.add(load(0));
  for (std::uint64_t i = 1; i <= 64; ++i) loads.add(load(4096 * i));
  loads.add(load(4));  // the first piece is complete
  std::size_t of_the_first = 0;
  for (const auto& [bytes, address] : loads.seen()) of_the_first += address < 16 ? 1 : 0;
  EXPECT_EQ(of_the_first, 2u);
}

}  // namespace
}  // namespace cairn::emu
