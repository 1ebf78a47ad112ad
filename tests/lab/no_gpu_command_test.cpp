// The command where there is no GPU: what needs one says so and where to look instead, and experiments show what was
// recorded. A GPU that is here is hidden.
#include <algorithm>
#include <fstream>
#include <regex>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/run_cairn.hpp"

namespace cairn::testing {
namespace {

const std::string kResults = std::string(CAIRN_SOURCE_DIR) + "/results/h200/";

Ran run_without_gpu(const std::string& arguments) { return run_shell("CUDA_VISIBLE_DEVICES= cairn " + arguments); }

bool has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

// One line on stderr with all of these, and nothing else.
void expect_line(const std::string& arguments, int code, const std::vector<std::string>& hints) {
  const Ran ran = run_without_gpu(arguments);
  EXPECT_EQ(ran.code, code) << arguments << "\n" << ran.err;
  EXPECT_EQ(ran.out, "") << arguments;
  EXPECT_TRUE(ran.err.starts_with("cairn: ") && std::ranges::count(ran.err, '\n') == 1) << ran.err;
  for (const std::string& hint : hints) EXPECT_TRUE(has(ran.err, hint)) << arguments << "\n" << ran.err;
}

TEST(WithoutGpu, TheBenchOfRungsNamesOtherWaysToSeeThem) {
  const std::string report = "cairn report " + kResults;
  expect_line("bench 'simt/*'", 77,
              {"rungs have times only on a GPU, and there is none here", "cairn trace 'simt/*'", "cairn climb",
               report + "ladder.json"});
  expect_line("bench tensor/38 --device gpu", 77, {"cairn trace tensor/38", report + "tensor.json"});
  expect_line("bench simt/04 --device emu", 2, {"--device emu has no times", "cairn trace simt/04", "cairn climb"});
  expect_line("bench cairn 'cublas/*'", 77, {"only on a GPU", "cairn trace simt/04"});
  expect_line("profile simt/04", 77, {"profile needs a GPU", "cairn trace"});
  // What would be wrong on a GPU too is told first.
  expect_line("bench simt/99", 2, {"'simt/99'"});
  expect_line("bench simt/99 --device gpu", 2, {"'simt/99'"});
  expect_line("profile simt/99", 2, {"'simt/99'"});
}

TEST(WithoutGpu, ExperimentsShowWhatWasRecorded) {
  const struct {
    const char *name, *file, *finding;
  } all[] = {{"double-buffer", "double_buffer", "From one buffer to two: where as many blocks stay on an SM"},
             {"timing", "timing", "The clock decides who is faster: simt/02 is faster than simt/03"},
             {"tiny-code", "tiny_code", "Among spellings of the same grid and bk the time goes with global loads"},
             {"transpose", "transpose", "The counter that the optimizer changes most in both of them: instructions."},
             {"vectorize", "vectorize", "float4 copies that leave threads idle: simt/04 to simt/05"}};
  for (const auto& one : all) {
    const Ran ran = run_without_gpu(std::string("lab ") + one.name);
    const std::string out = std::regex_replace(ran.out, std::regex("\\s+"), " ");
    EXPECT_EQ(ran.code, 0) << one.name << ran.err;
    EXPECT_EQ(ran.err, "");
    EXPECT_TRUE(has(out, "There is no GPU here, so nothing was measured.")) << out;
    const auto record = nlohmann::json::parse(slurp(kResults + one.file + ".json"));
    for (const auto& part : {kResults + one.file + ".json", record["created"].get<std::string>(),
                             record["build"]["commit"].get<std::string>(), record["machine"].get<std::string>(),
                             record["rows"][0]["id"].get<std::string>(), std::string(one.finding),
                             std::string("docs/lab/") + one.file + ".md"})
      EXPECT_TRUE(has(out, part)) << one.name << ": " << part << "\n" << ran.out;
  }
}

TEST(WithoutGpu, ARecordIsNotShownToWhoAsksForAMeasurement) {
  for (const char* own : {"--shape 256", "--seed 2", "--device gpu", "--record own.json", "--format csv"}) {
    expect_line(std::string("lab timing ") + own, 77,
                {"'timing' measures on a GPU, and there is none here", "docs/lab/timing.md",
                 "cairn report " + kResults + "timing.json"});
  }
  EXPECT_FALSE(std::filesystem::exists(scratch() / "own.json"));
}

TEST(WithoutGpu, ReportShowsTheRecordsOfExperiments) {
  for (const char* name : {"double_buffer", "precision", "timing", "tiny_code", "transpose", "vectorize"}) {
    const std::string file = kResults + name + ".json";
    const auto record = nlohmann::json::parse(slurp(file));
    const Ran ran = run_cairn("report " + file);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_TRUE(has(ran.out, record["machine"])) << ran.out;
    EXPECT_TRUE(has(ran.out, record["build"]["commit"])) << ran.out;
    const auto rows = nlohmann::json::parse(run_cairn("report " + file + " --format json").out);
    ASSERT_EQ(rows.size(), record["rows"].size()) << name;
    for (const auto& [key, value] : record["rows"][0].items()) EXPECT_TRUE(rows[0].contains(key)) << name << key;
  }
  // Together with others.
  const Ran both = run_cairn("report " + kResults + "timing.json " + kResults + "ladder.json");
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_TRUE(has(both.out, kResults + "timing.json:") && has(both.out, kResults + "ladder.json:"));
}

TEST(WithoutGpu, ARecordThatAnExperimentJustWroteIsShown) {
  for (const char* experiment : {"banks", "precision --device emu --shape 16x16x64"}) {
    ASSERT_EQ(run_cairn(std::string("lab ") + experiment + " --record just.json --force").code, 0);
    const Ran ran = run_cairn("report just.json");
    EXPECT_EQ(ran.code, 0) << ran.err;
    const auto record = nlohmann::json::parse(slurp(scratch() / "just.json"));
    const std::string out = std::regex_replace(ran.out, std::regex("\\s+"), " ");
    for (const auto& sentence : record["conclusions"]) EXPECT_TRUE(has(out, sentence)) << sentence << ran.out;
  }
}

TEST(WithoutGpu, BrokenRecordsOfExperimentsAreRefused) {
  const std::string text = slurp(kResults + "timing.json");
  const auto refuse = [&](const char* pointer, const nlohmann::json& value, const std::string& hint) {
    auto record = nlohmann::json::parse(text);
    record[nlohmann::json::json_pointer(pointer)] = value;
    std::ofstream(scratch() / "broken_lab.json") << record;
    expect_line("report broken_lab.json", 1, {"broken_lab.json", hint});
  };
  refuse("/experiment", "chess", "there is no experiment 'chess'");
  refuse("/rows", nlohmann::json::array(), "has no rows");
  refuse("/rows/2/events_samples_us/1", -1, "rows[2].events_samples_us has -1");
  refuse("/rows/2/events_samples_us", "fast", "rows[2].events_samples_us must be a list of times");
  refuse("/rows/0/problem", "f32 nn", "rows[0].problem is no problem");
  refuse("/rows/0/id", 7, "rows[0].id must be a text");
  refuse("/rows/0/id", nlohmann::json::object(), "rows[0].id is {}");
  refuse("/typo", 1, "has a key \"typo\"");
  refuse("/schema", 3, "is newer");
  for (const char* other : {"report {} --style S1", "compare {} {}", "report {} --record x.json"}) {
    const std::string arguments =
        std::regex_replace(std::string(other), std::regex("\\{\\}"), kResults + "timing.json");
    expect_line(arguments, 1, {"is the record of an experiment; cairn report shows its table"});
  }
}

}  // namespace
}  // namespace cairn::testing
