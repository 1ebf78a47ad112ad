// Cooperative groups under the race detector: what tile.sync() and grid.sync() do not order is reported with both
// lines, and there is no finding in the twins.
#include <string>

#include <gtest/gtest.h>

#include "tests/emu/traced/seen.hpp"

namespace cairn::emu {
namespace {

Seen run(const std::string& name, bool bug, std::uint64_t seed = 1) {
  return watch(planted::run_groups, name, bug, seed);
}

class GroupDetector : public testing::TestWithParam<Planted> {};

TEST_P(GroupDetector, NamesTheBugAtItsLines) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Seen seen = run(GetParam().kernel, true, seed);
    EXPECT_TRUE(names(seen.trace, GetParam())) << "seed " << seed << "\n"
                                               << all(seen.trace) << seen.failure.message();
  }
}

TEST_P(GroupDetector, IsSilentOnTheTwin) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Seen seen = run(GetParam().kernel, false, seed);
    EXPECT_EQ(all(seen.trace), "") << "seed " << seed;
    EXPECT_TRUE(seen.failure.ok()) << seen.failure.message();
  }
}

INSTANTIATE_TEST_SUITE_P(Planted, GroupDetector,
                         testing::Values(Planted{"in_a_tile", Fault::race, "tile store", "tile load"},
                                         Planted{"across_tiles", Fault::race, "store of a warp", "load of another"},
                                         Planted{"in_a_grid", Fault::race, "block leaves", "block takes"},
                                         Planted{"in_rounds", Fault::race, "next round", "this round"},
                                         Planted{"tile_in_a_grid", Fault::race, "cell read", "cell written"},
                                         Planted{"leaves_the_grid", Fault::barrier, nullptr, nullptr},
                                         Planted{"copied", Fault::race, "group copies", "group reads"}),
                         [](const auto& planted) { return std::string(planted.param.kernel); });

TEST(GridSync, TheNextLaunchComesAfterAllOfIt) {
  const Seen seen = run("follows", false);
  EXPECT_EQ(all(seen.trace), "");
  EXPECT_TRUE(seen.failure.ok()) << seen.failure.message();
}

TEST(GridSync, ABlockThatReturnedIsNamed) {
  const std::string message = run("leaves_the_grid", true).failure.message();
  EXPECT_NE(message.find("and block (1,0,0) has returned"), std::string::npos) << message;
}

}  // namespace
}  // namespace cairn::emu
