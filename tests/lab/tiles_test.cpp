// The library's choice of a tile against what every tile was measured to take: the records results/h200/tiles_*.json,
// the course in five types and thin problems in three. Nothing is measured here; what is looked at is the forecast.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "lab/measure/statistics.hpp"
#include "lab/record/record.hpp"
#include "tests/support/summit.hpp"

namespace cairn::lab::record {
namespace {

namespace fs = std::filesystem;
using test::summit;

// Which tile a row is of, by its name if the record has names; one without is older, and its numbers still hold.
int tile_of(const Row& row) {
  for (int tile = 0; tile < summit().tiles; ++tile)
    if (row.details == std::string("tile ") + summit().tile_name(tile).text) return tile;
  EXPECT_EQ(row.details, "") << row.id << " is a tile that is not on the menu";
  const std::size_t id = summit().id.size();
  return row.id.size() == id ? 0 : std::stoi(row.id.substr(id + 1));
}

// Milliseconds of each tile for each problem, of the course or of thin ones.
std::map<std::string, std::map<int, double>> times(bool thin) {
  std::map<std::string, std::map<int, double>> all;
  for (const auto& entry : fs::directory_iterator(fs::path(CAIRN_SOURCE_DIR) / "results/h200")) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with("tiles_") || file.starts_with("tiles_thin_") != thin) continue;
    for (const Row& row : read(entry.path().string()).rows)
      if (row.id.starts_with(summit().id)) all[row.problem][tile_of(row)] = measure::median(row.samples_ms);
  }
  return all;
}

// Every tile has a time for each, but the newest, small, for a few problems so large that small tiles are far behind.
void expect_within_five_percent(const std::map<std::string, std::map<int, double>>& all, int without_newest) {
  const int newest = summit().tiles - 1;
  for (const auto& [text, tiles] : all) {
    for (int tile = 0; tile < newest; ++tile) ASSERT_TRUE(tiles.contains(tile)) << text << ", tile " << tile;
    if (!tiles.contains(newest)) --without_newest;
    Problem p;
    ASSERT_TRUE(parse(text, p).ok()) << text;
    const auto faster = [](const auto& a, const auto& b) { return a.second < b.second; };
    const double best = std::min_element(tiles.begin(), tiles.end(), faster)->second;
    const int tile = test::choose(p).tile;
    ASSERT_TRUE(tiles.contains(tile)) << p.brief() << ", tile " << tile;
    EXPECT_LE(tiles.at(tile) / best, 1.05) << p.brief() << ", tile " << tile;
  }
  EXPECT_EQ(without_newest, 0);
}

TEST(Tiles, TheChoiceIsWithinFivePercentOfTheBestOnTheCourse) {
  const auto all = times(false);
  EXPECT_EQ(all.size(), 145u);         // 29 in each of five types
  expect_within_five_percent(all, 9);  // three in each of three types
}

TEST(Tiles, TheChoiceIsWithinFivePercentOfTheBestOnThinProblems) {
  const auto all = times(true);
  EXPECT_EQ(all.size(), 72u);  // 24 in each of three types
  expect_within_five_percent(all, 0);
}

}  // namespace
}  // namespace cairn::lab::record
