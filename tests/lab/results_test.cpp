// What is committed under results/, and what is published from it: every record can be read, says what it was and
// whence, and no number beside its samples or in the README is other than the samples make it.
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
#include "lab/record/ladder.hpp"
#include "lab/record/record.hpp"

namespace cairn::lab::record {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMostBytes = 300'000;
const fs::path kRoot = CAIRN_SOURCE_DIR;

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return (std::stringstream() << file.rdbuf()).str();
}

// An experiment's table with its samples and what was concluded: no bench, but held to the same care.
std::vector<std::string> lab_faults(const json& lab) {
  std::vector<std::string> found;
  const auto missing = [&](const char* key) { return !lab.contains(key) || lab[key].empty(); };
  for (const char* key : {"experiment", "command", "created", "machine", "conclusions", "rows"}) {
    if (missing(key)) found.push_back(std::string("it has no ") + key);
  }
  if (lab.value("schema", 0) != kSchema) found.emplace_back("its schema is not the present one");
  const std::string commit = lab.value(json::json_pointer("/build/commit"), "");
  if (!std::regex_match(commit, std::regex("[0-9a-f]{40}"))) {
    found.push_back("commit '" + commit + "' is not one that can be checked out");
  }
  return found;
}

// What is wrong with a record that somebody wants to commit: a line each.
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
    const bool good = !row.refused.empty() || row.verified == "exact" || row.verified == "never";
    if (!good) found.push_back(row.id + " was not verified: '" + row.verified + "'");
  }
  // All that follows from the samples follows again; a diff names what does not, as a path in the file.
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

// The same as `make readme` followed by a look at what changed.
TEST(Results, TheReadmeShowsTheLaddersRecords) {
  std::vector<Named> records;
  for (const std::string name :
       {"results/h200/ladder.json", "results/h200/tensor.json", "results/h200/hopper.json"}) {
    ASSERT_TRUE(fs::exists(kRoot / name)) << name << " is what a table of the README is made of, and it is not there";
    records.push_back({name, read((kRoot / name).string())});
  }
  const std::string readme = slurp(kRoot / "README.md");
  const std::vector<MarkedTable> tables = ladder_tables(records, kRoot);
  EXPECT_EQ(tables.size(), 2u);
  for (const MarkedTable& table : tables) {
    EXPECT_TRUE(with_table(readme, table, "README.md") == readme)
        << "the README's table '" << table.name << "' is not that of its record; make readme writes\n"
        << table.text;
  }
}

// From here on: the judge itself, on a good record with one thing planted.

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
  EXPECT_EQ(count(with([](Record& r) { r.rows.clear(); })), 1u);
  const std::string lab =
      R"({"schema": 1, "kind": "lab", "experiment": "x", "command": "cairn lab x", "created": "now", "machine": "m",
          "build": {"commit": ")" +
      std::string(40, 'a') + R"("}, "conclusions": ["so"], "rows": [{}]})";
  EXPECT_EQ(count(lab), 0u);
  EXPECT_EQ(count(std::regex_replace(lab, std::regex("aaaa"), "zzzz")), 1u);
  EXPECT_EQ(count(std::regex_replace(lab, std::regex(R"(\["so"\])"), "[]")), 1u);
  json polished = json::parse(to_json(good_record()));
  polished["rows"][0]["median_ms"] = 0.15;
  EXPECT_EQ(count(polished.dump()), 1u);
  polished = json::parse(to_json(good_record()));
  polished["rows"][0].erase("tflops");
  EXPECT_EQ(count(polished.dump()), 1u);
}

}  // namespace
}  // namespace cairn::lab::record
