// What the experiment on errors concludes from planted ones.
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lab/experiments/experiments.hpp"
#include "lab/experiments/precision_errors.hpp"
#include "lab/experiments/precision_findings.hpp"
#include "lab/experiments/precision_numbers.hpp"
#include "lab/experiments/precision_picture.hpp"

namespace cairn::lab {
namespace {

bool says(const Conclusions& concluded, const std::string& words) {
  for (const std::string& sentence : concluded.sentences) {
    if (sentence.find(words) != std::string::npos) return true;
  }
  return false;
}

std::string all_of(const Conclusions& concluded) {
  std::string text;
  for (const std::string& sentence : concluded.sentences) text += sentence + "\n";
  return text;
}

Erring one(const std::string& numbers, const std::string& name, const std::string& type, std::int64_t k, double error,
           double factors = 0, double rowwise = 0) {
  return {numbers, name, type, k, error, factors, error - factors, 0, rowwise};
}

Erring row(const std::string& name, const std::string& type, double rowwise, std::int64_t k = 1024) {
  return one("N(0, 1)", name, type, k, 1e-7, 0, rowwise);
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::string slurp(const std::string& file) {
  std::ifstream in(std::string(CAIRN_SOURCE_DIR) + "/" + file, std::ios::binary);
  return (std::stringstream() << in.rdbuf()).str();
}

TEST(Errors, GrowthIsThePowerOfK) {
  EXPECT_NEAR(growth({{256, 3 * 16}, {1024, 3 * 32}, {4096, 3 * 64}}), 0.5, 1e-12);
  EXPECT_NEAR(growth({{256, 2}, {1024, 2}}), 0, 1e-12);
  EXPECT_NEAR(growth({{10, 1e-7}, {1000, 1e-9}}), -1, 1e-12);
  EXPECT_EQ(growth({{256, 2}}), 0);
  EXPECT_EQ(growth({{256, 2}, {256, 4}}), 0);
  EXPECT_EQ(growth({{256, 0}, {1024, 4}}), 0) << "an error of 0 has no logarithm";
}

TEST(Errors, WaysAreComparedWhereNumbersAreTheSame) {
  const auto concluded = compare_errors(
      {one("N(0, 1)", "simt/22", "f32", 1024, 4e-7), one("N(0, 1)", "simt/22", "f32", 4096, 8e-7),
       one("N(0, 1)", "tensor/40", "split", 1024, 2e-7), one("N(0, 1)", "tensor/40", "split", 4096, 2e-7),
       one("N(0, 1)", "tensor/38", "tf32", 1024, 3e-4, 2e-4), one("N(0, 1)", "tensor/38", "tf32", 4096, 6e-4, 2e-4)});
  EXPECT_TRUE(concluded.holds);
  EXPECT_TRUE(says(concluded,
                   "grows as K^0.50 for simt/22 f32, K^0.00 for tensor/40 split and K^1.00 for "
                   "tensor/38 tf32"))
      << all_of(concluded);
  EXPECT_TRUE(says(concluded, "K = 4096: tensor/38 tf32 errs by 6.0e-04 (2.0e-04 if sums were exact)"))
      << all_of(concluded);
  EXPECT_TRUE(says(concluded, "of simt/22 f32 is 0.50 at K = 1024 and 0.25 at K = 4096")) << all_of(concluded);
  EXPECT_TRUE(says(concluded, "It holds.")) << all_of(concluded);
}

// Half again as much is allowed where all products have one sign, and nowhere else; and nothing is claimed of short
// sums.
TEST(Errors, AClaimThatDoesNotHoldIsSaid) {
  const auto judged = [](const std::string& numbers, std::int64_t k, double split) {
    return compare_errors({one(numbers, "simt/22", "f32", k, 4e-7), one(numbers, "tensor/40", "split", k, split)});
  };
  EXPECT_TRUE(judged("U(0, 1)", 1024, 5.9e-7).holds);
  EXPECT_FALSE(judged("U(0, 1)", 1024, 6.1e-7).holds);
  EXPECT_TRUE(judged("N(0, 1)", 1024, 3.9e-7).holds);
  EXPECT_FALSE(judged("N(0, 1)", 1024, 4.1e-7).holds);
  EXPECT_FALSE(judged("N(0, 1)", 1024, std::nan("")).holds);
  EXPECT_TRUE(says(judged("N(0, 1)", 2048, 5e-7),
                   "It does not hold: N(0, 1), K = 2048, tensor/40 split: 5e-07, and at most 4e-07 allowed"))
      << all_of(judged("N(0, 1)", 2048, 5e-7));
  EXPECT_TRUE(judged("N(0, 1)", 512, 1).holds);
  EXPECT_FALSE(says(judged("N(0, 1)", 512, 1), "Claimed"));
}

// Of two ways of drawing numbers a few elements are nearly all of C, so that the error of all of it is left to chance.
TEST(Errors, NothingIsClaimedOfAllElementsWhereFewOfThemCount) {
  const auto concluded = compare_errors(
      {one("N(0, 1)", "simt/22", "f32", 1024, 4e-7), one("N(0, 1)", "tensor/40", "split", 1024, 3e-7),
       one("rows 2^±60", "simt/22", "f32", 1024, 4e-7), one("rows 2^±60", "tensor/40", "split", 1024, 5e-7)});
  EXPECT_TRUE(concluded.holds) << all_of(concluded);
  EXPECT_TRUE(says(concluded, "Claimed of N(0, 1): from K = 1024 on tensor/40 split errs")) << all_of(concluded);
}

TEST(Errors, NoRowOfHoppersSplitIsFurtherOffThanTheWorstOfF32) {
  const auto judged = [](double split, double vendor) {
    std::vector<Erring> all = {row("simt/22", "f32", 4e-7), row("hopper/61", "split", split)};
    if (vendor != 0) all.push_back(row("cublas/gemm_ex", "f32", vendor));
    return compare_errors(all);
  };
  EXPECT_TRUE(judged(2e-7, 2e-7).holds);
  EXPECT_FALSE(judged(3e-7, 2e-7).holds) << "simt/22 is no measure where there is cuBLAS";
  EXPECT_TRUE(judged(3e-7, 0).holds);
  EXPECT_FALSE(judged(5e-7, 0).holds);
  EXPECT_FALSE(judged(std::numeric_limits<double>::quiet_NaN(), 2e-7).holds);
  EXPECT_TRUE(says(judged(3e-7, 2e-7), "N(0, 1), K = 1024, hopper/61 split: 3e-07, and at most 2e-07 allowed"))
      << all_of(judged(3e-7, 2e-7));
  EXPECT_TRUE(says(judged(1e-7, 2e-7), "row by hopper/61 split over that by cublas/gemm_ex f32 is 0.50 at K = 1024"))
      << all_of(judged(1e-7, 2e-7));
  // A record from before rows were looked at says nothing of them, and nothing is claimed of tensor/40.
  EXPECT_FALSE(says(compare_errors({row("simt/22", "f32", 0), row("hopper/61", "split", 0)}), "of a row"));
  EXPECT_FALSE(says(compare_errors({row("simt/22", "f32", 1e-7), row("tensor/40", "split", 2e-7)}),
                    "Claimed: from K = 1024 on the largest"));
}

TEST(Errors, NumbersAreTheSameForAnyNumberOfThreads) {
  for (const Numbers& numbers : all_numbers()) {
    // The second is large enough to be shared out; its first rows of A are the first one's, as both have one K.
    const Factors small = draw(numbers, 2, 3, 1 << 17, 7), large = draw(numbers, 16, 3, 1 << 17, 7);
    EXPECT_TRUE(std::equal(small.A.begin(), small.A.end(), large.A.begin())) << numbers.name;
    EXPECT_EQ(small.B, large.B) << numbers.name;
    for (const float x : small.A) ASSERT_TRUE(std::isfinite(x)) << numbers.name;
  }
}

// A row and a column of the largest scales, at the largest K: what they come to has to be an f32.
TEST(Errors, NoSumOfWhatIsDrawnOverflows) {
  for (const Numbers& numbers : all_numbers()) {
    const std::int64_t k = 65536;
    Random random(3);
    double squares = 0;
    for (std::int64_t i = 0; i < k; ++i) {
      const double product = numbers.draw(random) * numbers.draw(random);
      squares += product * product;
    }
    // Of one sign, Cauchy's bound; scaled ones have both signs, and six standard deviations are enough.
    const double sum = std::sqrt(squares) * (numbers.scaled == 0 ? std::sqrt(static_cast<double>(k)) : 6.0);
    EXPECT_LT(std::ldexp(sum, 2 * numbers.scaled), std::numeric_limits<float>::max()) << numbers.name;
  }
}

TEST(Errors, AreDrawnALineForEachWay) {
  std::vector<Erring> all;
  for (const char* numbers : {"N(0, 1)", "U(0, 1) <&>"}) {
    for (const std::int64_t k : {1024, 4096, 16384}) {
      all.push_back(one(numbers, "simt/22", "f32", k, 1e-7, 0, 3e-7));
      all.push_back(one(numbers, "cublas/gemm_ex", "f32", k, 1e-7, 0, 2.5e-7));
      all.push_back(one(numbers, "hopper/61", "split", k, 1e-7, 0, 1.25e-10 * static_cast<double>(k)));
    }
  }
  const std::string svg = error_picture(all, "a machine");
  EXPECT_TRUE(svg.starts_with("<svg xmlns=")) << svg;
  EXPECT_EQ(svg, error_picture(all, "a machine"));
  EXPECT_EQ(count(svg, "<polyline"), 2u * 3) << svg;
  for (const char* way : {"simt/22 f32", "cublas/gemm_ex f32", "hopper/61 split"})
    EXPECT_EQ(count(svg, fmt::format("<title>{}</title></polyline>", way)), 2u) << way;
  for (const Erring& each : all)
    EXPECT_EQ(count(svg, fmt::format("<title>{}, K = {}: {:.2e}</title>", each.way(), each.k, each.rowwise)), 2u);
  EXPECT_EQ(count(svg, "<polyline class=\"line f32 other\""), 2u) << "other libraries' lines are broken";
  EXPECT_EQ(count(svg, "&lt;&amp;&gt;"), 1u);
  EXPECT_NE(svg.find("prefers-color-scheme: dark"), std::string::npos);
  // What cannot be drawn by its logarithm is left out; a record without rows is drawn by the error of all of C.
  all[0].rowwise = std::numeric_limits<double>::infinity();
  EXPECT_EQ(count(error_picture(all, ""), "simt/22 f32, K = 1024"), 1u);
  all[0].rowwise = 0;
  EXPECT_EQ(count(error_picture(all, ""), "simt/22 f32, K = 1024: 1.00e-07"), 2u);
}

TEST(Errors, ThePageShowsItsRecord) {
  const Experiment& experiment = *find_experiment("precision");
  const auto record = record::lab_from_json(slurp(experiment.record_file()), experiment.record_file());
  EXPECT_EQ(slurp("docs/lab/precision.svg"), experiment.picture(record)) << "make readme draws it again";
  EXPECT_NE(slurp(experiment.page()).find(experiment.page_table(record)), std::string::npos)
      << "make readme writes its table again";
  const std::string svg = experiment.picture(record);
  const bool rowwise = record.rows[0].number_if("rowwise").has_value();
  for (const record::LabRow& each : record.rows) {
    const std::string dot = fmt::format("<title>{} {}, K = {}: {:.2e}</title>", each.text("name"), each.text("type"),
                                        each.integer("k"), each.number(rowwise ? "rowwise" : "error"));
    EXPECT_NE(svg.find(dot), std::string::npos) << dot;
  }
}

}  // namespace
}  // namespace cairn::lab
