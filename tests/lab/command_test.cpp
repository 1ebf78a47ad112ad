// The command from outside: exit codes, one-line errors, output that parses, help.
#include <algorithm>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/run_cairn.hpp"

namespace cairn::testing {
namespace {

const char* const kVerbs[] = {"climb", "list", "info", "verify", "bench", "plan", "lab", "completion"};

// Nothing on stdout, one line on stderr that begins "cairn: " and holds `hint`.
void expect_complaint(const std::string& arguments, int code, const std::string& hint) {
  const Ran ran = run_cairn(arguments);
  EXPECT_EQ(ran.code, code) << arguments << "\n" << ran.err;
  EXPECT_EQ(ran.out, "") << arguments;
  EXPECT_TRUE(ran.err.starts_with("cairn: ")) << arguments << "\n" << ran.err;
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << arguments << "\n" << ran.err;
  EXPECT_NE(ran.err.find(hint), std::string::npos) << arguments << "\n" << ran.err;
}

TEST(Command, BadInputGetsOneLineThatSaysWhatWouldBeRight) {
  expect_complaint("foo", 2, "the verbs are climb, list");
  expect_complaint("--frob", 2, "--frob");
  expect_complaint("bench --frob", 2, "cairn bench --help");
  expect_complaint("plan stray", 2, "stray");
  expect_complaint("list cpu", 2, "cpu/reference");
  expect_complaint("verify nobody", 2, "there are cpu/reference");
  expect_complaint("climb --shape 12x", 2, "write 1024");
  expect_complaint("plan --shape ''", 2, "write 1024");
  expect_complaint("plan --type f8", 2, "e4m3:bf16");
  expect_complaint("plan --type nt", 2, "--type 'nt'");
  expect_complaint("plan --type row", 2, "--type 'row'");
  expect_complaint("plan --type ''", 2, "--type ''");
  expect_complaint("plan --layout f16", 2, "nn, nt, tn or tt");
  expect_complaint("plan --order diagonal", 2, "row or column");
  expect_complaint("plan --shape 9223372036854775807x1x1", 2, "bytes");
  expect_complaint("list --device tpu", 2, "gpu:N");
  expect_complaint("list --device gpu:-1", 2, "gpu:N");
  expect_complaint("list --format xml", 2, "table, csv, json, md");
  expect_complaint("bench --shape 0", 2, "1 or more");
  expect_complaint("bench --seconds 0", 2, "above 0");
  expect_complaint("verify --fuzz 0", 2, "1 or more");
  expect_complaint("verify --fuzz many", 2, "--fuzz");
  expect_complaint("lab nothing", 2, "layout");
  expect_complaint("completion", 2, "SHELL");
  expect_complaint("completion tcsh", 2, "bash");
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
    EXPECT_NE(ran.out.find("Examples:\n  cairn " + verb), std::string::npos) << ran.out;
  }
  EXPECT_EQ(run_cairn("--version").out.substr(0, 6), "cairn ");
}

TEST(Command, EveryVerbSpeaksJson) {
  for (const char* arguments : {"list", "info", "plan --type f16,f32", "lab", "lab layout", "climb --shape 32",
                                "verify cairn --fuzz 5", "bench cairn --shape 32 --type f32 --seconds 0.1"}) {
    const Ran ran = run_cairn(std::string(arguments) + " --format json");
    EXPECT_EQ(ran.code, 0) << arguments << "\n" << ran.err;
    EXPECT_EQ(ran.err, "") << arguments;
    const auto json = nlohmann::json::parse(ran.out, nullptr, false);
    EXPECT_FALSE(json.is_discarded() || json.empty()) << arguments << "\n" << ran.out;
  }
}

TEST(Command, BenchGivesTheKeysAndTheSamples) {
  const Ran ran = run_cairn("bench cairn --shape 32 --type f32 --seconds 0.1 --format json");
  const auto rows = nlohmann::json::parse(ran.out);
  const auto& row = rows.back();
  EXPECT_EQ(row["id"], "cairn");
  EXPECT_EQ(row["problem"], "f32 nn 32x32x32");
  EXPECT_EQ(row["verified"], true);
  EXPECT_EQ(row["samples_ms"].size(), row["samples"].get<std::size_t>());
  EXPECT_GE(row["samples"].get<int>(), 3);
  for (const char* key : {"median_ms", "min_ms", "spread_percent", "gflops"})
    EXPECT_TRUE(row[key].is_number()) << key;
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

TEST(Command, AFullDiskIsAnError) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  expect_complaint("list --out /dev/full", 1, "No space left");
  const Ran ran = run_shell("cairn list >/dev/full");
  EXPECT_EQ(ran.code, 1);
  EXPECT_NE(ran.err.find("No space left"), std::string::npos) << ran.err;
}

TEST(Command, CtrlCKeepsWhatWasDone) {
  const struct {
    const char *arguments, *done;
  } long_work[] = {{"verify cairn --fuzz 100000000", "passed"},
                   {"bench cairn --shape 64:4096:1 --type f32", "f32 nn 64x64x64"}};
  for (const auto& work : long_work) {
    const Ran ran =
        run_shell(std::string("timeout --foreground --preserve-status --signal=INT 2 cairn ") + work.arguments);
    EXPECT_EQ(ran.code, 130) << work.arguments << ran.err;
    EXPECT_NE(ran.out.find("Interrupted"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find(work.done), std::string::npos) << ran.out;
  }
}

TEST(Command, CompletionIsAScriptBashReads) {
  if (run_shell("command -v bash").code != 0) GTEST_SKIP() << "no bash here";
  const Ran ran = run_shell(R"sh(bash -c '
      eval "$(cairn completion bash)"
      COMP_WORDS=(cairn cl) COMP_CWORD=1; _cairn; echo "${COMPREPLY[@]}"
      COMP_WORDS=(cairn bench --sh) COMP_CWORD=2; _cairn; echo "${COMPREPLY[@]}"')sh");
  EXPECT_EQ(ran.out, "climb\n--shape\n") << ran.err;
}

}  // namespace
}  // namespace cairn::testing
