// The variant of the summit that the library chooses against the measured time of every variant, on shapes drawn by
// lot: results/h200/tiles_fitted_*.json, to which the cost model's constants were fitted, and tiles_held_*.json, to
// which they were not. Nothing is measured here.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "lab/record/record.hpp"
#include "lab/record/summary.hpp"
#include "lab/record/words.hpp"
#include "tests/support/summit.hpp"

namespace cairn::lab::record {
namespace {

namespace fs = std::filesystem;
using test::summit;

// The variant of a row, by its name; -1 if it is no longer on the menu.
int variant_of(const Row& row) {
  for (int tile = 0; tile < summit().tiles; ++tile)
    if (row.details == std::string("tile ") + summit().tile_name(tile).text) return tile;
  return -1;
}

constexpr int kMeasured = 48;  // variants, all but the fetched and the paired ones

// Milliseconds of each variant for each problem.
using Times = std::map<std::string, std::map<int, double>>;

Times times(const std::string& which) {
  Times all;
  for (const auto& entry : fs::directory_iterator(fs::path(CAIRN_SOURCE_DIR) / "results/h200")) {
    if (!entry.path().filename().string().starts_with("tiles_" + which)) continue;
    const Record record = read(entry.path().string());
    for (const Line& line : summarize(record)) {
      const Row& row = *line.row;
      if (row.id.starts_with(summit().id) && variant_of(row) >= 0)
        all[problem_of(row).brief()][variant_of(row)] = line.median_ms;
    }
  }
  return all;
}

// When the records were made, a vector stored as a column was packed, and so were short rows, one a block.
bool loaded_otherwise(const Problem& p) {
  const auto short_rows = [&](const Stored& s) {
    return s.major > 1 && s.minor < 256 && s.ld * size_of(p.in) % 16 != 0;
  };
  const bool column = (p.m == 1 && p.op_a == Op::transpose) || (p.n == 1 && p.op_b == Op::none);
  return column || short_rows(p.a()) || short_rows(p.b());
}

struct Losses {                 // the chosen variant's time over the best one's
  int problems = 0, close = 0;  // within 5 %
  int unmeasured = 0;           // the chosen variant, or how it loads the operands, is younger than the records
  double mean = 1, worst = 1;
};
Losses losses(const Times& all) {
  Losses found;
  double logs = 0;
  for (const auto& [text, variants] : all) {
    Problem p;
    EXPECT_TRUE(parse(text, p).ok()) << text;
    EXPECT_EQ(std::ssize(variants), kMeasured) << text << ": every variant that was on the menu has a time";
    const auto chosen = variants.find(test::choose(p).tile);
    if (chosen == variants.end() || loaded_otherwise(p)) {
      std::cout << text << ": " << summit().tile_name(test::choose(p).tile).text << " has no time as it is now\n";
      ++found.unmeasured;
      continue;
    }
    const auto faster = [](const auto& a, const auto& b) { return a.second < b.second; };
    const double lost = chosen->second / std::min_element(variants.begin(), variants.end(), faster)->second;
    ++found.problems;
    found.close += lost <= 1.05;
    found.worst = std::max(found.worst, lost);
    logs += std::log(lost);
  }
  found.mean = std::exp(logs / std::max(found.problems, 1));
  std::cout << "within 5 % of the best: " << found.close << " of " << found.problems << "; mean " << found.mean
            << ", worst " << found.worst << "\n";
  return found;
}

// The limits hold the model where it stands: it is to reach 5 % on 95 of 100, and none beyond 15 %.
void expect_losses(const std::string& which, int problems, int unmeasured, int close, double mean, double worst) {
  const Losses found = losses(times(which));
  EXPECT_EQ(found.problems, problems);
  EXPECT_EQ(found.unmeasured, unmeasured);
  EXPECT_GE(found.close, close);
  EXPECT_LE(found.mean, mean);
  EXPECT_LE(found.worst, worst);
}

TEST(Tiles, TheChoiceOnShapesOfTheFit) { expect_losses("fitted_", 24, 3, 19, 1.034, 1.32); }
TEST(Tiles, TheChoiceOnShapesThatNoConstantHasSeen) { expect_losses("held_", 11, 4, 10, 1.010, 1.06); }

}  // namespace
}  // namespace cairn::lab::record
