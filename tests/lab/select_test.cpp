#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cairn/cairn.hpp"
#include "lab/contender.hpp"
#include "lab/nearest.hpp"

namespace cairn::lab {
namespace {

class Named final : public Contender {
 public:
  explicit Named(std::string id) : id_(std::move(id)) {}
  std::string_view id() const override { return id_; }
  std::string_view title() const override { return ""; }
  std::string refuses(const Problem&) const override { return ""; }
  Status prepare(const Problem&) override { return {}; }
  Status run(const Call&, runtime::Stream) override { return {}; }
  const std::shared_ptr<runtime::Machine>& machine() const override { return machine_; }

 private:
  std::string id_;
  std::shared_ptr<runtime::Machine> machine_;
};

Contenders all() {
  Contenders list;
  for (const char* id : {"cpu/reference", "cpu/openblas", "simt/16", "simt/16_warp_tile", "cairn"}) {
    list.push_back(std::make_unique<Named>(id));
  }
  return list;
}

std::vector<std::string> chosen(const std::vector<std::string>& patterns) {
  Contenders list = all();
  const Status status = select(patterns, list);
  if (!status.ok()) return {"error: " + status.message()};
  std::vector<std::string> ids;
  for (const auto& contender : list) ids.emplace_back(contender->id());
  return ids;
}

using Ids = std::vector<std::string>;

TEST(Select, NoPatternKeepsAll) { EXPECT_EQ(chosen({}).size(), 5u); }

TEST(Select, GlobsMayCrossTheSlash) {
  EXPECT_EQ(chosen({"cpu/*"}), (Ids{"cpu/reference", "cpu/openblas"}));
  EXPECT_EQ(chosen({"*e*"}), (Ids{"cpu/reference", "cpu/openblas", "simt/16_warp_tile"}));
}

TEST(Select, APrefixOfOneIsEnough) { EXPECT_EQ(chosen({"cpu/o"}), (Ids{"cpu/openblas"})); }

TEST(Select, AWholeIdWinsOverThePrefixItAlsoIs) { EXPECT_EQ(chosen({"simt/16"}), (Ids{"simt/16"})); }

TEST(Select, KeepsTheTablesOrderAndNoDoubles) {
  EXPECT_EQ(chosen({"cairn", "cpu/o", "cairn"}), (Ids{"cpu/openblas", "cairn"}));
}

TEST(Select, APrefixOfSeveralSaysWhichAndKeepsTheList) {
  Contenders list = all();
  const Status status = select({"cpu"}, list);
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_NE(status.message().find("cpu/reference, cpu/openblas"), std::string::npos) << status.message();
  EXPECT_EQ(list.size(), 5u);
}

TEST(Select, NothingFoundShowsTheNearestThree) {
  for (const char* pattern : {"smit/16_warp", "simt_16*", "simt/16@7"}) {
    Contenders list = all();
    const Status status = select({pattern}, list);
    EXPECT_EQ(status.code(), Code::invalid_argument) << pattern;
    EXPECT_NE(status.message().find("simt/16_warp_tile"), std::string::npos) << status.message();
    EXPECT_EQ(std::ranges::count(status.message(), ','), 2) << status.message();
  }
}

TEST(Select, TheNearestCountSwapsOnceAndTakeBeginnings) {
  const Ids names = {"simt/04_block_tile", "simt/05_block_tile_vec4", "cpu/openblas", "simt/09_register_tile", "lab"};
  EXPECT_EQ(nearest("smit/04", names, 1), Ids{"simt/04_block_tile"});
  EXPECT_EQ(nearest("simt/5", names, 1), Ids{"simt/05_block_tile_vec4"});
  EXPECT_EQ(nearest("cpu/opneblas", names, 1), Ids{"cpu/openblas"});
  EXPECT_EQ(nearest("", names).size(), 3u);
  EXPECT_EQ(nearest("x", {"a", "a", "b"}), (Ids{"a", "b"})) << "one id on two devices is one name";
  EXPECT_TRUE(nearest("x", {}).empty());
}

TEST(Select, TilesOnlyWhereAsked) {
  const auto tiles = [](const std::vector<std::string>& patterns) {
    Contenders list;
    for (const char* id : {"simt/04_block_tile", "simt/04_block_tile@1", "simt/04_block_tile@2", "simt/05_other"}) {
      list.push_back(std::make_unique<Named>(id));
    }
    const Status status = select(patterns, list);
    if (!status.ok()) return Ids{"error: " + status.message()};
    Ids ids;
    for (const auto& contender : list) ids.emplace_back(contender->id());
    return ids;
  };
  EXPECT_EQ(tiles({"simt/04"}), (Ids{"simt/04_block_tile"}));
  EXPECT_EQ(tiles({"simt/04@2"}), (Ids{"simt/04_block_tile@2"}));
  EXPECT_EQ(tiles({"simt/04@*"}), (Ids{"simt/04_block_tile", "simt/04_block_tile@1", "simt/04_block_tile@2"}));
  EXPECT_EQ(tiles({"simt/*"}), (Ids{"simt/04_block_tile", "simt/05_other"}));
  EXPECT_EQ(tiles({"simt/*@1"}), (Ids{"simt/04_block_tile@1"}));
  EXPECT_TRUE(tiles({"simt/05@1"}).at(0).starts_with("error: no contender is named 'simt/05@1'"));
}

TEST(Contenders, TheCpuHasItsReferenceFirstAndTheLibraryLast) {
  Contenders list;
  ASSERT_TRUE(contenders(-1, list).ok());
  ASSERT_GE(list.size(), 2u);
  EXPECT_EQ(list.front()->id(), "cpu/reference");
  EXPECT_EQ(list[list.size() - 2]->id(), "cairn");
  EXPECT_EQ(list.back()->id(), "cairn/gemm");
}

TEST(Contenders, AnAbsentDeviceIsAStatus) {
  Contenders list;
  EXPECT_FALSE(contenders(1000, list).ok());
  EXPECT_TRUE(list.empty());
}

// For the record: which tile it is in words, and what the library took.
TEST(Contenders, SayWhatExactlyRuns) {
  Contenders all;
  ASSERT_TRUE(contenders(kEmu, all, {"hopper/59@*", "cairn"}).ok());
  ASSERT_TRUE(select({"hopper/59@*", "cairn"}, all).ok());
  std::vector<std::string> tiles;
  for (const auto& contender : all) {
    ASSERT_TRUE(contender->prepare(Problem::packed(Type::bf16, Op::none, Op::none, 64, 64, 64)).ok());
    if (contender->id() != "cairn") tiles.push_back(contender->details());
  }
  EXPECT_EQ(tiles.at(0), "tile 128x256, cluster 1");
  EXPECT_EQ(std::set(tiles.begin(), tiles.end()).size(), tiles.size()) << "each has a name of its own";
  const std::string taken = all.back()->details(), rung = "hopper/59_summit, ";
  ASSERT_TRUE(taken.starts_with(rung)) << taken;
  EXPECT_TRUE(std::ranges::count(tiles, taken.substr(rung.size()))) << taken;
}

}  // namespace
}  // namespace cairn::lab
