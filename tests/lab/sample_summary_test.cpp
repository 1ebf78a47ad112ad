// Records without samples: their rows have statistics, which reports and comparisons use instead.
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lab/exit.hpp"
#include "lab/record/compare.hpp"
#include "lab/record/summary.hpp"
#include "lab/record/view.hpp"
#include "tests/lab/some_record.hpp"
#include "tests/support/row_objects.hpp"

namespace cairn::lab::record {
namespace {

using nlohmann::json;
using testing::with_row_objects;

// Round by round ours is 2, 2, 2, 2 and 1.9 times as fast. The failed row has samples, which do not count.
Record measured() {
  Row ours = some_row("ours", small_product(), {1, 1.1, 1.2, 9, 1});
  ours.first = {1, 2, 3}, ours.details = "tile 0", ours.settled = true;
  ours.vitals = {1980, 1200, 1985, 650.5, 700, 71, {"power cap"}};
  Row failed = some_row("wrong", small_product(), {1});
  failed.verified = "C[0, 3] is 7; it must be 8";
  Row refused;
  refused.id = "other", refused.work = "product", refused.problem = small_product().full(), refused.refused = "no";
  return some_record({some_row("blas", small_product(), {2, 2.2, 2.4, 18, 1.9}, true), ours, failed, refused});
}

Record read_back(const Record& record) { return from_json(to_json(record), "x.json"); }

TEST(SampleSummary, HasTheStatisticsOfTheSamples) {
  const Record kept = measured(), small = read_back(without_samples(kept));
  EXPECT_TRUE(small.method.summary);
  EXPECT_EQ(small.created, kept.created);
  EXPECT_EQ(small.build.commit, kept.build.commit);
  EXPECT_EQ(small.machine.name, kept.machine.name);
  EXPECT_EQ(small.rows.at(1).vitals, kept.rows[1].vitals);
  EXPECT_EQ(small.rows[1].details, "tile 0");
  EXPECT_TRUE(small.rows[1].samples_ms.empty() && small.rows[1].first.empty());
  const Summary& summary = small.rows[1].summary.value();
  EXPECT_EQ(summary.count, 5);
  EXPECT_DOUBLE_EQ(summary.median_ms, 1.1);
  EXPECT_DOUBLE_EQ(summary.low_ms, 1);  // five samples: their minimum and maximum
  EXPECT_DOUBLE_EQ(summary.high_ms, 9);
  EXPECT_DOUBLE_EQ(summary.min_ms, 1);
  EXPECT_NEAR(summary.spread, 0.2 / 1.1, 1e-6);
  EXPECT_EQ(summary.outliers, 1);
  EXPECT_EQ(summary.baseline_id, "blas");
  EXPECT_DOUBLE_EQ(summary.ratio, 2);
  EXPECT_DOUBLE_EQ(summary.ratio_low, 1.9);
  EXPECT_DOUBLE_EQ(summary.ratio_high, 2.01);
  EXPECT_FALSE(small.rows[2].summary || small.rows[3].summary);
  EXPECT_EQ(small.rows[2].verified, kept.rows[2].verified);
  EXPECT_EQ(small.rows[3].refused, "no");
}

TEST(SampleSummary, WritesTheSameTextAgain) {
  const std::string text = to_json(without_samples(measured()));
  EXPECT_EQ(to_json(from_json(text, "x.json")), text);
  EXPECT_EQ(to_json(without_samples(from_json(text, "x.json"))), text) << "there is nothing left to drop";
  EXPECT_EQ(text.find("samples_ms"), std::string::npos);
  EXPECT_EQ(json::parse(text)["method"]["samples"], "summary");
}

TEST(SampleSummary, ImpliesTheSameLines) {
  const Record kept = measured(), small = read_back(without_samples(kept));
  const auto before = summarize(kept), after = summarize(small);
  ASSERT_EQ(before.size(), 2u);
  ASSERT_EQ(after.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(after[i].tflops.value(), before[i].tflops.value(), 1e-5);
    EXPECT_NEAR(after[i].of_ceiling.value(), before[i].of_ceiling.value(), 1e-5);
    EXPECT_NEAR(after[i].ratio->median, before[i].ratio->median, 1e-5);
    EXPECT_NEAR(after[i].ratio->interval.low, before[i].ratio->interval.low, 1e-5);
    EXPECT_NEAR(after[i].interval_ms.high, before[i].interval_ms.high, 1e-5);
    EXPECT_EQ(after[i].samples, 5);
    EXPECT_EQ(after[i].outliers, before[i].outliers);
  }
  EXPECT_EQ(render(view(small), Format::csv), render(view(read_back(without_samples(small))), Format::csv));
  bool told = false;
  for (const std::string& line : view(small).after) told = told || line.find("were not kept") != std::string::npos;
  EXPECT_TRUE(told);
  EXPECT_NE(view_in_style(small, "S1", Format::md).find("| ours"), std::string::npos);
}

TEST(SampleSummary, IsComparedByItsIntervals) {
  const Record kept = measured(), small = read_back(without_samples(kept));
  for (const auto& [before, after] : {std::pair{kept, small}, {small, kept}, {small, small}}) {
    const Comparison comparison = compare(before, after);
    ASSERT_EQ(comparison.pairs.size(), 2u);
    EXPECT_EQ(comparison.agreeing(), 2);
    EXPECT_TRUE(comparison.pairs[1].by_ratio);
    EXPECT_TRUE(comparison.differences.empty()) << "the measurement is the same";
  }
  Record slower = kept;
  for (double& ms : slower.rows[1].samples_ms) ms *= 1.5;
  EXPECT_FALSE(compare(small, read_back(without_samples(slower))).pairs.at(1).agree);
}

// A ratio that was taken to another baseline than today's strongest is not used: the medians are divided, and the
// interval is as wide as theirs allow.
TEST(SampleSummary, WithoutTheRatioTheMediansAreDivided) {
  Record record = read_back(without_samples(some_record(
      {some_row("blas", small_product(), {4, 4, 4}, true), some_row("ours", small_product(), {2, 2, 2})})));
  record.rows[1].summary->baseline_id = "gone";
  const Line line = summarize(record).at(1);
  EXPECT_DOUBLE_EQ(line.ratio->median, 2);
  EXPECT_NEAR(line.ratio->interval.low, 2 * 0.995 / 1.005, 1e-9);
  EXPECT_NEAR(line.ratio->interval.high, 2 * 1.005 / 0.995, 1e-9);
}

std::string complaint(const std::string& text) {
  try {
    from_json(text, "x.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was wrong";
}

TEST(SampleSummary, ThatContradictsItselfIsRefused) {
  const struct {
    const char *key, *value, *message;
  } planted[] = {
      {"sample_count", "0", "sample_count is 0; it must be an integer, 1 or more"},
      {"sample_count", "2.5", "sample_count is 2.5; it must be an integer, 1 or more"},
      {"median_ms", "0", "median_ms is 0; it must be a positive number"},
      {"median_ms", "\"1\"", "median_ms is \"1\"; it must be a positive number"},
      {"median_ms", "0.5", "median_low_ms is 1; it must be at most median_ms"},
      {"median_low_ms", "1.2", "median_low_ms is 1.2; it must be at most median_ms"},
      {"median_high_ms", "1", "median_high_ms is 1; it must be at least median_ms"},
      {"min_ms", "1.2", "min_ms is 1.2; it must be at most median_ms"},
      {"min_ms", "-1", "min_ms is -1; it must be a positive number"},
      {"spread_percent", "-0.1", "spread_percent is -0.1; it must be a number, 0 or more"},
      {"outliers", "6", "outliers is 6; it must be at most sample_count"},
      {"outliers", "null", "outliers is null; it must be an integer, 0 or more"},
      {"baseline_id", "\"\"", "baseline_id is \"\"; it must be a text that is not empty"},
      {"ratio", "0", "ratio is 0; it must be a positive number"},
      {"ratio", "3", "ratio_high is 2.01; it must be at least ratio"},
      {"ratio_low", "2.005", "ratio_low is 2.005; it must be at most ratio"},
      {"samples_ms", "[1]", "samples_ms is there, but method.samples is \"summary\""},
      {"summary", "{}", " has a key \"summary\" that no record of schema 2 has"},
  };
  const json good = with_row_objects(to_json(without_samples(measured())));
  ASSERT_EQ(complaint(good.dump()), "nothing was wrong");
  for (const auto& [key, value, message] : planted) {
    json bad = good;
    bad["rows"][1][key] = json::parse(value);
    const std::string dot = std::string(message).starts_with(' ') ? "" : ".";
    EXPECT_EQ(complaint(bad.dump()), "x.json: rows[1]" + dot + message) << key << " = " << value;
  }
  for (const char* key : {"sample_count", "median_ms", "median_low_ms", "median_high_ms", "min_ms", "spread_percent",
                          "outliers", "ratio", "ratio_low", "ratio_high"}) {
    json bad = good;
    bad["rows"][1].erase(key);
    EXPECT_EQ(complaint(bad.dump()), std::string("x.json: rows[1].") + key + " is missing");
  }
}

}  // namespace
}  // namespace cairn::lab::record
