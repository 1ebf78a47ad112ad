// The verbs that write, read and compare records, from outside.
#include <algorithm>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/expect_complaint.hpp"
#include "tests/support/row_objects.hpp"
#include "tests/support/run_cairn.hpp"

namespace cairn::testing {
namespace {

TEST(Command, BenchGivesTheKeysAndTheSamples) {
  const Ran ran = run_cairn("bench cairn --shape 32 --type f32 --seconds 0.1 --format json");
  const auto record = with_row_objects(ran.out);
  EXPECT_EQ(record["kind"], "bench");
  EXPECT_EQ(record["command"], "cairn bench cairn --shape 32 --type f32 --seconds 0.1 --format json");
  const auto& row = record["rows"].back();
  EXPECT_EQ(row["id"], "cairn");
  EXPECT_EQ(row["problem"], "f32 nn 32x32x32");
  EXPECT_EQ(row["verified"], "exact");
  EXPECT_GE(row["samples_ms"].size(), 3u);
  for (const char* key : {"median_ms", "min_ms", "spread_percent", "tflops", "gbytes"})
    EXPECT_TRUE(row[key].is_number()) << key;
}

TEST(Command, SustainedSamplesLastAndSaySo) {
  const Ran ran =
      run_cairn("bench cairn --device cpu --shape 64 --type f32 --seconds 0.1 --sustained --record long.json");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("SUSTAINED load"), std::string::npos) << ran.out;
  EXPECT_NE(run_cairn("report long.json").out.find("SUSTAINED load"), std::string::npos);
  const auto record = with_row_objects(slurp(scratch() / "long.json"));
  EXPECT_EQ(record["method"]["sustained"], true);
  const auto& row = record["rows"].back();
  EXPECT_GE(row["samples_ms"].size(), 5u);
  // The clock of a machine with neighbours is no measure; that there are many runs in a sample is.
  EXPECT_GT(row["runs"].get<double>(), 50);
}

// One small measurement for the tests below.
const std::string& a_record() {
  static const std::string name = [] {
    EXPECT_EQ(run_cairn("bench cairn --shape 32 --type f32 --seconds 0.1 --record measured.json").code, 0);
    return "measured.json";
  }();
  return name;
}

TEST(Command, ReportShowsWhatBenchKept) {
  EXPECT_NE(run_cairn("report " + a_record() + " --style S1").out.find("median TFLOPS"), std::string::npos);
  EXPECT_NE(run_cairn("report " + a_record() + " --style S2").out.find("Device: "), std::string::npos);
  expect_complaint("report " + a_record() + " --style S7", 2, "--style 'S7' is not S0, S1 or S2");
  expect_complaint("report " + a_record() + " --style S1 --format csv", 2, "--style");
  const Ran table = run_cairn("report " + a_record());
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("f32 nn 32x32x32"), std::string::npos) << table.out;
  const auto stored = with_row_objects(slurp(scratch() / a_record()))["rows"].back();
  const auto shown = nlohmann::json::parse(run_cairn("report " + a_record() + " --format json").out).back();
  EXPECT_EQ(shown["record"], a_record());
  EXPECT_EQ(shown["id"], stored["id"]);
  EXPECT_NEAR(shown["median_ms"].get<double>(), stored["median_ms"].get<double>(), 1e-5);
  EXPECT_EQ(shown["samples"], stored["samples_ms"].size());
}

TEST(Command, ReportRefusesWhatIsNotARecordOrNotTheLadders) {
  std::ofstream(scratch() / "broken.json") << slurp(scratch() / a_record()).substr(0, 100);
  expect_complaint("report broken.json", 1, "broken.json is not JSON: line ");
  auto record = with_row_objects(slurp(scratch() / a_record()));
  record["rows"][0]["samples_ms"][1] = "fast";
  std::ofstream(scratch() / "bad.json") << record;
  expect_complaint("report bad.json", 1, "bad.json: rows[0].samples_ms[1] is \"fast\"");
  expect_complaint("compare " + a_record() + " bad.json", 1, "rows[0].samples_ms[1]");
  record["schema"] = 3;
  std::ofstream(scratch() / "newer.json") << record;
  expect_complaint("report newer.json", 1, "newer.json: schema 3 is newer than this cairn reads (2)");

  const std::string page = "<!-- ladder:begin --><!-- ladder:end -->";
  std::ofstream(scratch() / "PAGE.md") << page;
  expect_complaint("report --readme PAGE.md " + a_record(), 1, "measured.json has rows for no table of PAGE.md");
  expect_complaint("report --readme nowhere.md " + a_record(), 2, "cannot read nowhere.md");
  EXPECT_EQ(slurp(scratch() / "PAGE.md"), page);
}

// What a terminal would obey, in every text of a record that is free.
TEST(Command, TheNamesOfARecordAreShownAndNotObeyed) {
  auto record = with_row_objects(slurp(scratch() / a_record()));
  const std::string evil = "\x1b]0;title\x07\x1b[2J<b>\nFAILED: nobody";
  for (auto& row : record["rows"]) row["id"] = evil;
  record["machine"]["name"] = record["machine"]["software"] = record["build"]["commit"] = evil;
  record["created"] = record["build"]["version"] = evil;
  record["notes"] = {evil};
  std::ofstream(scratch() / "evil.json") << record;
  for (const std::string arguments :
       {"report evil.json", "report evil.json --format md", "report evil.json evil.json",
        "report evil.json --style S0", "report evil.json --style S1", "report evil.json --style S2",
        "compare evil.json measured.json"}) {
    const Ran ran = run_cairn(arguments);
    EXPECT_EQ(ran.code, 0) << arguments << ran.err;
    EXPECT_EQ((ran.out + ran.err).find_first_of("\x1b\x07"), std::string::npos) << arguments << "\n" << ran.out;
    EXPECT_NE(ran.out.find("\\x1b]0;title"), std::string::npos) << arguments << "\n" << ran.out;
    EXPECT_EQ(ran.out.find("\nFAILED"), std::string::npos) << arguments << "\n" << ran.out;
    EXPECT_EQ(ran.out.find("<b>") == std::string::npos, arguments.ends_with("md")) << ran.out;
  }
  // Programs get them as they are.
  const auto rows = nlohmann::json::parse(run_cairn("report evil.json --format json").out);
  EXPECT_EQ(rows.at(0)["id"], evil);
  EXPECT_NE(run_cairn("report evil.json --format csv").out.find('\x1b'), std::string::npos);
  if (run_shell("command -v script").code != 0) return;
  const Ran terminal = run_shell("script -qec 'cairn report evil.json --format csv' /dev/null");
  EXPECT_NE(terminal.out.find("\\x1b]0;title"), std::string::npos) << terminal.out;
  EXPECT_EQ(terminal.out.find('\x1b'), std::string::npos) << terminal.out;
  record["kind"] = evil;
  std::ofstream(scratch() / "evil.json") << record;
  EXPECT_EQ(run_cairn("report evil.json").err.find('\x1b'), std::string::npos);
}

TEST(Command, ThereIsNoReportInHtmlYet) {
  for (const char* name : {"r.html", "r.HTM"}) {
    expect_complaint("report " + a_record() + " --out " + name, 2, "end it in .txt, .csv, .json, .md");
    EXPECT_FALSE(std::filesystem::exists(scratch() / name));
  }
  expect_complaint("list --out list.html", 2, "end it in .txt, .csv, .json, .md");
  EXPECT_EQ(run_cairn("report " + a_record() + " --out r.html --format md").code, 0);
  EXPECT_EQ(slurp(scratch() / "r.html"), run_cairn("report " + a_record() + " --format md").out);
}

TEST(Command, ReportKeepsThePageUpToDate) {
  auto record = with_row_objects(slurp(scratch() / a_record()));
  auto& row = record["rows"].back();
  row["id"] = "simt/01_naive";
  row["problem"] = "f32 nn 4096x4096x4096";
  std::ofstream(scratch() / "ladder.json") << record;
  std::ofstream(scratch() / "PAGE.md") << "text\n";
  expect_complaint("report --readme PAGE.md ladder.json", 1, "PAGE.md has no marker <!-- ladder:begin -->");
  std::ofstream(scratch() / "PAGE.md") << "above\n<!-- ladder:begin -->\nold\n<!-- ladder:end -->\nbelow";
  expect_complaint("report --readme PAGE.md --check ladder.json", 1,
                   "the tables in PAGE.md are not those of ladder.json");
  EXPECT_EQ(run_cairn("report --readme PAGE.md ladder.json").code, 0);
  const std::string page = slurp(scratch() / "PAGE.md");
  EXPECT_TRUE(page.starts_with("above\n<!-- ladder:begin -->\n")) << page;
  EXPECT_TRUE(page.ends_with("\n<!-- ladder:end -->\nbelow")) << page;
  EXPECT_NE(page.find("| simt/01_naive "), std::string::npos) << page;
  EXPECT_EQ(run_cairn("report --readme PAGE.md --check ladder.json").code, 0);
}

TEST(Command, ARecordCanBeWrittenWithoutItsSamples) {
  const std::string shrink = "report " + a_record() + " --samples summary --record small.json";
  EXPECT_EQ(run_cairn(shrink).code, 0);
  expect_complaint(shrink, 2, "small.json exists");
  EXPECT_EQ(run_cairn(shrink + " --force").code, 0);
  const auto small = with_row_objects(slurp(scratch() / "small.json"));
  EXPECT_EQ(small["method"]["samples"], "summary");
  EXPECT_FALSE(small["rows"].back().contains("samples_ms"));
  EXPECT_EQ(run_cairn("compare " + a_record() + " small.json --require 100").code, 0);
  EXPECT_NE(run_cairn("report small.json").out.find("samples were not kept"), std::string::npos);
  expect_complaint("report small.json small.json --record x.json", 2, "--record writes one record again");
  expect_complaint("report small.json --samples summary", 2, "--record");
  expect_complaint("report small.json --samples none --record x.json", 2, "--samples");
  EXPECT_EQ(run_cairn("bench cairn --shape 32 --type f32 --seconds 0.1 --samples summary --record s.json").code, 0);
  EXPECT_EQ(with_row_objects(slurp(scratch() / "s.json"))["method"]["samples"], "summary");
}

TEST(Command, CompareCountsWhatAgrees) {
  auto record = with_row_objects(slurp(scratch() / a_record()));
  // Who did not take the problem, as some baselines on a GPU, has a row and no samples.
  const auto was_timed = [](const auto& row) { return row.contains("samples_ms") && !row["samples_ms"].empty(); };
  const auto timed = std::ranges::count_if(record["rows"], was_timed);
  const std::string all = std::to_string(timed);
  const Ran same = run_cairn("compare " + a_record() + " " + a_record() + " --require 100");
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_NE(same.out.find(all + " of " + all + " rows agree (100 %)"), std::string::npos) << same.out;

  auto& some = *std::ranges::find_if(record["rows"], was_timed);
  for (auto& sample : some["samples_ms"]) sample = 10 * sample.get<double>();
  std::ofstream(scratch() / "slow.json") << record;
  const std::string arguments = "compare " + a_record() + " slow.json";
  EXPECT_EQ(run_cairn(arguments).code, 0);
  const Ran strict = run_cairn(arguments + " --require 100 --format csv");
  EXPECT_EQ(strict.code, 1);
  EXPECT_NE(strict.err.find("--require asks for 100 %"), std::string::npos) << strict.err;

  // A row that takes ten times as long, by more than what is allowed and by less; and the other way round.
  const Ran slower = run_cairn(arguments + " --slower 5 --format md");
  EXPECT_EQ(slower.code, 1);
  EXPECT_NE(slower.out.find("SLOWER by "), std::string::npos) << slower.out;
  EXPECT_NE(run_cairn(arguments + " --slower 5 --format csv").err.find(some["id"].get<std::string>() + ", "),
            std::string::npos);
  EXPECT_EQ(run_cairn(arguments + " --slower 1000").code, 0);
  expect_complaint(arguments + " --slower -1", 2, "--slower -1 must be 0 or more");
}

TEST(Command, AFasterRowIsNoRegression) {
  auto record = with_row_objects(slurp(scratch() / a_record()));
  for (auto& row : record["rows"])
    if (row.contains("samples_ms"))
      for (auto& sample : row["samples_ms"]) sample = sample.get<double>() / 10;
  std::ofstream(scratch() / "fast.json") << record;
  EXPECT_EQ(run_cairn("compare " + a_record() + " fast.json --slower 0").code, 0);
  EXPECT_EQ(run_cairn("compare fast.json " + a_record() + " --slower 0").code, 1);
}

// A contender that no longer runs must not pass as one that agrees.
TEST(Command, CompareRequiresThatNoRowVanishes) {
  auto record = with_row_objects(slurp(scratch() / a_record()));
  auto& rows = record["rows"];
  std::erase_if(rows.get_ref<nlohmann::json::array_t&>(), [](const auto& row) { return row["id"] == "cairn"; });
  ASSERT_FALSE(rows.empty());
  std::ofstream(scratch() / "fewer.json") << record;
  const std::string fewer = "compare " + a_record() + " fewer.json";
  EXPECT_EQ(run_cairn(fewer).code, 0) << "without --require it only tells";
  const Ran strict = run_cairn(fewer + " --require 1 --format csv");
  EXPECT_EQ(strict.code, 1);
  EXPECT_NE(strict.err.find("1 of the old record's rows is not in the new one"), std::string::npos) << strict.err;
  EXPECT_EQ(run_cairn("compare fewer.json " + a_record() + " --require 1").code, 0) << "more rows are no loss";
}

TEST(Command, AFullDiskIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  expect_complaint("list --out /dev/full", 1, "No space left");
  expect_complaint("report " + a_record() + " --out /dev/full --force", 1, "cannot write /dev/full: No space left");
  const Ran ran = run_shell("cairn list >/dev/full");
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("No space left"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace cairn::testing
