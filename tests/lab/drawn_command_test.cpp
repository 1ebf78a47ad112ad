// Suites drawn by lot, from outside: bench, verify and plan.
#include <fstream>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/expect_complaint.hpp"
#include "tests/support/run_cairn.hpp"

namespace cairn::testing {
namespace {

using Json = nlohmann::json;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::vector<Json> rows_of(const Json& record) {
  std::vector<Json> rows;
  for (const auto& values : record.at("rows")) {
    Json row;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!values[i].is_null()) row[record.at("columns")[i].get<std::string>()] = values[i];
    rows.push_back(row);
  }
  return rows;
}

TEST(DrawnSuite, ARecordKeepsTwoRowsAShapeAndHowToRepeatIt) {
  const Ran ran = run_cairn(
      "bench --device cpu --suite drawn:odd --seed 7 --count 8 --seconds 0.01 --record lot.json --format md");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto record = Json::parse(slurp(scratch() / "lot.json"));
  EXPECT_EQ(record.at("drawn"), (Json{{"class", "odd"}, {"count", 8}}));
  EXPECT_EQ(record.at("seed"), 7);
  EXPECT_EQ(record.at("method").value("samples", ""), "summary");
  std::set<std::string> problems;
  const auto rows = rows_of(record);
  for (const Json& row : rows) {
    EXPECT_TRUE(row.at("id") == "cairn" || row.at("is_baseline") == true) << row;
    problems.insert(row.at("problem").get<std::string>());
  }
  EXPECT_EQ(problems.size(), 8u);
  // A build without OpenBLAS has no baseline here.
  const bool baselines = rows.size() > problems.size();
  EXPECT_TRUE(rows.size() == 16 || !baselines) << rows.size();
  const Ran report = run_cairn("report lot.json");
  for (const std::string& text : {ran.out, report.out}) {
    EXPECT_TRUE(has(text, "drawn:odd, seed 7, 8 shapes\n")) << text;
    EXPECT_TRUE(!baselines || (has(text, "5th percentile") && has(text, "the five worst problems"))) << text;
  }
  EXPECT_TRUE(has(run_cairn("bench --device cpu --suite drawn:odd --seed 7 --count 2 --seconds 0.01 --samples keep "
                            "--format json")
                      .out,
                  "samples_ms"));
}

TEST(DrawnSuite, PlansAndRepeatsAreTheSameAndFlagsReplaceWhatWasDrawn) {
  const auto problems = [](const std::string& flags) {
    const Ran ran = run_cairn("plan --device cpu --format json --suite " + flags);
    std::string all;
    if (ran.code == 0)
      for (const Json& row : Json::parse(ran.out)) all += row.at("problem").get<std::string>() + "\n";
    return ran.code == 0 ? all : ran.err;
  };
  EXPECT_EQ(problems("drawn:general --seed 2026 --count 3"),
            "f32 nn 224x2936x440\nf32 nt 112x64x168\nf32 tt 2136x104x304\n");
  EXPECT_EQ(problems("drawn:general --count 3"), problems("drawn:general --count 3 --seed 1"));
  EXPECT_EQ(problems("drawn:general --seed 2026 --count 2 --type bf16 --layout tn"),
            "bf16 tn 224x2936x440\nbf16 tn 112x64x168\n");
  EXPECT_EQ(problems("drawn:odd --seed 2026 --count 1"), "f32 tt 65x1x1 lda=66 ldb=3 ldc=6\n");
  EXPECT_EQ(problems("drawn:odd --seed 2026 --count 1 --ld +0 --ldc +1"), "f32 tt 65x1x1 ldc=2\n");
  EXPECT_EQ(problems("drawn:batched --seed 2026 --count 1"), "f32 nn 101x184x149 batch=2405\n");
  EXPECT_EQ(problems("drawn:batched --seed 2026 --count 1 --batch 2"), "f32 nn 101x184x149 batch=2\n");
  const std::string sixty = problems("drawn:general");
  EXPECT_EQ(std::count(sixty.begin(), sixty.end(), '\n'), 60);
}

TEST(DrawnSuite, WhatDoesNotFitIsRefusedInALine) {
  expect_complaint("bench --suite drawn:genral", 2, "the nearest is general");
  expect_complaint("verify --suite drawn", 2, "names no class; write one of drawn:general");
  expect_complaint("bench --suite drawn:odd --count 0", 2, "--count: '0' is not a whole number from 1 to 10000");
  expect_complaint("plan --suite drawn:odd --count 10001", 2, "--count");
  expect_complaint("bench --count 3", 2, "--count is the number of shapes of a drawn suite");
  expect_complaint("verify --suite course --count 3", 2, "--count is the number of shapes of a drawn suite");
  expect_complaint("plan --seed 3", 2, "--seed draws the shapes of a drawn suite");
  expect_complaint("plan --suite course --seed 3", 2, "--seed draws the shapes of a drawn suite");
  expect_complaint("bench --suite drawn:odd --shape 64", 2, "--shape");
  expect_complaint("verify --suite drawn:odd --replay 3", 2, "--replay");
  expect_complaint("bench --suite corse", 2, "the nearest are course");
}

TEST(DrawnSuite, VerifyRunsEveryShapeAndCountsThoseItSkips) {
  const Ran few =
      run_cairn("verify cpu/reference --device cpu --suite drawn:odd --seed 2026 --count 5 --format json");
  ASSERT_EQ(few.code, 0) << few.err;
  const Json row = Json::parse(few.out).at(0);
  EXPECT_EQ(row.at("cases"), 5);
  EXPECT_EQ(row.at("passed"), 5);
  EXPECT_EQ(row.at("skipped"), 0);
  EXPECT_EQ(row.at("batched"), 0);
  // 8192 cubed would take a quarter of an hour.
  std::ofstream(scratch() / "large.txt") << "16 nt batch=1\n8192 nt\n5 6 7 tt batch=3 lda=+1\n8192 8192 4096\n";
  const std::string suite = "verify cpu/reference --device cpu --type f32 --suite large.txt";
  const Ran some = run_cairn(suite);
  ASSERT_EQ(some.code, 0) << some.err;
  EXPECT_TRUE(has(some.out, "Skipped on the CPU: 2 of 4 shapes have more than 1.2e+10 multiply-adds")) << some.out;
  EXPECT_TRUE(has(some.out, "8192x8192x8192 has 5.5e+11.")) << some.out;
  const Json counts = Json::parse(run_cairn(suite + " --fuzz 3 --format json").out).at(0);
  EXPECT_EQ(counts.at("cases"), 6);
  EXPECT_EQ(counts.at("skipped"), 6);
  EXPECT_EQ(counts.at("batched"), 3);
  std::ofstream(scratch() / "huge.txt") << "8192\n";
  const Ran none = run_cairn("verify cpu/reference --device cpu --type f32 --suite huge.txt");
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(has(none.out, "every case was refused or skipped")) << none.out;
}

TEST(DrawnSuite, ALineOfAFileMayHaveABatchAndLeadingDimensions) {
  std::ofstream(scratch() / "lines.txt") << "8 16 32 nn\n8 16 32 nn batch=4\n8 16 32 nn lda=40 ldc=+1\n";
  const Ran ran = run_cairn("bench cairn --device cpu --type f32 --seconds 0.01 --format csv --suite lines.txt");
  ASSERT_EQ(ran.code, 0) << ran.err;
  for (const char* problem :
       {"cairn,f32 nn 8x16x32,", "cairn,f32 nn 8x16x32 batch=4,", "cairn,f32 nn 8x16x32 lda=40 ldc=17,"})
    EXPECT_TRUE(has(ran.out, problem)) << problem << "\n" << ran.out;
  expect_complaint("bench --suite lines.txt --batch 2", 2, "has its own batch=4 for 8x16x32; leave out --batch");
  expect_complaint("bench --suite lines.txt --lda +1", 2, "has its own lda=40 for 8x16x32; leave out --lda");
  expect_complaint("bench --suite lines.txt --ld +1", 2, "leave out --ld");
  expect_complaint("bench --suite lines.txt --layout nt", 2, "has its own layout nn for 8x16x32; leave out --layout");
}

}  // namespace
}  // namespace cairn::testing
