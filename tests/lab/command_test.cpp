// The command from outside: exit codes, one-line errors, output that parses, help.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/expect_complaint.hpp"
#include "tests/support/run_cairn.hpp"

namespace cairn::testing {
namespace {

const char* const kVerbs[] = {"climb",  "list",    "info", "verify", "bench", "profile",   "trace",
                              "report", "compare", "plan", "diff",   "lab",   "completion"};

TEST(Command, BadInputGetsOneLineThatSaysWhatWouldBeRight) {
  expect_complaint("foo", 2, "the nearest are");
  expect_complaint("--frob", 2, "--frob");
  expect_complaint("bench --frob", 2, "cairn bench --help");
  expect_complaint("plan stray", 2, "stray");
  expect_complaint("list simt", 2, "'simt' could be simt/01_naive");
  expect_complaint("verify nobody", 2, "the nearest are");
  expect_complaint("climb --shape 12x", 2, "write 1024");
  expect_complaint("plan --shape ''", 2, "write 1024");
  expect_complaint("plan --type f8", 2, "e4m3:bf16");
  expect_complaint("plan --type nt", 2, "--type 'nt'");
  expect_complaint("plan --type row", 2, "--type 'row'");
  expect_complaint("plan --type ''", 2, "--type ''");
  expect_complaint("plan --layout f16", 2, "nn, nt, tn or tt");
  expect_complaint("plan --order diagonal", 2, "row or column");
  expect_complaint("plan --device emu --sms 0", 2, "from 1 to 1000000");
  expect_complaint("plan --device cpu --sms 132", 2, "--sms is for plans of a GPU");
  expect_complaint("plan --shape 9223372036854775807x1x1", 2, "bytes");
  expect_complaint("list --device tpu", 2, "gpu:N");
  expect_complaint("list --device gpu:-1", 2, "gpu:N");
  expect_complaint("list --format xml", 2, "table, csv, json, md");
  expect_complaint("bench --shape 0", 2, "1 or more");
  expect_complaint("bench --seconds 0", 2, "above 0");
  expect_complaint("bench --seconds inf", 2, "at most 1000000");
  expect_complaint("bench --sustained --host --shape 16", 2, "--sustained keeps the device busy");
  expect_complaint("verify --fuzz 0", 2, "from 1 to 1000000000");
  expect_complaint("verify --fuzz many", 2, "--fuzz");
  expect_complaint("lab nothing", 2, "the nearest are");
  expect_complaint("report", 2, "RECORD");
  expect_complaint("report nowhere.json", 2, "cannot read nowhere.json: No such file");
  expect_complaint("report .", 2, "is a directory");
  expect_complaint("report x.json --check", 2, "--readme");
  expect_complaint("report x.json --readme README.md --format md", 2, "--format");
  expect_complaint("compare x.json", 2, "NEW");
  expect_complaint("compare x.json y.json --within -1", 2, "0 or more");
  expect_complaint("compare x.json y.json --within 100", 2, "below 100");
  expect_complaint("compare x.json y.json --require 101", 2, "between 0 and 100");
  expect_complaint("completion", 2, "SHELL");
  expect_complaint("completion tcsh", 2, "only for bash, zsh and fish");
}

// A number that does not fit is refused; the nearest that does is not what was asked for.
TEST(Command, NumbersOutOfRangeAreRefusedWithTheirRange) {
  const std::string seeds = "not a whole number from 0 to 18446744073709551615";
  for (const std::string text : {"99999999999999999999", "-1", "1.5", "0x", "1e3", "''"}) {
    expect_complaint("verify cairn --fuzz " + text, 2, "--fuzz: '" + (text == "''" ? "" : text) + "' is not a whole");
    for (const char* command : {"verify cairn --fuzz 1", "climb cairn --shape 8", "bench cairn --shape 8",
                                "trace simt/01", "lab layout", "profile simt/01"})
      expect_complaint(std::string(command) + " --seed " + text, 2, seeds);
    expect_complaint("verify cairn --replay " + text, 2, seeds);
    expect_complaint("plan --device emu --sms " + text, 2, "from 1 to 1000000");
    expect_complaint("diff simt/15 -U " + text, 2, "from 0 to 1000000");
    expect_complaint("lab banks --pattern l --bytes " + text, 2, "from 1 to 16");
  }
  for (const char* shape : {"99999999999999999999", "-1", "1x2x99999999999999999999", "1:99999999999999999999:1"})
    expect_complaint(std::string("plan --shape ") + shape, 2, "--shape");
  expect_complaint("list --device gpu:99999999999", 2, "gpu:N");
  // Hexadecimal, as failures print seeds; a leading zero means nothing.
  const auto cases = [](const std::string& seed) {
    return run_cairn("verify cairn --device cpu --fuzz 010 --format json --seed " + seed).out;
  };
  EXPECT_EQ(nlohmann::json::parse(cases("16")).at(0)["cases"], 10);
  EXPECT_EQ(cases("0x10"), cases("16"));
  EXPECT_EQ(cases("016"), cases("16"));
  EXPECT_EQ(run_cairn("verify cairn --device cpu --fuzz 1 --seed 18446744073709551615").code, 0);
}

TEST(Command, FilesThatNeverEndAreRefused) {
  const Ran device = run_shell("ulimit -v 8000000; timeout 10 cairn bench --device cpu --suite /dev/zero");
  EXPECT_EQ(device.code, 2) << device.err;
  EXPECT_NE(device.err.find("--suite '/dev/zero' is larger than 1 MB"), std::string::npos) << device.err;
  const Ran pipe = run_shell("mkfifo pipe.cu && timeout 10 cairn trace pipe.cu --kernel k --grid 1 --block 1");
  EXPECT_EQ(pipe.code, 2) << pipe.err;
  EXPECT_NE(pipe.err.find("cannot read pipe.cu: it is not a regular file"), std::string::npos) << pipe.err;
  // A pipe that somebody writes to is a suite like any other.
  const Ran written = run_shell("echo 8 | cairn bench cairn --device cpu --seconds 0.1 --suite /dev/stdin");
  EXPECT_EQ(written.code, 0) << written.err;
}

TEST(Command, WhatThisMachineLacksIs77) {
  expect_complaint("climb --device gpu:999", 77, "999");
  expect_complaint("bench --shape 10000000", 77, "GB for its matrices");
  expect_complaint("climb --shape 10000000", 77, "GB for its matrices");
}

TEST(Command, AloneItShowsItsHelpAndFails) {
  const Ran ran = run_cairn("");
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.out, "");
  for (const char* verb : kVerbs) EXPECT_NE(ran.err.find(verb), std::string::npos) << verb;
}

TEST(Command, EveryVerbTeaches) {
  for (const std::string verb : kVerbs) {
    const Ran ran = run_cairn(verb + " --help");
    EXPECT_EQ(ran.code, 0) << verb;
    EXPECT_EQ(ran.err, "") << verb;
    const std::size_t examples = std::min(ran.out.find("Examples:\n"), ran.out.size());
    EXPECT_NE(ran.out.find("\n  cairn " + verb, examples), std::string::npos) << ran.out;
  }
  EXPECT_EQ(run_cairn("--version").out.substr(0, 6), "cairn ");
}

TEST(Command, EveryVerbSpeaksJson) {
  for (const char* arguments :
       {"list", "info", "plan --type f16,f32", "diff", "lab", "lab layout", "climb --shape 32",
        "verify cairn --fuzz 5", "bench cairn --shape 32 --type f32 --seconds 0.1"}) {
    const Ran ran = run_cairn(std::string(arguments) + " --format json");
    EXPECT_EQ(ran.code, 0) << arguments << "\n" << ran.err;
    EXPECT_EQ(ran.err, "") << arguments;
    const auto json = nlohmann::json::parse(ran.out, nullptr, false);
    EXPECT_FALSE(json.is_discarded() || json.empty()) << arguments << "\n" << ran.out;
  }
}

// Every contender of the emulator once: in f32 if it takes that, else in what its tensor cores take.
TEST(Command, ClimbTakesEachRungInATypeOfItsOwn) {
  const auto listed = nlohmann::json::parse(run_cairn("list --device emu --format json").out);
  const Ran ran = run_cairn("climb --device emu --shape 32 --format json");
  const auto rows = nlohmann::json::parse(ran.out);
  EXPECT_EQ(rows.size(), listed.size()) << ran.err;
  const auto type_of = [&](const std::string& id) {
    for (const auto& row : rows)
      if (row["id"] == id) return row["problem"].get<std::string>().substr(0, 4);
    return std::string("none");
  };
  EXPECT_EQ(type_of("simt/22_pipelined"), "f32 ");
  EXPECT_EQ(type_of("tensor/32_wmma_tf32_stage2"), "tf32");
  EXPECT_EQ(type_of("tensor/38_mma_block_order"), "bf16");
  EXPECT_EQ(type_of("probe/mma_peak"), "bf16");
  EXPECT_EQ(type_of("probe/wgmma_peak"), "bf16");
  for (const auto& row : rows) EXPECT_NE(row["exact"], "WRONG") << row["id"];
  // Who asks for a type gets that one.
  const auto f64 = nlohmann::json::parse(run_cairn("climb --device emu --shape 32 --type f64 --format json").out);
  for (const auto& row : f64) EXPECT_TRUE(row["problem"].get<std::string>().starts_with("f64 ")) << row;
}

TEST(Command, ListsOfFlagsCombine) {
  const auto rows = nlohmann::json::parse(
      run_cairn("plan --shape 8,4x5x6 --shape 7 --type f32,e4m3:bf16 --layout nt --layout tt --format json").out);
  EXPECT_EQ(rows.size(), 3u * 2u * 2u);
  EXPECT_EQ(rows.back()["problem"], "e4m3:bf16 tt 7x7x7");
}

TEST(Command, VerifyIsTheSameForTheSameSeed) {
  const std::string arguments = "verify cairn --fuzz 30 --seed 5 --format json";
  const Ran first = run_cairn(arguments);
  EXPECT_EQ(first.out, run_cairn(arguments).out);
  EXPECT_NE(first.out, run_cairn("verify cairn --fuzz 30 --seed 6 --format json").out);
}

// What no flag names is drawn from everything: a shape alone leaves every rung its own types.
TEST(Command, VerifyOfAShapeLeavesNoRungWithoutCases) {
  const std::string ids = "verify simt/01 tensor/31 tensor/32 tensor/40 --device emu --fuzz 2 ";
  const auto rows = nlohmann::json::parse(run_cairn(ids + "--shape 5x6x7 --format json").out);
  ASSERT_EQ(rows.size(), 4u);
  for (const auto& row : rows) EXPECT_EQ(row["passed"], 2) << row;
  const Ran narrow = run_cairn(ids + "--type f32");
  EXPECT_EQ(narrow.code, 0);
  EXPECT_NE(narrow.out.find("Not judged, every case was refused: tensor/31_wmma_split_k, tensor/32_wmma_tf32_stage2"),
            std::string::npos)
      << narrow.out;
}

TEST(Command, ReplayRunsOneCase) {
  const auto rows = nlohmann::json::parse(run_cairn("verify cairn --replay 0x2a --type f64 --format json").out);
  EXPECT_EQ(rows[0]["cases"], 1);
}

TEST(Command, OutIsWrittenOnceAndNeverTwice) {
  std::filesystem::remove(scratch() / "list.json");
  EXPECT_EQ(run_cairn("list --out list.json").code, 0);
  const std::string first = slurp(scratch() / "list.json");
  EXPECT_TRUE(nlohmann::json::accept(first)) << first;
  expect_complaint("info --out list.json", 2, "--force");
  EXPECT_EQ(slurp(scratch() / "list.json"), first);
  EXPECT_EQ(run_cairn("info --out list.json --force").code, 0);
  EXPECT_NE(slurp(scratch() / "list.json"), first);
}

TEST(Command, AMissingDirectoryIsAnErrorBeforeTheWork) {
  expect_complaint("bench --shape 4096 --record nowhere/x.json", 2, "there is no directory nowhere");
  expect_complaint("report x.json --out nowhere/x.csv", 2, "there is no directory nowhere");
}

TEST(Command, CtrlCKeepsWhatWasDone) {
  const struct {
    const char *arguments, *done, *says;
  } long_work[] = {
      {"verify cairn --device cpu --fuzz 100000000", "passed", "Interrupted"},
      {"bench cairn --device cpu --shape 64:4096:1 --type f32 --seconds 0.1", "f32 nn 64x64x64", "interrupted"}};
  for (const auto& work : long_work) {
    const Ran ran =
        run_shell(std::string("timeout --foreground --preserve-status --signal=INT 3 cairn ") + work.arguments);
    EXPECT_EQ(ran.code, 130) << work.arguments << ran.err;
    EXPECT_NE(ran.out.find(work.says), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find(work.done), std::string::npos) << ran.out;
  }
}

TEST(Command, ExperimentsSayWhatTheyTake) {
  expect_complaint("lab banks --pattern 'l*'", 2, "such as l*33");
  expect_complaint("lab banks --bytes 4", 2, "--pattern");
  expect_complaint("lab banks --pattern l --bytes 12", 2, "1, 2, 4, 8 or 16");
  expect_complaint("lab layout --pattern l", 2, "'banks' does");
  for (const std::string& name : std::vector<std::string>{"vectorize", "double-buffer", "tiny-code"}) {
    expect_complaint("lab " + name + " --device emu", 2, "'" + name + "' measures on a GPU");
    expect_complaint("lab " + name + " --shape 64,128", 2, "one shape");
  }
}

TEST(Command, AnExperimentThatOnlyMultipliesNeedsNoGpu) {
  expect_complaint("lab precision --device cpu", 77, "no rung on this device");
  const Ran ran = run_cairn("lab precision --device emu --shape 16x16x64 --format json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto rows = nlohmann::json::parse(ran.out);
  // Kinds of numbers, ways, and K = 32 and 64; f16 holds all numbers of three of the kinds.
  const auto f16 = std::ranges::count_if(rows, [](const auto& row) { return row["type"] == "f16:f32"; });
  EXPECT_EQ(rows.size() - static_cast<std::size_t>(f16), 5u * 6 * 2);
  EXPECT_GE(f16, 3 * 2);
  for (const auto& row : rows) {
    EXPECT_FALSE(row["type"] == "f16:f32" && row["numbers"] == "rows 2^±60") << row;
    const double error = row["error"], factors = row["factors"], largest = row["largest"], rowwise = row["rowwise"];
    const bool narrow = row["type"] != "f32" && row["type"] != "split";
    EXPECT_LT(error, row["type"] == "bf16:f32" ? 0x1p-7 : narrow ? 0x1p-10 : 0x1p-20) << row;
    EXPECT_GT(error, 0) << row;
    EXPECT_GT(largest, 0) << row;
    EXPECT_GE(rowwise, 0.99 * error) << row;  // C is no further off than the worst of its rows, all of which are seen
    EXPECT_EQ(factors > 0, narrow) << row;
  }
}

// More accuracy than asked for is welcome, less or another kind is not.
TEST(Command, SplitProductsAreForThoseWhoAsk) {
  const Ran split = run_cairn("plan --type split --shape 256 --device emu");
  ASSERT_EQ(split.code, 0) << split.err;
  EXPECT_NE(split.out.find("tensor/40_mma_tf32x3: chosen"), std::string::npos) << split.out;
  const Ran plain = run_cairn("plan --type f32 --shape 256 --device emu");
  EXPECT_NE(
      plain.out.find("  computes in split, and the problem asks for native: tensor/40, hopper/60–61 (3 rungs)\n"),
      std::string::npos)
      << plain.out;
  EXPECT_NE(run_cairn("plan --type split --shape 256 --device cpu").out.find(": chosen"), std::string::npos);
}

// The emulator has few SMs; what a large GPU would take is a question of theirs.
TEST(Command, PlansAreMadeForAnyNumberOfSms) {
  const Ran few = run_cairn("plan --type bf16 --shape 4096 --device emu");
  const Ran many = run_cairn("plan --type bf16 --shape 4096 --device emu --sms 132");
  ASSERT_EQ(few.code, 0) << few.err;
  ASSERT_EQ(many.code, 0) << many.err;
  EXPECT_NE(many.out.find("as if it had 132 SMs"), std::string::npos) << many.out;
  // 512 tiles of 128 x 256: four waves on 132 SMs, and sixteen times as many on eight.
  const auto main_loop = [](const std::string& text) {
    const std::regex line(R"(  128x256, cluster 1, .* main loop \(tensor cores\) ([0-9.]+))");
    std::smatch found;
    EXPECT_TRUE(std::regex_search(text, found, line)) << text;
    return found.empty() ? 0 : std::stod(found[1]);
  };
  EXPECT_NEAR(main_loop(few.out) / main_loop(many.out), 16, 0.1);
  EXPECT_EQ(run_cairn("plan --device auto").code, 0);
}

TEST(Command, FastSumsOfE4m3HaveAWordOfTheirOwn) {
  const Ran fast = run_cairn("plan --type e4m3fast:bf16 --shape 64 --device cpu");
  ASSERT_EQ(fast.code, 0) << fast.err;
  EXPECT_NE(fast.out.find("e4m3fast:bf16 nn 64x64x64"), std::string::npos) << fast.out;
  EXPECT_NE(fast.out.find(": chosen"), std::string::npos) << fast.out;
  const Ran verified = run_cairn("verify cpu/reference --device cpu --type e4m3fast --fuzz 50");
  EXPECT_EQ(verified.code, 0) << verified.out;
  expect_complaint("plan --type fast --shape 64 --device cpu", 2, "--type 'fast' is not");
}

TEST(Command, CheckingIsForTheEmulator) {
  expect_complaint("verify simt/04 --device cpu --check", 2, "--device emu");
  if (run_cairn("trace simt/02 --shape 32").code == 77) GTEST_SKIP() << "this build has no traced emulator";
  const Ran ran = run_cairn("verify simt/04 --device emu --check --fuzz 3");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("no detector found anything"), std::string::npos) << ran.out;
}

// Operands that wgmma cannot read as they are stored are packed first, through a tile in shared memory.
TEST(Command, ACheckOfTheSummitFindsNothingInItsPackingEither) {
  const Ran ran = run_cairn("verify hopper/59 --device emu --check --type tf32,e4m3fast --layout nn,tn --fuzz 8");
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
}

}  // namespace
}  // namespace cairn::testing
