// What experiments conclude from their committed records is what they concluded when these were measured.
#include "lab/experiments/recorded.hpp"

#include <algorithm>
#include <regex>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lab/exit.hpp"

namespace cairn::lab {
namespace {

std::string file_of(const Experiment& experiment) {
  return std::string(CAIRN_SOURCE_DIR) + "/" + experiment.record_file();
}

record::LabRecord record_of(const Experiment& experiment) {
  return record::lab_from_json(record::read_text(file_of(experiment)), experiment.record_file());
}

// Without the counters that the record of the transposes lacks; what joins the others then differs.
std::string without_lacking(const std::string& conclusion) {
  static const std::regex lacking(
      "(, | and )(achieved occupancy|DRAM bytes (read|written))( [0-9.]+ to [0-9.]+ \\([0-9.]+ times\\))?");
  return std::regex_replace(std::regex_replace(conclusion, lacking, ""), std::regex(" and "), ", ");
}

TEST(Recorded, ConclusionsAreComputedAgainFromTheRows) {
  std::size_t seen = 0;
  for (const Experiment& experiment : experiments()) {
    if (experiment.recall == nullptr) continue;
    ++seen;
    const record::LabRecord record = record_of(experiment);
    const Findings findings = recall(record, "it");
    ASSERT_EQ(findings.conclusions.size(), record.conclusions.size()) << experiment.name;
    for (std::size_t i = 0; i < record.conclusions.size(); ++i) {
      const std::string& kept = record.conclusions[i];
      if (kept.find("achieved occupancy") != std::string::npos)
        EXPECT_EQ(without_lacking(findings.conclusions[i]), without_lacking(kept)) << experiment.name;
      else
        EXPECT_EQ(findings.conclusions[i], kept) << experiment.name;
    }
    EXPECT_EQ(findings.report.table.rows.size(), record.rows.size());
  }
  EXPECT_EQ(seen, 6u);
}

TEST(Recorded, OtherSamplesGiveOtherConclusions) {
  const Experiment& timing = *find_experiment("timing");
  auto json = nlohmann::json::parse(record::read_text(file_of(timing)));
  for (auto& row : json["rows"]) {
    if (row["id"] != "simt/03_coalesced_1d") continue;
    for (auto& sample : row["events_samples_us"]) sample = sample.get<double>() + 100;
  }
  const auto changed = recall(record::lab_from_json(json.dump(), "changed"), "changed").conclusions;
  EXPECT_NE(std::ranges::find(changed, "No two of them change places from one clock to another."), changed.end());
}

TEST(Recorded, AWrittenRecordIsReadAgain) {
  record::LabRecord before = record_of(*find_experiment("transpose"));
  before.notes = {"a note"};
  const Findings findings = recall(before, "it");
  const auto after = record::lab_from_json(record::to_json(before, findings.report.table), "again");
  EXPECT_EQ(after.conclusions, before.conclusions);
  EXPECT_EQ(after.notes, before.notes);
  EXPECT_EQ(after.machine, before.machine);
  EXPECT_EQ(after.build.commit, before.build.commit);
  EXPECT_EQ(recall(after, "again").conclusions, findings.conclusions);
}

TEST(Recorded, MixedUpBuildsAreRefused) {
  auto json = nlohmann::json::parse(record::read_text(file_of(*find_experiment("transpose"))));
  std::swap(json["rows"][0], json["rows"][1]);
  EXPECT_THROW(recall(record::lab_from_json(json.dump(), "swapped"), "swapped"), Error);
}

}  // namespace
}  // namespace cairn::lab
