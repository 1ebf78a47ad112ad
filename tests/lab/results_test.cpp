// The records under results/ and the tables made from them: every record can be read and names its command and
// commit, no derived number differs from what its samples or summary imply, each is read by something, and all are
// small.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lab/baseline_choices.hpp"
#include "lab/exit.hpp"
#include "lab/record/page_tables.hpp"
#include "lab/record/record.hpp"
#include "lab/record/words.hpp"
#include "lab/verify/case.hpp"

namespace cairn::lab::record {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMostBytes = 300'000;         // of one record
constexpr std::size_t kMostBytesOfAll = 4'000'000;  // of results/
const fs::path kRoot = CAIRN_SOURCE_DIR;

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return (std::stringstream() << file.rdbuf()).str();
}

// An experiment's table with its samples and conclusions.
std::vector<std::string> lab_faults(const json& lab) {
  std::vector<std::string> found;
  const auto missing = [&](const char* key) { return !lab.contains(key) || lab[key].empty(); };
  for (const char* key : {"experiment", "command", "created", "machine", "conclusions", "rows"}) {
    if (missing(key)) found.push_back(std::string("it has no ") + key);
  }
  const int schema = lab.value("schema", 0);
  if (schema < 1 || schema > kSchema) found.emplace_back("its schema is not one that this cairn reads");
  const std::string commit = lab.value(json::json_pointer("/build/commit"), "");
  if (!std::regex_match(commit, std::regex("[0-9a-f]{40}"))) {
    found.push_back("commit '" + commit + "' is not one that can be checked out");
  }
  return found;
}

// What is wrong with a record that is to be committed, a line each.
std::vector<std::string> faults(const std::string& text, const std::string& name) {
  std::vector<std::string> found;
  if (text.size() > kMostBytes) found.push_back(name + " is larger than 300 KB");
  if (const json parsed = json::parse(text, nullptr, false);
      parsed.is_object() && parsed.value("kind", "") == "lab") {
    for (std::string& fault : lab_faults(parsed)) found.push_back(std::move(fault));
    return found;
  }
  Record record;
  try {
    record = from_json(text, name);
  } catch (const Error& error) {
    found.emplace_back(error.what());
    return found;
  }
  if (!record.command.starts_with("cairn ")) found.push_back("command '" + record.command + "' is none of cairn's");
  if (!std::regex_match(record.build.commit, std::regex("[0-9a-f]{40}"))) {
    found.push_back("commit '" + record.build.commit + "' is not one that can be checked out");
  }
  if (record.rows.empty()) found.emplace_back("it has no rows");
  for (const Row& row : record.rows) {
    // What was found wrong of a baseline is a result too, as long as it has no time.
    const bool untimed = row.baseline && row.samples_ms.empty() && !row.summary.has_value();
    // Results are exact but for those of functions such as exp.
    const char* word = verify::is_exact(problem_of(row).activation) ? "exact" : "bound";
    const bool good = !row.refused.empty() || row.verified == word || row.verified == "never" || untimed;
    if (!good) found.push_back(row.id + " was not verified: '" + row.verified + "'");
  }
  // Everything derived is computed again; a diff names what differs, as a path in the file.
  const json difference = json::diff(json::parse(text), json::parse(to_json(record)));
  for (const json& step : difference) found.push_back("not what the samples say: " + step.dump());
  return found;
}

std::vector<fs::path> committed() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "results")) {
    const bool choices = entry.path().filename() == "cublas_choices.json";  // not a measurement; see the test below
    if (entry.path().extension() == ".json" && !choices) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Results, EveryCommittedRecordHolds) {
  EXPECT_FALSE(committed().empty());
  for (const fs::path& file : committed()) {
    const std::string name = fs::relative(file, kRoot).generic_string();
    for (const std::string& fault : faults(slurp(file), name)) ADD_FAILURE() << name << ": " << fault;
  }
}

// The algorithms that searches found, so that a fresh machine need not search again: every one can still be read.
TEST(Results, KeptChoicesOfCublasCanBeRead) {
  const fs::path file = kRoot / "results/h200/cublas_choices.json";
  const json kept = json::parse(slurp(file))["choices"];
  ASSERT_FALSE(kept.empty());
  for (const auto& [device, versions] : kept.items()) {
    for (const auto& [version, problems] : versions.items()) {
      for (const auto& [problem, choice] : problems.items()) {
        EXPECT_TRUE(find_choice(file, {device, version, problem}).has_value()) << problem;
      }
    }
  }
}

TEST(Results, StaySmall) {
  std::size_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "results"))
    if (entry.is_regular_file()) bytes += entry.file_size();
  EXPECT_LE(bytes, kMostBytesOfAll) << "cairn report RECORD --samples summary --record SMALLER drops the samples";
}

// The pages, sources and tests that may name a record. Scripts write records and do not read them.
std::string all_readers() {
  std::string text = slurp(kRoot / "README.md") + slurp(kRoot / "Makefile");
  for (const char* folder : {"docs", "kernels", "lab", "src", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder))
      if (entry.is_regular_file()) text += slurp(entry.path());
  }
  return text;
}

TEST(Results, EveryRecordIsReadOrLinked) {
  const std::string readers = all_readers();
  for (const fs::path& file : committed()) {
    const std::string name = file.filename().string();
    if (name.starts_with("tiles_")) continue;  // tiles_test reads them all
    const bool in_makefile = slurp(kRoot / "Makefile").find(" " + file.stem().string()) != std::string::npos;
    EXPECT_TRUE(in_makefile || readers.find("/" + name) != std::string::npos)
        << name << " is in no page, test or source; link it or remove it";
  }
}

// A page that names a record's commit, "[x.json](../results/h200/x.json) at 0123456", names the right one.
TEST(Results, PagesNameTheCommitsOfTheirRecords) {
  const std::regex link(R"(\]\([./]*(results/[a-z0-9_/]+\.json)\) at ([0-9a-f]{7}))");
  std::size_t links = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs")) {
    if (entry.path().extension() != ".md") continue;
    const std::string text = slurp(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it, ++links) {
      const json record = json::parse(slurp(kRoot / (*it)[1].str()), nullptr, false);
      const std::string commit = record.value(json::json_pointer("/build/commit"), "");
      EXPECT_TRUE(commit.starts_with((*it)[2].str()))
          << entry.path() << ": " << (*it)[1] << " was measured at " << commit.substr(0, 7);
    }
  }
  EXPECT_GT(links, 0u);
}

// The same as `make readme` followed by a look at what changed.
void expect_up_to_date(const std::string& page, const std::vector<std::string>& names, std::size_t tables) {
  const fs::path folder = (kRoot / page).parent_path();
  std::vector<Named> records;
  for (const std::string& name : names) {
    const fs::path file = kRoot / "results/h200" / (name + ".json");
    ASSERT_TRUE(fs::exists(file)) << file << " is what a table of " << page << " is made of";
    records.push_back({fs::relative(file, folder).generic_string(), read(file.string())});
  }
  const std::string text = slurp(kRoot / page);
  const std::vector<MarkedTable> wanted = page_tables(text, records, folder, page);
  EXPECT_EQ(wanted.size(), tables);
  for (const MarkedTable& table : wanted) {
    EXPECT_TRUE(with_table(text, table, page) == text)
        << "the table '" << table.name << "' of " << page << " is not that of its records; make readme writes\n"
        << table.text;
  }
}

TEST(Results, ThePagesShowTheirRecords) {
  expect_up_to_date("README.md",
                    {"course_bf16", "course_f16", "course_tf32", "course_e4m3fast", "course_f32", "large_split"}, 1);
  expect_up_to_date("docs/ladder.md", {"ladder", "tensor", "hopper", "split"}, 2);
}

// From here on: faults() itself, on a good record with one fault planted.

Record good_record() {
  Record record;
  record.kind = "bench";
  record.command = "cairn bench --shape 8";
  record.build.commit = std::string(40, 'a');
  Row row;
  row.id = "simt/01_naive", row.work = "product", row.verified = "exact";
  row.problem = Problem::packed(Type::f32, Op::none, Op::none, 8, 8, 8).full();
  row.samples_ms = {0.1, 0.2, 0.3};
  record.rows = {row};
  return record;
}

TEST(ResultsJudge, FindsNothingWhereNothingIs) {
  EXPECT_EQ(faults(to_json(good_record()), "x"), std::vector<std::string>{});
}

TEST(ResultsJudge, SeesEachFault) {
  const auto count = [](const std::string& text) { return faults(text, "x").size(); };
  const auto with = [](void (*change)(Record&)) {
    Record record = good_record();
    change(record);
    return to_json(record);
  };
  EXPECT_EQ(count("{}"), 1u);
  EXPECT_EQ(count(to_json(good_record()) + std::string(kMostBytes, ' ')), 1u);
  EXPECT_EQ(count(with([](Record& r) { r.command = "make bench"; })), 1u);
  EXPECT_EQ(count(with([](Record& r) { r.build.commit = "unknown"; })), 1u);
  EXPECT_EQ(count(with([](Record& r) { r.build.commit += "+changes"; })), 1u);
  EXPECT_EQ(count(with([](Record& r) { r.rows[0].verified = "C[0] is wrong"; })), 1u);
  EXPECT_EQ(count(with([](Record& r) { r.rows[0].verified = ""; })), 1u);
  EXPECT_EQ(count(with([](Record& r) { r.rows[0].verified = "C[0] is wrong", r.rows[0].baseline = true; })), 1u);
  const auto untimed = [](Record& r) {
    r.rows[0].verified = "C[0] is wrong", r.rows[0].samples_ms.clear(), r.rows[0].baseline = true;
  };
  EXPECT_EQ(count(with(untimed)), 0u) << "a baseline that is wrong, and has no time";
  EXPECT_EQ(count(with([](Record& r) { r.rows.clear(); })), 1u);
  const std::string lab =
      R"({"schema": 1, "kind": "lab", "experiment": "x", "command": "cairn lab x", "created": "now", "machine": "m",
          "build": {"commit": ")" +
      std::string(40, 'a') + R"("}, "conclusions": ["so"], "rows": [{}]})";
  EXPECT_EQ(count(lab), 0u);
  EXPECT_EQ(count(std::regex_replace(lab, std::regex("aaaa"), "zzzz")), 1u);
  EXPECT_EQ(count(std::regex_replace(lab, std::regex(R"(\["so"\])"), "[]")), 1u);
  json changed = json::parse(to_json(good_record()));
  ASSERT_EQ(changed["columns"].back(), "samples_ms");
  const auto column = [&](const char* key) {
    const auto& keys = changed["columns"];
    return static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
  };
  changed["rows"][0][column("median_ms")] = 0.15;
  EXPECT_EQ(count(changed.dump()), 1u);
  changed = json::parse(to_json(good_record()));
  changed["rows"][0][column("tflops")] = nullptr;
  EXPECT_EQ(count(changed.dump()), 1u);
  const Record summary = without_samples(good_record());
  EXPECT_EQ(count(to_json(summary)), 0u);
  changed = json::parse(to_json(summary));
  changed["rows"][0][column("median_ms")] = 0.4;  // above the end of its interval
  EXPECT_EQ(count(changed.dump()), 1u);
}

}  // namespace
}  // namespace cairn::lab::record
