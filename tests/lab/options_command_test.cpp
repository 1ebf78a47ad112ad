// The command from outside: what its options take, what they refuse, and that none is dropped in silence.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/expect_complaint.hpp"
#include "tests/support/run_cairn.hpp"

namespace cairn::testing {
namespace {

using Json = nlohmann::json;

constexpr const char* kQuick = " --device cpu --type f32 --seconds 0.02 --format csv";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The rows of a record that were timed, as objects.
std::vector<Json> rows_of(const std::string& record) {
  const auto json = Json::parse(slurp(scratch() / record));
  std::vector<Json> rows;
  for (const auto& values : json["rows"]) {
    Json row;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!values[i].is_null()) row[json["columns"][i].get<std::string>()] = values[i];
    if (row.contains("samples_ms")) rows.push_back(row);
  }
  return rows;
}

bool traces() { return run_cairn("trace simt/02 --shape 32").code != 77; }

TEST(Options, ASuiteTakesNoShape) { expect_complaint("bench --suite seeds --shape 64", 2, "--shape"); }

TEST(Options, ALayoutIsForTheLinesOfASuiteThatNameNone) {
  expect_complaint("bench --suite seeds --layout tt", 2, "--layout");
  std::ofstream(scratch() / "free.txt") << "16\n24\n";
  const Ran ran = run_cairn(std::string("bench cairn --suite free.txt --layout nt,tt") + kQuick);
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* problem : {"f32 nt 16x16x16", "f32 tt 16x16x16", "f32 nt 24x24x24", "f32 tt 24x24x24"})
    EXPECT_TRUE(has(ran.out, problem)) << problem << "\n" << ran.out;
}

TEST(Options, LeadingDimensionsAreGivenOrAddedToTheLeast) {
  const auto problem = [](const std::string& flags) {
    const Ran ran = run_cairn("plan --device cpu --shape 8x16x32 " + flags + " --format json");
    return ran.code == 0 ? Json::parse(ran.out).at(0)["problem"].get<std::string>() : ran.err;
  };
  EXPECT_EQ(problem("--lda 40"), "f32 nn 8x16x32 lda=40");
  EXPECT_EQ(problem("--lda 32"), "f32 nn 8x16x32");
  EXPECT_EQ(problem("--ld 64"), "f32 nn 8x16x32 lda=64 ldb=64 ldc=64");
  EXPECT_EQ(problem("--ld +1"), "f32 nn 8x16x32 lda=33 ldb=17 ldc=17");
  EXPECT_EQ(problem("--ld +1 --ldb +0 --ldc 20"), "f32 nn 8x16x32 lda=33 ldc=20");
  EXPECT_EQ(problem("--layout tt --order column --ld +2"), "f32 tt 8x16x32 order=column lda=34 ldb=18 ldc=10");
  EXPECT_EQ(problem("--batch 4"), "f32 nn 8x16x32 batch=4");
}

TEST(Options, BadLeadingDimensionsAndBatchesSayWhatIsRight) {
  expect_complaint("plan --shape 8x16x32 --lda 31", 2, "--lda 31: f32 nn 8x16x32 needs 32 or more");
  expect_complaint("bench --shape 8x16x32 --ld 20", 2, "--ld 20: f32 nn 8x16x32 needs 32 or more for A");
  for (const char* wrong : {"x", "-1", "+", "+-1", "4.5", "''", "99999999999999999999"})
    expect_complaint(std::string("plan --ldc ") + wrong, 2, "--ldc");
  expect_complaint("plan --batch 0", 2, "--batch");
  expect_complaint("plan --batch -1", 2, "--batch");
  expect_complaint("plan --ld +9223372036854775807", 2, "--ld");
  expect_complaint("plan --batch 9223372036854775807", 2, "bytes");
  expect_complaint("bench --shape 1024 --batch 10000000", 77, "GB for its matrices");
  expect_complaint("bench --shape 64 --ld +10000000000", 77, "GB for its matrices");
}

TEST(Options, ScalarsAreFiniteNumbers) {
  for (const char* flag : {"--alpha", "--beta"})
    for (const char* wrong : {"x", "nan", "inf", "1e999"})
      for (const char* verb : {"bench --shape 16 ", "verify cairn --device cpu --fuzz 1 "})
        expect_complaint(std::string(verb) + flag + " " + wrong, 2, flag);
}

// Padding, batch and scalars are all in the record, and come back from it.
TEST(Options, BenchMeasuresAndRecordsTheProblemAsGiven) {
  std::filesystem::remove(scratch() / "given.json");
  const Ran ran = run_cairn(std::string("bench cpu/reference cairn --shape 16 --ld +3 --batch 2 --alpha -1.5 --beta "
                                        "0.3 --record given.json") +
                            kQuick);
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  const std::string shown = "f32 nn 16x16x16 lda=19 ldb=19 ldc=19 batch=2 alpha=-1.5 beta=0.3";
  EXPECT_TRUE(has(ran.out, shown)) << ran.out;
  const auto rows = rows_of("given.json");
  ASSERT_GE(rows.size(), 2u);
  for (const auto& row : rows) {
    EXPECT_EQ(row["problem"], "f32 nn 16x16x16 lda=19 ldb=19 ldc=19 batch=2") << row;
    EXPECT_EQ(row.value("alpha", 0.0), -1.5) << row;
    EXPECT_EQ(row.value("beta", 0.0), 0.3) << row;
    EXPECT_EQ(row.value("verified", ""), "bound") << row;
  }
  EXPECT_TRUE(has(run_cairn("report given.json").out, shown));
  EXPECT_EQ(run_cairn("compare given.json given.json --require 100").code, 0);
}

TEST(Options, BenchIsExactWhereScalarsAllowIt) {
  std::filesystem::remove(scratch() / "exact.json");
  const Ran ran =
      run_cairn(std::string("bench cpu/reference cairn --shape 24 --alpha 2 --beta 1 --record exact.json") + kQuick);
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  for (const auto& row : rows_of("exact.json")) EXPECT_EQ(row.value("verified", ""), "exact") << row;
  // Those of another beta are other rows.
  std::filesystem::remove(scratch() / "plain.json");
  ASSERT_EQ(run_cairn(std::string("bench cpu/reference cairn --shape 24 --record plain.json") + kQuick).code, 0);
  EXPECT_FALSE(rows_of("plain.json").at(0).contains("alpha"));
  EXPECT_TRUE(has(run_cairn("compare exact.json plain.json").out, "no row is in both records"));
}

TEST(Options, VerifyDrawsOnlyWhatIsGiven) {
  const auto row = Json::parse(
      run_cairn("verify cpu/reference --device cpu --fuzz 30 --ld +1 --batch 3 --alpha 0.3 --beta 0 --format json")
          .out)[0];
  EXPECT_EQ(row["passed"], 30) << row;
  EXPECT_EQ(row["padded"], 30) << row;
  EXPECT_EQ(row["batched"], 30) << row;
  EXPECT_EQ(row["exact"], 0) << "0.3 is not exact: " << row;
  const Ran one = run_cairn("verify cairn --device cpu --replay 7 --shape 8x9x10 --lda 77 --beta 2");
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_TRUE(has(one.out, "8x9x10") && has(one.out, "lda=77") && has(one.out, "beta 2")) << one.out;
  expect_complaint("verify cairn --lda 77", 2, "--shape");
}

TEST(Options, ClimbTakesThemToEveryContender) {
  const Ran ran =
      run_cairn("climb simt/02 transpose/1 --device emu --shape 32 --ld +4 --alpha 0.3 --beta 2 --format json");
  ASSERT_EQ(ran.code, 0) << ran.err << ran.out;
  const auto rows = Json::parse(ran.out);
  EXPECT_EQ(rows.at(0)["problem"], "f32 tn 32x32x32 lda=36 ldc=36") << "a transpose has neither B nor scalars";
  EXPECT_EQ(rows.at(1)["problem"], "f32 nn 32x32x32 lda=36 ldb=36 ldc=36 alpha=0.3 beta=2");
  EXPECT_EQ(rows.at(1)["exact"], "within bounds");
  const Ran without = run_cairn("climb simt/02 --device emu --shape 32 --ld +4 --alpha 0.3 --format json");
  ASSERT_EQ(without.code, 0) << without.err;
  EXPECT_NE(rows.at(1)["rounding"], Json::parse(without.out).at(0)["rounding"]) << "beta C was added";
}

// "Change lda": what page simt/01 asks for can be done, and it changes what the emulator counts.
TEST(Options, TraceSeesTheLeadingDimension) {
  if (!traces()) GTEST_SKIP() << "this build has no traced emulator";
  const Ran ran = run_cairn("trace simt/01 --shape 32 --lda 33 --batch 2 --alpha 2 --beta 1 --format json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto kernels = Json::parse(ran.out)["kernels"];
  EXPECT_EQ(kernels.at(0)["launches"], 2) << "one for each product";
  EXPECT_TRUE(has(kernels.at(0)["problem"], "lda=33")) << kernels.at(0)["problem"];
  EXPECT_TRUE(has(kernels.at(0)["problem"], "alpha=2 beta=1")) << kernels.at(0)["problem"];
  EXPECT_EQ(run_cairn("trace simt/01 --shape 32 --alpha 0.3 --beta 0.7").code, 0);
}

TEST(Options, TraceTakesATypeThatTheRungHas) {
  if (!traces()) GTEST_SKIP() << "this build has no traced emulator";
  const Ran ran = run_cairn("trace simt/02 tensor/31 tensor/32 --shape 64 --no-detectors --format json");
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto kernels = Json::parse(ran.out)["kernels"];
  const auto runs_in = [&](const std::string& rung, const std::string& type) {
    return std::ranges::any_of(kernels, [&](const Json& kernel) {
      return kernel["rung"].get<std::string>().starts_with(rung) &&
             kernel["problem"].get<std::string>().starts_with(type);
    });
  };
  EXPECT_TRUE(runs_in("simt/02", "in=f32 out=f32 compute=native")) << ran.out;
  EXPECT_TRUE(runs_in("tensor/31", "in=bf16 out=bf16")) << ran.out;
  EXPECT_TRUE(runs_in("tensor/32", "in=f32 out=f32 compute=tf32")) << ran.out;
  EXPECT_EQ(run_cairn("trace tensor/31 --shape 64 --type f32").code, 77) << "a type that is asked for is that type";
}

TEST(Options, OutRefusesFormatsItCannotWrite) {
  for (const char* name : {"x.svg", "x.xlsx", "x.pdf", "x.CSV2"}) {
    expect_complaint(std::string("list --out ") + name, 2, ".csv, .json, .md");
    EXPECT_FALSE(std::filesystem::exists(scratch() / name));
  }
  for (const char* name : {"plain", "plain.txt"}) EXPECT_EQ(run_cairn(std::string("list --out ") + name).code, 0);
  EXPECT_EQ(run_cairn("list --format csv --out x.log").code, 0) << "--format says what it is";
}

TEST(Options, ADashIsStandardOutput) {
  const Ran ran = run_cairn("list --format csv --out -");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, run_cairn("list --format csv").out);
  EXPECT_FALSE(std::filesystem::exists(scratch() / "-"));
  const Ran record = run_cairn("bench cairn --shape 16 --out b.csv --force --record - --device cpu --seconds 0.02");
  EXPECT_EQ(record.code, 0) << record.err;
  EXPECT_TRUE(Json::accept(record.out)) << record.out;
}

TEST(Options, TwoOptionsDoNotWriteOneFile) {
  for (const char* arguments :
       {"bench --shape 4096 --record same.json --out same.json", "bench --shape 4096 --record - ",
        "bench --shape 4096 --record a/../same.json --out ./same.json --force",
        "profile simt/01 --record same.json --out same.json", "lab layout --record same.json --out same.json",
        "trace simt/02 --html same.html --record same.html", "info fragment --svg same.md --out same.md"}) {
    std::filesystem::create_directories(scratch() / "a");
    expect_complaint(arguments, 2, "both");
    EXPECT_FALSE(std::filesystem::exists(scratch() / "same.json")) << arguments;
  }
}

TEST(Options, AMissingFolderIsBlamedOnTheOptionThatNamedIt) {
  expect_complaint("bench --shape 4096 --record nowhere/x.json", 2, "for --record nowhere/x.json");
  expect_complaint("trace simt/02 --html nowhere/x.html", 2, "for --html nowhere/x.html");
  expect_complaint("info fragment --svg nowhere/x.svg", 2, "for --svg nowhere/x.svg");
  expect_complaint("list --out nowhere/x.csv", 2, "for --out nowhere/x.csv");
  expect_complaint("bench --shape 4096 --record .", 2, "--record wants a file");
}

TEST(Options, AnUnknownNameShowsTheNearestThree) {
  expect_complaint("list smit/04", 2, "simt/04_block_tile");
  expect_complaint(
      "list simt/4_block_tile", 2,
      "no contender is named 'simt/4_block_tile'; the nearest are simt/04_block_tile, simt/05_block_tile_vec4");
  expect_complaint("list simt/4", 2, "simt/04_block_tile");
  expect_complaint("trace simt/99 --shape 32", 2, "the nearest are");
  expect_complaint("diff simt/4_block_tile", 2, "the nearest are simt/04_block_tile");
  expect_complaint("lab vectorise", 2, "the nearest are vectorize");
  expect_complaint("clmib", 2, "the nearest are climb");
  for (const char* arguments : {"list nobody", "diff nobody", "lab nobody", "nobody", "list 'nobody/*'"}) {
    const Ran ran = run_cairn(arguments);
    EXPECT_EQ(ran.code, 2);
    EXPECT_LE(std::ranges::count(ran.err, ','), 2) << ran.err;
  }
}

TEST(Options, PlanListsWhoWasRuledOutByReason) {
  const Ran ran = run_cairn("plan --type bf16 --device emu");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(
      has(ran.out, "  does not take bf16: simt/01–25, tensor/32–33, tensor/40, tensor/42, hopper/60–61 (31 rungs)\n"))
      << ran.out;
  EXPECT_TRUE(has(ran.out, "hopper/51–58")) << ran.out;
  EXPECT_LT(std::ranges::count(ran.out, '\n'), 20) << ran.out;
  for (const char* type : {"f64", "f32", "f16", "bf16", "e4m3", "tf32", "split", "e4m3fast", "e4m3:bf16"}) {
    const Ran one = run_cairn(std::string("plan --device emu --type ") + type);
    ASSERT_EQ(one.code, 0) << one.err;
    EXPECT_FALSE(has(one.out, "not needed")) << one.out;
    EXPECT_LT(std::ranges::count(one.out, '\n'), 25) << one.out;
  }
}

}  // namespace
}  // namespace cairn::testing
