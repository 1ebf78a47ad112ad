// What the library chooses on Hopper, a variant of the summit or a tile for small products, against the measured time of
// each, on shapes drawn by lot: results/h200/tiles_fitted_*.json, to which the cost models' constants were fitted, and
// tiles_held_*.json, to which they were not. Nothing is measured here.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "lab/record/record.hpp"
#include "lab/record/summary.hpp"
#include "lab/record/words.hpp"
#include "tests/support/summit.hpp"

namespace cairn::lab::record {
namespace {

namespace fs = std::filesystem;
using test::small_products;
using test::summit;

// A rung's tile, by the place of its rung.
using Way = std::pair<int, int>;
const Rung& rung(int place) { return place == 0 ? summit() : small_products(); }

// That of a row, by its name; none if it is no longer on the menu.
std::optional<Way> way_of(const Row& row) {
  for (const int place : {0, 1})
    for (int tile = 0; row.id.starts_with(rung(place).id) && tile < rung(place).tiles; ++tile)
      if (row.details == std::string("tile ") + rung(place).tile_name(tile).text) return Way(place, tile);
  return {};
}

// Milliseconds of each for each problem.
using Measured = std::map<Way, double>;
std::map<std::string, Measured> times(const std::string& which) {
  std::map<std::string, Measured> all;
  for (const auto& entry : fs::directory_iterator(fs::path(CAIRN_SOURCE_DIR) / "results/h200")) {
    if (!entry.path().filename().string().starts_with("tiles_" + which)) continue;
    const Record record = read(entry.path().string());
    for (const Line& line : summarize(record))
      if (const auto way = way_of(*line.row)) all[problem_of(*line.row).brief()][*way] = line.median_ms;
  }
  return all;
}

// What the library would take of those that were measured: for odd and batched shapes, of the summit the small tiles.
Way choice_of(const Problem& p, const Measured& measured) {
  const auto choice = [&](int place, int tile) { return rung(place).choose({p, test::kH200, tile}); };
  const Choice large = choice(0, kAnyTile), small = choice(1, kAnyTile);
  const Way free = large.forecast.us() <= small.forecast.us() ? Way(0, large.tile) : Way(1, small.tile);
  if (measured.contains(free)) return free;
  const auto forecast = [&](const auto& one) { return choice(one.first.first, one.first.second).forecast.us(); };
  return std::ranges::min_element(measured, {}, forecast)->first;
}

struct Losses {                 // the chosen one's time over the best one's
  int problems = 0, close = 0;  // within 5 %
  double mean = 1, worst = 1;
};
Losses losses(const std::map<std::string, Measured>& all) {
  Losses found;
  double logs = 0;
  for (const auto& [text, measured] : all) {
    Problem p;
    EXPECT_TRUE(parse(text, p).ok()) << text;
    EXPECT_GE(std::ssize(measured), p.k >= 16 * std::max(p.m, p.n) ? 17 : 22) << text;  // of deep ones, fewer
    const double best = std::ranges::min(measured | std::views::values);
    const double lost = measured.at(choice_of(p, measured)) / best;
    ++found.problems;
    found.close += lost <= 1.05;
    if (lost > 1.15) std::cout << text << ": " << lost << "\n";
    found.worst = std::max(found.worst, lost);
    logs += std::log(lost);
  }
  found.mean = std::exp(logs / std::max(found.problems, 1));
  std::cout << "within 5 % of the best: " << found.close << " of " << found.problems << "; mean " << found.mean
            << ", worst " << found.worst << "\n";
  return found;
}

// The limits hold the model where it stands: it is to reach 5 % on 95 of 100, and none beyond 15 %.
void expect_losses(const std::string& which, int problems, int close, double mean, double worst) {
  const Losses found = losses(times(which));
  EXPECT_EQ(found.problems, problems);
  EXPECT_GE(found.close, close);
  EXPECT_LE(found.mean, mean);
  EXPECT_LE(found.worst, worst);
}

TEST(Tiles, TheChoiceOnShapesOfTheFit) { expect_losses("fitted_", 76, 58, 1.041, 1.75); }
TEST(Tiles, TheChoiceOnShapesThatNoConstantHasSeen) { expect_losses("held_", 38, 28, 1.042, 1.50); }

}  // namespace
}  // namespace cairn::lab::record
