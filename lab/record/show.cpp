#include "lab/record/show.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "lab/escape.hpp"
#include "lab/record/view.hpp"
#include "lab/record/words.hpp"

namespace cairn::lab::record {
namespace {

Cell counter(const Row& row, const std::string& name) {
  const auto found = row.counters.find(name);
  if (found == row.counters.end()) return {};
  const double value = found->second;
  // Counts are printed as integers.
  if (value == std::floor(value) && std::abs(value) < 1e15) return static_cast<std::int64_t>(value);
  return value;
}

// Upright, since there are many counters and few contenders.
Table counters(const Record& record) {
  std::set<std::string> names;
  for (const Row& row : record.rows) {
    for (const auto& [name, value] : row.counters) names.insert(name);
  }
  Table table;
  table.upright = true;
  table.columns = {{"id", "id", Align::left}, {"problem", "problem", Align::left}};
  for (const std::string& name : names) table.columns.push_back({name, name});
  for (const Row& row : record.rows) {
    if (row.counters.empty()) continue;
    std::vector<Cell> cells = {row.id, problem_text(row)};
    for (const std::string& name : names) cells.push_back(counter(row, name));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Report report_of(const Named& named) {
  if (named.report) return *named.report;
  Report report = view(named.record);
  if (named.record.kind == "profile") report.table = counters(named.record);
  return report;
}

// Adds the rows of `part`, whose columns may be others, and the name of its record before each.
void append(const Table& part, const std::string& name, Table& all) {
  std::vector<std::size_t> places;
  for (const Column& column : part.columns) {
    const auto same = [&](const Column& other) { return other.key == column.key; };
    const auto found = std::find_if(all.columns.begin(), all.columns.end(), same);
    places.push_back(static_cast<std::size_t>(found - all.columns.begin()));
    if (found == all.columns.end()) all.columns.push_back(column);
  }
  for (auto& row : all.rows) row.resize(all.columns.size());
  for (const auto& row : part.rows) {
    std::vector<Cell> cells(all.columns.size());
    cells[0] = name;
    for (std::size_t i = 0; i < row.size(); ++i) cells[places[i]] = row[i];
    all.rows.push_back(std::move(cells));
  }
}

}  // namespace

std::string pages(const std::vector<Named>& records, Format format, const Terminal& terminal) {
  std::string text;
  for (const Named& named : records) {
    Report report = report_of(named);
    const Build& build = named.record.build;
    report.before.push_back(
        one_line(fmt::format("cairn {}, commit {} · {}", build.version, build.commit, named.record.created)));
    if (records.size() > 1) report.before.insert(report.before.begin(), one_line(named.name) + ":");
    text += (text.empty() ? "" : "\n") + render(report, format, terminal);
  }
  return text;
}

Report together(const std::vector<Named>& records) {
  Report all;
  all.table.columns = {{"record", "record", Align::left}};
  for (const Named& named : records) {
    const Report report = report_of(named);
    append(report.table, named.name, all.table);
    for (const std::string& line : report.alarms) all.alarms.push_back(one_line(named.name) + ": " + line);
  }
  return all;
}

}  // namespace cairn::lab::record
