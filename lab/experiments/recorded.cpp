#include "lab/experiments/recorded.hpp"

#include <variant>

#include <fmt/format.h>

#include "lab/data_folder.hpp"
#include "lab/exit.hpp"

namespace cairn::lab {
namespace {

// Columns by the keys of the file. Lists are for machines.
Table as_kept(const record::LabRecord& record) {
  Table table;
  for (const std::string& key : record.keys) {
    Column column{key, key};
    for (const record::LabRow& row : record.rows) {
      const auto found = row.cells().find(key);
      if (found == row.cells().end()) continue;
      if (std::holds_alternative<std::string>(found->second)) column.align = Align::left;
      if (std::holds_alternative<std::vector<double>>(found->second)) column.audience = Audience::machines;
    }
    table.columns.push_back(column);
  }
  for (const record::LabRow& row : record.rows) {
    std::vector<Cell> cells;
    for (const std::string& key : record.keys) {
      const auto found = row.cells().find(key);
      cells.push_back(found == row.cells().end() ? Cell{} : found->second);
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace

Findings recall(const record::LabRecord& record, const std::string& where) {
  const Experiment* experiment = find_experiment(record.experiment);
  if (experiment == nullptr)
    throw Error(kFailed,
                fmt::format("{}: there is no experiment '{}'; cairn lab lists them", where, record.experiment));
  if (record.rows.empty()) throw Error(kFailed, where + ": the record has no rows");
  Findings findings;
  if (experiment->recall != nullptr) {
    findings = experiment->recall(record);
  } else {
    findings.report.table = as_kept(record);
    findings.conclusions = record.conclusions;
  }
  findings.notes = record.notes;
  return findings;
}

std::optional<Report> published(const Experiment& experiment) {
  const auto file = project_file(experiment.record_file());
  if (!file) return {};
  const std::string where = shown_path(*file);
  const record::LabRecord record = record::lab_from_json(record::read_text(file->string()), where);
  Report report = recall(record, where).in_full();
  report.before.insert(report.before.begin(),
                       {"There is no GPU here, so nothing was measured. This is the record of an earlier run:",
                        fmt::format("{}, measured {} by cairn {}, commit {}", where, record.created,
                                    record.build.version, record.build.commit)});
  report.after.push_back(fmt::format("{} discusses it.", experiment.page()));
  return report;
}

}  // namespace cairn::lab
