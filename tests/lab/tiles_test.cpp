// The library's choice of a tile against what every tile was measured to take: the records results/h200/tiles_*.json,
// the course in five types and thin problems in three. Nothing is measured here; what is looked at is the forecast.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lab/measure/statistics.hpp"
#include "lab/record/record.hpp"
#include "src/dispatch/choose.hpp"
#include "tests/support/summit.hpp"

namespace cairn::lab::record {
namespace {

namespace fs = std::filesystem;
using test::summit;

// Milliseconds of each tile for each problem, of the course or of thin ones. Where there are two records of a time,
// the later holds: small tiles were measured again (tiles_small_*, tiles_thin_small_*) when they alone had changed.
// What these call tile 8 is tile 9 now: 64 x 64 with a stage less.
std::map<std::string, std::map<int, double>> times(bool thin) {
  const std::string id(summit().id);
  std::vector<Record> records;
  for (const auto& entry : fs::directory_iterator(fs::path(CAIRN_SOURCE_DIR) / "results/h200")) {
    const std::string file = entry.path().filename().string();
    if (!file.starts_with("tiles_") || file.starts_with("tiles_thin_") != thin) continue;
    records.push_back(read(entry.path().string()));
  }
  std::ranges::sort(records, {}, &Record::created);
  std::map<std::string, std::map<int, double>> all;
  for (const Record& record : records) {
    for (const Row& row : record.rows) {
      if (!row.id.starts_with(id)) continue;
      int tile = row.id == id ? 0 : std::stoi(row.id.substr(id.size() + 1));
      if (tile == 8 && record.build.commit == "8eee471a1b67b806e975d88095d44c8db593addb") tile = 9;
      all[row.problem][tile] = measure::median(row.samples_ms);
    }
  }
  return all;
}

// Every tile has a time for each, but that one where small tiles are far behind: it has so many.
void expect_within_five_percent(const std::map<std::string, std::map<int, double>>& all, int times_of_9) {
  for (const auto& [text, tiles] : all) {
    for (int tile = 0; tile < summit().tiles; ++tile)
      ASSERT_TRUE(tiles.contains(tile) || tile == 9) << text << ", tile " << tile;
    if (tiles.contains(9)) --times_of_9;
    Problem p;
    ASSERT_TRUE(parse(text, p).ok()) << text;
    const auto faster = [](const auto& a, const auto& b) { return a.second < b.second; };
    const double best = std::min_element(tiles.begin(), tiles.end(), faster)->second;
    const int tile = dispatch::choose(summit(), p, 132).tile;
    ASSERT_TRUE(tiles.contains(tile)) << p.brief() << ", tile " << tile;
    EXPECT_LE(tiles.at(tile) / best, 1.05) << p.brief() << ", tile " << tile;
  }
  EXPECT_EQ(times_of_9, 0);
}

TEST(Tiles, TheChoiceIsWithinFivePercentOfTheBestOnTheCourse) {
  const auto all = times(false);
  EXPECT_EQ(all.size(), 145u);          // 29 in each of five types
  expect_within_five_percent(all, 75);  // of 15 in each
}

TEST(Tiles, TheChoiceIsWithinFivePercentOfTheBestOnThinProblems) {
  const auto all = times(true);
  EXPECT_EQ(all.size(), 72u);  // 24 in each of three types
  expect_within_five_percent(all, 72);
}

}  // namespace
}  // namespace cairn::lab::record
